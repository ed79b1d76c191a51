import type { Address } from "@millrace/core";
import { Schema } from "effect";
import type { ChainDex } from "../ChainProtocol.ts";
import { STABLE_V3, STABLE_V3_BOUNDED } from "../curves/balancerStable/pool.ts";
import { WEIGHTED_V3, WEIGHTED_V3_LEAST } from "../curves/weighted/pool.ts";
import { ContractAddress } from "../dexSettings.ts";

const Contracts = Schema.optionalKey(Schema.Array(ContractAddress));

/** What a DEX of Balancer V3 is configured with. Its `factory` is the Vault. */
export const balancerV3Settings = {
  /** Factories of weighted pools of 2024, and of those that keep least balances. */
  weightedFactories: Contracts,
  leastBalanceWeightedFactories: Contracts,
  /** Factories of stable pools, and of those that bound their imbalance. */
  stableFactories: Contracts,
  boundedStableFactories: Contracts,
  /** StableSurge contracts whose formula is the known one; pools with other hooks are refused. */
  surgeHooks: Contracts,
  /** The allowed rate providers; pools with others are refused. */
  rateProviders: Contracts,
  /** Router, which quotes swaps. */
  router: Schema.optionalKey(ContractAddress),
};

export interface BalancerV3Dex {
  readonly dex: ChainDex;
  readonly vault: Address;
  /** By the factory that made them. */
  readonly versions: ReadonlyMap<Address, PoolVersion>;
  readonly surgeHooks: ReadonlySet<Address>;
  readonly rateProviders: ReadonlySet<Address>;
  readonly router: Address | undefined;
}

export interface PoolVersion {
  readonly isStable: boolean;
  /** See the curves. */
  readonly rule: bigint;
}

const decodeSettings = Schema.decodeUnknownSync(Schema.Struct(balancerV3Settings));

/** Throws for invalid settings. */
export function openBalancerV3(dex: ChainDex): BalancerV3Dex {
  const own = decodeSettings(dex);
  const madeBy = (factories: ReadonlyArray<string> | undefined, isStable: boolean, rule: bigint) =>
    (factories ?? []).map((factory) => [lower(factory), { isStable, rule }] as const);
  return {
    dex,
    vault: lower(dex.factory),
    versions: new Map([
      ...madeBy(own.weightedFactories, false, WEIGHTED_V3),
      ...madeBy(own.leastBalanceWeightedFactories, false, WEIGHTED_V3_LEAST),
      ...madeBy(own.stableFactories, true, STABLE_V3),
      ...madeBy(own.boundedStableFactories, true, STABLE_V3_BOUNDED),
    ]),
    surgeHooks: new Set(own.surgeHooks?.map(lower)),
    rateProviders: new Set(own.rateProviders?.map(lower)),
    router: own.router === undefined ? undefined : lower(own.router),
  };
}

const lower = (address: string) => address.toLowerCase() as Address;

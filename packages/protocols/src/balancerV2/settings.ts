import type { Address } from "@millrace/core";
import { Schema } from "effect";
import type { ChainDex } from "../ChainProtocol.ts";
import { STABLE_V2, STABLE_V2_FIRST } from "../curves/balancerStable/pool.ts";
import { WEIGHTED_V2, WEIGHTED_V2_FIRST } from "../curves/weighted/pool.ts";
import { ContractAddress } from "../dexSettings.ts";

const Contracts = Schema.optionalKey(Schema.Array(ContractAddress));

/** What a DEX of Balancer V2 is configured with. Its `factory` is the Vault. */
export const balancerV2Settings = {
  /** Factories of the first weighted pools, whose powers all go through logarithms. */
  firstWeightedFactories: Contracts,
  /** Those of all later ones. */
  weightedFactories: Contracts,
  /** Factories of the stable pools of 2021, whose invariant is rounded up. */
  stableFactories: Contracts,
  /** Those of all later ones; most of these pools have their own token among their tokens. */
  composableFactories: Contracts,
  /** The allowed rate providers; pools with others are refused. */
  rateProviders: Contracts,
  /** A contract with `getCurrentBlockTimestamp()`, such as Multicall3: cached rates expire. */
  clock: Schema.optionalKey(ContractAddress),
};

/** The version of a pool, by the factory that made it. */
interface PoolVersion {
  readonly factory: Address;
  readonly isStable: boolean;
  /** See the curves. */
  readonly rule: bigint;
}

export interface BalancerV2Dex {
  readonly dex: ChainDex;
  readonly vault: Address;
  readonly versions: ReadonlyArray<PoolVersion>;
  readonly rateProviders: ReadonlySet<Address>;
  readonly clock: Address | undefined;
}

const decodeSettings = Schema.decodeUnknownSync(Schema.Struct(balancerV2Settings));

/** Throws for invalid settings. */
export function openBalancerV2(dex: ChainDex): BalancerV2Dex {
  const own = decodeSettings(dex);
  const madeBy = (factories: ReadonlyArray<string> | undefined, isStable: boolean, rule: bigint) =>
    (factories ?? []).map((factory) => ({ factory: lower(factory), isStable, rule }));
  return {
    dex,
    vault: lower(dex.factory),
    versions: [
      ...madeBy(own.firstWeightedFactories, false, WEIGHTED_V2_FIRST),
      ...madeBy(own.weightedFactories, false, WEIGHTED_V2),
      ...madeBy(own.stableFactories, true, STABLE_V2_FIRST),
      ...madeBy(own.composableFactories, true, STABLE_V2),
    ],
    rateProviders: new Set(own.rateProviders?.map(lower)),
    clock: own.clock === undefined ? undefined : lower(own.clock),
  };
}

const lower = (address: string) => address.toLowerCase() as Address;

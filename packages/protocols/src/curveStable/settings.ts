import type { Address } from "@millrace/core";
import { Schema } from "effect";
import type { ChainDex, Hex } from "../ChainProtocol.ts";
import {
  DIVIDES_EACH,
  DIVIDES_EACH_PLUS_ONE,
  DIVIDES_ONCE,
  KEEPS_ORACLE,
  TAKES_UNFINISHED,
} from "../curves/stableSwap/market.ts";
import { ContractAddress } from "../dexSettings.ts";
import type { Oracles } from "./rates.ts";

/** How a version of the contract computes, and what it can be asked. */
export interface CurveVersion {
  readonly rules: number;
  readonly aPrecision: bigint;
  /** It has `get_balances`, `stored_rates` and a multiplier of its fee. */
  readonly isNg: boolean;
  /** Its `get_dy` is what `exchange` gives. */
  readonly quotes: boolean;
}

const templates = { aPrecision: 100n, isNg: false, quotes: true };

/** By the names that a configuration has for them. */
const CURVE_VERSIONS = {
  /** 3pool and others of 2020, whose A has no precision. */
  "plain-2020": {
    ...{ rules: DIVIDES_EACH | TAKES_UNFINISHED, aPrecision: 1n },
    ...{ isNg: false, quotes: false },
  },
  /** The templates of curve-contract and curve-factory. */
  plain: { ...templates, rules: DIVIDES_EACH },
  /** The few with x·n + 1. */
  "plain-plus-one": { ...templates, rules: DIVIDES_EACH_PLUS_ONE },
  /** The optimized ones of curve-factory. */
  "plain-optimized": { ...templates, rules: DIVIDES_ONCE },
} satisfies Record<string, CurveVersion>;

export const NG_VERSION: CurveVersion = {
  ...{ rules: DIVIDES_ONCE | KEEPS_ORACLE, aPrecision: 100n },
  ...{ isNg: true, quotes: true },
};

const Selector = Schema.String.check(
  Schema.isPattern(/^0x[a-fA-F0-9]{8}$/u, { expected: "a selector: 0x and 8 hex digits" }),
);

export const curveSettings = {
  /**
   * Pools of no factory, or of an old one, with their versions. With them no pool of StableSwap-NG
   * is followed.
   */
  pools: Schema.optionalKey(
    Schema.Record(
      ContractAddress,
      Schema.Literals(["plain-2020", "plain", "plain-plus-one", "plain-optimized"]),
    ),
  ),
  /** By coin, the trusted oracle of its rate; pools with others are refused. */
  oracles: Schema.optionalKey(
    Schema.Record(
      ContractAddress,
      Schema.Struct({ contract: ContractAddress, selector: Selector }),
    ),
  ),
  /** Coins of metapools that neither rebase nor have a rate: the factory does not tell. */
  ordinaryCoins: Schema.optionalKey(Schema.Array(ContractAddress)),
};
const decodeSettings = Schema.decodeUnknownSync(Schema.Struct(curveSettings));

export interface CurveSettings {
  readonly pools: ReadonlyArray<readonly [Address, CurveVersion]> | undefined;
  readonly oracles: Oracles;
  readonly ordinaryCoins: ReadonlySet<Address>;
}

/** Throws for invalid settings. */
export function curveSettingsOf(dex: ChainDex): CurveSettings {
  const { pools, oracles = {}, ordinaryCoins = [] } = decodeSettings(dex);
  const lowerCase = (address: string) => address.toLowerCase() as Address;
  return {
    pools:
      pools &&
      Object.entries(pools).map(([pool, version]) => [lowerCase(pool), CURVE_VERSIONS[version]]),
    oracles: new Map(
      Object.entries(oracles).map(([coin, { contract, selector }]) => [
        lowerCase(coin),
        { to: lowerCase(contract), data: selector.toLowerCase() as Hex },
      ]),
    ),
    ordinaryCoins: new Set(ordinaryCoins.map(lowerCase)),
  };
}

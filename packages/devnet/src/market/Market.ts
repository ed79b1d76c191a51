import type { Address, Hex } from "viem";
import type { Contracts } from "../contracts/Contracts.ts";
import type { InitCodeHashes } from "../contracts/deployContracts.ts";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import type { FamilyPool } from "../families/FamilyPool.ts";
import type { ManyTokenDex, ManyTokenMarketPool } from "../manyTokens/ManyTokenPlan.ts";
import type { MarketToken } from "./MarketToken.ts";
import type { DexCode, FamilyCode, NetworkPlan } from "./networks.ts";

/** The market of a plan on a chain. */
export interface Market {
  readonly plan: NetworkPlan;
  readonly contracts: Contracts;
  readonly hashes: InitCodeHashes;
  /** Undefined where the plan has no further families. */
  readonly families: FamilyContracts | undefined;
  /** Sends the transactions of the set-up, and those of `DevnetOptions.deploy`; none later. */
  readonly deployer: Address;
  readonly traders: ReadonlyArray<Trader>;
  readonly tokens: ReadonlyArray<MarketToken>;
  readonly pools: ReadonlyArray<MarketPool>;
  /** Pools beside those in `pools`; none without the families. */
  readonly manyTokens: {
    readonly dexes: ReadonlyArray<ManyTokenDex>;
    readonly pools: ReadonlyArray<ManyTokenMarketPool>;
  };
}

export type { MarketToken };

export interface MarketPool {
  readonly address: Address;
  readonly dexId: string;
  readonly dexCode: DexCode;
  readonly token0: MarketToken;
  readonly token1: MarketToken;
  /** Where the fee changes, the initial one. */
  readonly feePips: number;
  readonly depthUsd: number;
  /** For pools of the further families; `address` is then the pool's id, cut to 20 bytes. */
  readonly family?: FamilyPool;
  /** See `PoolPlan`. */
  readonly protocolFee?: number;
}

/** An account with plenty of every token, which has approved all routers. */
export interface Trader {
  readonly address: Address;
  /** Anybody who knows the seed can derive it; for devnets only. */
  readonly privateKey: Hex;
}

export const FORK_FEE_PIPS = 2_000;
export const V2_FEE_PIPS = 3_000;

const TICK_SPACINGS: Readonly<Record<number, number>> = {
  100: 1,
  500: 10,
  3000: 60,
  10000: 200,
};

export const isFamilyCode = (dexCode: DexCode): dexCode is FamilyCode =>
  !["v2", "v2Sister", "v2Fork", "v3"].includes(dexCode);

/** Whether a pool has two reserves and shares that are tokens; all others have ticks. */
export const isPair = ({ dexCode }: Pick<MarketPool, "dexCode">): boolean =>
  PAIR_CODES.includes(dexCode);

const PAIR_CODES: ReadonlyArray<DexCode> = ["v2", "v2Sister", "v2Fork", "aerodrome"];

/** Of a concentrated pool. */
export const tickSpacingOf = ({ family, feePips }: MarketPool): number =>
  family?.tickSpacing ?? TICK_SPACINGS[feePips]!;

/** Later than any block of a devnet. */
export const NO_DEADLINE = 2n ** 40n;
export const MAX_UINT256 = 2n ** 256n - 1n;
export const MAX_UINT160 = 2n ** 160n - 1n;
export const MAX_UINT128 = 2n ** 128n - 1n;

/** A float amount of a token in whole units. */
export const toUnits = (amount: number, { decimals }: { readonly decimals: number }): bigint =>
  BigInt(Math.floor(amount * 10 ** decimals));

/** The fair ratio at these prices, in units of token1 for one of token0. */
export const fairRatio = (
  { token0, token1 }: Pick<MarketPool, "token0" | "token1">,
  priceUsd: (token: MarketToken) => number,
): number => (priceUsd(token0) / priceUsd(token1)) * 10 ** (token1.decimals - token0.decimals);

export const toSqrtPriceX96 = (ratio: number): bigint =>
  BigInt(Math.floor(Math.sqrt(ratio) * 2 ** 96));

/** The highest tick at or below a ratio. */
export const toTick = (ratio: number): number => Math.floor(Math.log(ratio) / Math.log(1.0001));

import type { Address, Hex } from "viem";

/** Kinds of pools, most of them named as in files of recorded markets. */
export type ManyTokenKind =
  | ("curve-stable" | "curve-stable-ng" | "curve-crypto" | "erc4626" | "lido")
  | ("balancer-v2-weighted" | "balancer-v2-stable" | "balancer-v3");

/** A pool of two to eight tokens, which it knows by position. */
export interface ManyTokenPool {
  readonly kind: ManyTokenKind;
  readonly dexId: string;
  readonly address: Address;
  /** The address, or the 32 bytes that a vault names the pool by. */
  readonly id: Hex;
  /** In the pool's order. The wrapped native token stands for the native one. */
  readonly tokens: ReadonlyArray<Address>;
  /** Position at which the pool takes the native token itself. */
  readonly nativeAt?: number;
  /** Tells pools of a kind apart: old ones, and crypto pools that take donations. */
  readonly version?: string;
  /** Of a weighted pool, by position. */
  readonly weights?: ReadonlyArray<number>;
  /** By position: the contract that gives a token's rate, where it has one. */
  readonly rates?: ReadonlyArray<PoolRate | undefined>;
  /** Of Balancer V3, where the pool has one. */
  readonly hook?: Address;
}

export interface PoolRate {
  readonly provider: Address;
  /** The rate when the pool was made. */
  readonly firstE18: bigint;
}

/** An exact-input swap in such a pool. */
export interface PlacedSwap {
  readonly positionIn: number;
  readonly positionOut: number;
  readonly amountIn: bigint;
}

/** A pool's numbers, with the field names of recorded markets. */
export type ManyTokenState = StableState | CryptoReading | WrapperState | BalancerPoolState;

/** Of `curve-stable` and `curve-stable-ng`. */
export interface StableState {
  readonly kind: "stable";
  readonly balances: ReadonlyArray<bigint>;
  /** Multipliers from units to numbers with 18 decimals, times 10^18. */
  readonly rates: ReadonlyArray<bigint>;
  /** With its precision factor. */
  readonly A: bigint;
  readonly aPrecision: bigint;
  /** In 1/10^10. */
  readonly fee: bigint;
  readonly adminFee: bigint;
  readonly offpegFeeMultiplier?: bigint;
}

/**
 * State of `curve-crypto`; during a ramp, with the current A and gamma, and with D as the contract
 * stores it.
 */
export interface CryptoReading {
  readonly kind: "crypto";
  readonly balances: ReadonlyArray<bigint>;
  readonly priceScale: ReadonlyArray<bigint>;
  readonly D: bigint;
  readonly A: bigint;
  readonly gamma: bigint;
  readonly midFee: bigint;
  readonly outFee: bigint;
  readonly feeGamma: bigint;
  readonly totalSupply: bigint;
  readonly virtualPrice: bigint;
  /** The ramp's target: A in the upper 128 bits, and gamma. */
  readonly future: bigint;
}

/** Of `erc4626` and `lido`. */
export interface WrapperState {
  readonly kind: "wrapper";
  readonly shares: bigint;
  readonly assets: bigint;
  /** The most assets that it takes now. */
  readonly depositMax: bigint;
  /** Of `lido`: the token that it wraps. */
  readonly staked?: Address;
}

/** Of Balancer's pools, as the next swap would find them. */
export interface BalancerPoolState {
  readonly kind: "balancer";
  readonly balances: ReadonlyArray<bigint>;
  /** Values of the tokens, times 10^18. */
  readonly rates: ReadonlyArray<bigint>;
  readonly decimals: ReadonlyArray<number>;
  /** In 1/10^18; on V3 with the part of it that leaves the pool. */
  readonly fee: bigint;
  readonly aggregateFee: bigint;
  readonly isPaused: boolean;
  /** In recovery mode, or while the amplification ramps. */
  readonly isUnsteady: boolean;
  /** Of weighted pools; the following field only on V3. */
  readonly weights?: ReadonlyArray<bigint>;
  readonly leastBalances?: ReadonlyArray<bigint>;
  /** Of stable pools, times 1000. */
  readonly amp?: bigint;
  readonly surge?: { readonly threshold: bigint; readonly max: bigint };
}

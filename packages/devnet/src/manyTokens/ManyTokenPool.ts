import type { Address, Hex } from "viem";

/** Most as files of recorded markets name the kinds of pools. */
export type ManyTokenKind =
  | ("curve-stable" | "curve-stable-ng" | "curve-crypto" | "erc4626" | "lido")
  | ("balancer-v2-weighted" | "balancer-v2-stable" | "balancer-v3");

/** A pool that knows its tokens by their places: it has two to eight. */
export interface ManyTokenPool {
  readonly kind: ManyTokenKind;
  readonly dexId: string;
  readonly address: Address;
  /** The address, or 32 bytes where a vault names the pool so. */
  readonly id: Hex;
  /** In the pool's order. Where it takes the native token, the wrapped one stands for it. */
  readonly tokens: ReadonlyArray<Address>;
  /** At this place it takes the native token itself. */
  readonly nativeAt?: number;
  /** Where the kind is not enough: of old pools, and of crypto pools that take donations. */
  readonly version?: string;
  /** Of a weighted pool, by place. */
  readonly weights?: ReadonlyArray<number>;
  /** By place: who says what a unit counts for, where anybody does. */
  readonly rates?: ReadonlyArray<PoolRate | undefined>;
  /** Of Balancer V3, where the pool has one. */
  readonly hook?: Address;
}

export interface PoolRate {
  readonly provider: Address;
  /** What it said when the pool was made. */
  readonly firstE18: bigint;
}

/** A swap of an exact input in such a pool. */
export interface PlacedSwap {
  readonly positionIn: number;
  readonly positionOut: number;
  readonly amountIn: bigint;
}

/** Numbers of a pool, in the words of recorded markets. */
export type ManyTokenState = StableState | CryptoReading | WrapperState | BalancerPoolState;

/** Of `curve-stable` and `curve-stable-ng`. */
export interface StableState {
  readonly kind: "stable";
  readonly balances: ReadonlyArray<bigint>;
  /** By which units become numbers of 18 decimals, times 10^18. */
  readonly rates: ReadonlyArray<bigint>;
  /** With its precision. */
  readonly A: bigint;
  readonly aPrecision: bigint;
  /** In 1/10^10. */
  readonly fee: bigint;
  readonly adminFee: bigint;
  readonly offpegFeeMultiplier?: bigint;
}

/** Of `curve-crypto`; during a ramp with A and gamma of now, and D as the contract keeps it. */
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
  /** Where a ramp ends: A in the upper 128 bits, and gamma. */
  readonly future: bigint;
}

/** Of `erc4626` and `lido`. */
export interface WrapperState {
  readonly kind: "wrapper";
  readonly shares: bigint;
  readonly assets: bigint;
  /** The most assets that it takes now. */
  readonly depositMax: bigint;
  /** Of `lido`: what it wraps. */
  readonly staked?: Address;
}

/** Of Balancer's, as the next swap would find them. */
export interface BalancerPoolState {
  readonly kind: "balancer";
  readonly balances: ReadonlyArray<bigint>;
  /** What tokens count for, times 10^18. */
  readonly rates: ReadonlyArray<bigint>;
  readonly decimals: ReadonlyArray<number>;
  /** In 1/10^18; of V3 also which part of it leaves the pool. */
  readonly fee: bigint;
  readonly aggregateFee: bigint;
  readonly isPaused: boolean;
  /** In recovery mode, or while the amplification ramps. */
  readonly isUnsteady: boolean;
  /** Of weighted pools, the last of V3 only. */
  readonly weights?: ReadonlyArray<bigint>;
  readonly leastBalances?: ReadonlyArray<bigint>;
  /** Of stable pools, times 1000. */
  readonly amp?: bigint;
  readonly surge?: { readonly threshold: bigint; readonly max: bigint };
}

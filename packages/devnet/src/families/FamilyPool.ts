import type { Address, Hex } from "viem";

/** Kinds of pools, named as in files of recorded markets. */
type Family = "uniswap-v4" | "pancake-v3" | "algebra-integral" | "slipstream" | SolidlyFamily;
type SolidlyFamily = "aerodrome-stable" | "aerodrome-volatile";

/** A pool of one of the further families. */
export interface FamilyPool {
  readonly family: Family;
  /** The pool's address, or that of the manager that holds it. */
  readonly address: Address;
  /** The address, or 32 bytes where a manager holds many pools. */
  readonly id: Hex;
  readonly token0: Address;
  readonly token1: Address;
  /** Only where the fee is part of the pool's name. */
  readonly fee?: number;
  readonly tickSpacing?: number;
  readonly hooks?: Address;
}

/** A concentrated pool, with the field names of recorded markets. */
export interface TicksState {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly tickSpacing: number;
  /** Every initialised tick with its liquidityNet, ascending. */
  readonly ticks: ReadonlyArray<readonly [tick: number, liquidityNet: bigint]>;
  /** In pips, as charged for the next block's first swap; `protocolFee` comes on top. */
  readonly fee: number;
  /**
   * Uniswap V4, in pips: the low 12 bits for zeroForOne, the high 12 bits for the other direction.
   */
  readonly protocolFee?: number;
}

/** A pool of reserves, with the field names of recorded markets. */
export interface SolidlyState {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  readonly decimals0: number;
  readonly decimals1: number;
  /** In 1/10,000. */
  readonly fee: number;
  /** Swaps revert. All pools of a factory are paused together. */
  readonly isPaused: boolean;
}

/** By the family of the pool. */
export type FamilyState<pool extends FamilyPool> = pool["family"] extends SolidlyFamily
  ? SolidlyState
  : TicksState;

export interface FamilyQuoteRequest {
  readonly kind: "exactIn" | "exactOut";
  readonly zeroForOne: boolean;
  readonly amount: bigint;
}

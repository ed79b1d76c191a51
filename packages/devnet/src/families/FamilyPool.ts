import type { Address, Hex } from "viem";

/** As files of recorded markets name the kinds of pools. */
type Family = "uniswap-v4" | "pancake-v3" | "algebra-integral" | "slipstream" | SolidlyFamily;
type SolidlyFamily = "aerodrome-stable" | "aerodrome-volatile";

/** A pool of one of the further families. */
export interface FamilyPool {
  readonly family: Family;
  /** Of the pool, or of the manager that holds it. */
  readonly address: Address;
  /** The address, or 32 bytes where a manager holds many pools. */
  readonly id: Hex;
  readonly token0: Address;
  readonly token1: Address;
  /** Where the pool is named by it. */
  readonly fee?: number;
  readonly tickSpacing?: number;
  readonly hooks?: Address;
}

/** A pool along ticks, in the words of recorded markets. */
export interface TicksState {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly tickSpacing: number;
  /** Every initialised tick with its liquidityNet, ascending. */
  readonly ticks: ReadonlyArray<readonly [tick: number, liquidityNet: bigint]>;
  /** In pips, as the next block's first swap is charged; `protocolFee` comes on top. */
  readonly fee: number;
  /** Uniswap V4: in pips, 12 low bits zero for one, 12 high bits the other way. */
  readonly protocolFee?: number;
}

/** A pool of reserves, in the words of recorded markets. */
export interface SolidlyState {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  readonly decimals0: number;
  readonly decimals1: number;
  /** In 1/10,000. */
  readonly fee: number;
  /** Nobody can swap: so are all pools of the factory. */
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

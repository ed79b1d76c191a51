import type { Address } from "./address.ts";
import type { BlockStamp, Dex, PoolListing, PoolState } from "./PoolGraph.ts";

/** The changes of one block; all become visible in one synchronous step. */
export interface MarketBlock {
  readonly stamp: BlockStamp;
  /**
   * Hashes of the blocks that a reorganisation reverted, newest first. The rest of this block
   * undoes their changes, but readers must undo what they derived from the swaps.
   */
  readonly orphaned?: ReadonlyArray<`0x${string}`>;
  /** DEXes that this block's pools are the first to use. */
  readonly dexes: ReadonlyArray<Dex>;
  /**
   * Tokens that this block's pools are the first to use; a later listing replaces an earlier one.
   */
  readonly tokens: ReadonlyArray<TokenListing>;
  readonly pools: ReadonlyArray<PoolListing>;
  /** Pools that leave the market. */
  readonly removedPools: ReadonlyArray<Address>;
  readonly states: ReadonlyArray<PoolStateChange>;
  /** In chain order. */
  readonly swaps: ReadonlyArray<SwapEvent>;
  readonly supplies: ReadonlyArray<TokenSupply>;
  /**
   * All tokens excluded from transit from now on, in place of the set before; only from a source
   * that knows the findings of others (see `Engine.excludeFromTransit`).
   */
  readonly excludedFromTransit?: ReadonlySet<Address>;
  /**
   * Swaps of earlier blocks that were not sent when they happened, the newest block first. All
   * swaps of a block are sent at once, here or in `swaps`; if its hash was sent before, it adds
   * nothing.
   */
  readonly history?: ReadonlyArray<PastBlock>;
}

/** A past block with all its swaps. */
export interface PastBlock {
  readonly stamp: BlockStamp;
  readonly swaps: ReadonlyArray<SwapEvent>;
}

/** The whole new state of a pool that a block changed. */
export interface PoolStateChange {
  readonly pool: Address;
  readonly state: PoolState;
}

/** A token's metadata; only the address identifies it. */
export interface TokenListing {
  readonly address: Address;
  readonly decimals: number;
  readonly symbol: string;
  readonly name: string;
}

/**
 * A swap that the chain executed, in any pool of the DEXes, whether in the market or not. Amounts
 * are in smallest units.
 */
export interface SwapEvent {
  readonly pool: Address;
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /**
   * The pool's mid price right after the swap: of one `tokenIn` in `tokenOut`, both in smallest
   * units; 0 when unknown. The amounts give no price: with a few units, rounding distorts it.
   */
  readonly priceAfter: number;
  /**
   * The recipient of the pool's payment according to the log, or the sender of the swap; lower
   * case, absent where the log names neither. It may be a contract in between, such as a router.
   */
  readonly maker?: Address;
}

export interface TokenSupply {
  readonly token: Address;
  /** In smallest units; undefined when it is not, or no longer, known. */
  readonly totalSupply: bigint | undefined;
}

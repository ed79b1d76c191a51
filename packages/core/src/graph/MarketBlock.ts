import type { Address } from "./address.ts";
import type { BlockStamp, Dex, PoolListing, PoolState } from "./PoolGraph.ts";

/** One block's changes; all of them become visible in one synchronous step. */
export interface MarketBlock {
  readonly stamp: BlockStamp;
  /**
   * Hashes of the blocks that a reorganisation took back, newest first. What they changed is undone
   * by the rest of this block; only what was made of their swaps is the reader's to undo.
   */
  readonly orphaned?: ReadonlyArray<`0x${string}`>;
  /** Venues that this block's pools are the first to use. */
  readonly dexes: ReadonlyArray<Dex>;
  /** Tokens that this block's pools are the first to use; a later listing replaces a former one. */
  readonly tokens: ReadonlyArray<TokenListing>;
  readonly pools: ReadonlyArray<PoolListing>;
  /** Pools that leave the market. */
  readonly removedPools: ReadonlyArray<Address>;
  readonly states: ReadonlyArray<PoolStateChange>;
  /** In the order of the chain. */
  readonly swaps: ReadonlyArray<SwapEvent>;
  readonly supplies: ReadonlyArray<TokenSupply>;
  /**
   * All tokens that from now on stand in the middle of no route, in place of those before; only of
   * a source that knows what others found out (see `Engine.excludeFromTransit`).
   */
  readonly excludedFromTransit?: ReadonlySet<Address>;
  /**
   * Swaps of earlier blocks that were not told when they happened, the newest block first. Of each
   * block of the chain all swaps are told at once, here or in `swaps`; a hash that was told before
   * tells nothing new.
   */
  readonly history?: ReadonlyArray<PastBlock>;
}

/** A block of the past, and all that was swapped in it. */
export interface PastBlock {
  readonly stamp: BlockStamp;
  readonly swaps: ReadonlyArray<SwapEvent>;
}

/** The whole new state of a pool that a block changed. */
export interface PoolStateChange {
  readonly pool: Address;
  readonly state: PoolState;
}

/** What is known of a token; only the address is its identity. */
export interface TokenListing {
  readonly address: Address;
  readonly decimals: number;
  readonly symbol: string;
  readonly name: string;
}

/**
 * A swap that the chain executed. Amounts are in smallest units. Told of every pool of the venues,
 * whether it is in the market or not.
 */
export interface SwapEvent {
  readonly pool: Address;
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The pool's mid price right after it: of one `tokenIn` in `tokenOut`, both in smallest units;
   * 0 when unknown. What was paid is no price: of a few units, rounding makes it any number. */
  readonly priceAfter: number;
  /**
   * Whom the log says that the pool paid, or who asked for the swap; lower case, absent where it
   * does not say. It may be a contract that the swap went through, as a router.
   */
  readonly maker?: Address;
}

export interface TokenSupply {
  readonly token: Address;
  /** In smallest units; undefined when it is not known, or not any more. */
  readonly totalSupply: bigint | undefined;
}

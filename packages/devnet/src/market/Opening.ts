import type { Address } from "viem";
import type { MarketPool } from "./Market.ts";

/** How a pool begins. */
export interface Opening {
  readonly pool: MarketPool;
  /** Of the first liquidity. */
  readonly owner: Address;
  /** Units of token1 for one of token0. */
  readonly ratio: number;
  /** Where the liquidity of a pool along ticks lies, the whole range first; of pairs none. */
  readonly ranges: ReadonlyArray<{
    readonly tickLower: number;
    readonly tickUpper: number;
    /** Of the pool's depth. */
    readonly share: number;
  }>;
}

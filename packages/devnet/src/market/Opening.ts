import type { Address } from "viem";
import type { MarketPool } from "./Market.ts";

/** The initial state of a pool. */
export interface Opening {
  readonly pool: MarketPool;
  /** Owner of the first liquidity. */
  readonly owner: Address;
  /** Units of token1 for one of token0. */
  readonly ratio: number;
  /** The ranges of a concentrated pool's liquidity, the whole range first; none for pairs. */
  readonly ranges: ReadonlyArray<{
    readonly tickLower: number;
    readonly tickUpper: number;
    /** Share of the pool's depth. */
    readonly share: number;
  }>;
}

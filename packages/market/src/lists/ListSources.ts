import type { PoolGraph } from "@millrace/core";
import type { PoolSumField, ReadSums, TokenSumField } from "../activity/sumFields.ts";
import type { Supplies } from "../metadata/Supplies.ts";
import type { PoolMeasures } from "../prices/PoolMeasures.ts";

/** The data, besides the valuation, by which lists are sorted and filtered. */
export interface ListSources extends ListContext {
  readonly graph: PoolGraph;
  readonly measures: PoolMeasures;
  readonly tokenUpdatedMs: () => Float64Array;
  // Index: pool.
  readonly poolUpdatedMs: () => Float64Array;
}

/** The part of it that prices do not know. Tokens and pools are indexes of the graph. */
export interface ListContext {
  /**
   * What each token or pool traded in the newest window, by its index: dollars, or a count; finite,
   * ≥ 0, and 0 for what never traded. Must be read before anything else trades.
   */
  readonly tokenSums: (field: TokenSumField) => ReadSums;
  readonly poolSums: (field: PoolSumField) => ReadSums;
  /** US dollars of each token at the start of the windows that end at a time: see `Activity`. */
  readonly earlierCloses: (timestampMs: number) => ReadSums;
  /** Grows whenever these may have changed. */
  readonly sumsVersion: () => number;
  /** True when a token list has the token, with the decimals of the chain. */
  readonly isListed: (token: number) => boolean;
  readonly supplies: Supplies;
}

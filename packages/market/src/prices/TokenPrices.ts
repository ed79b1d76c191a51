/** Prices of tokens and where they come from. Index: token. */
export interface TokenPrices {
  /** US dollars of one smallest unit, and of one whole token; 0 when unpriced. */
  readonly unitPriceUsd: Float64Array;
  readonly priceUsd: Float64Array;
  /**
   * How wide the widest path from an anchor is: dollars that its thinnest pool takes to move, less
   * a tenth for each pool after that; Infinity for an anchor.
   */
  readonly widthUsd: Float64Array;
  /** The neighbour before it on that path, or UNSETTLED for anchors and unpriced tokens. */
  readonly widestFrom: Int32Array;
  /** See `PriceView`. */
  readonly depthUsd: Float64Array;
  readonly confidence: Float64Array;
  /** The neighbour and the pool that the price was taken from, or UNSETTLED. */
  readonly priceFrom: Int32Array;
  readonly pricePool: Int32Array;
  /** Place in the order of settling, or UNSETTLED: the lower, the better it is backed. */
  readonly settledAt: Int32Array;
}

export const UNSETTLED = -1;

/** Index: decimals. */
export const POWERS_OF_TEN = Float64Array.from({ length: 256 }, (_, decimals) => 10 ** decimals);

/** Prices of tokens, and their sources. Index: token. */
export interface TokenPrices {
  /** US dollars of one smallest unit, and of one whole token; 0 when unpriced. */
  readonly unitPriceUsd: Float64Array;
  readonly priceUsd: Float64Array;
  /**
   * Width of the widest path from an anchor: the dollars that move its thinnest pool, less a tenth
   * for each later pool; Infinity for an anchor.
   */
  readonly widthUsd: Float64Array;
  /** The previous token on that path, or UNSETTLED for anchors and unpriced tokens. */
  readonly widestFrom: Int32Array;
  /** See `PriceView`. */
  readonly depthUsd: Float64Array;
  readonly confidence: Float64Array;
  /** The neighbour and the pool that give the price, or UNSETTLED. */
  readonly priceFrom: Int32Array;
  readonly pricePool: Int32Array;
  /** Place in the order of settling, or UNSETTLED: the lower, the better backed. */
  readonly settledAt: Int32Array;
}

export const UNSETTLED = -1;

/** Index: decimals. */
export const POWERS_OF_TEN = Float64Array.from({ length: 256 }, (_, decimals) => 10 ** decimals);

/**
 * A candle in the making. For a pair, the price of token0 in token1, both in smallest units; for a
 * token, US dollars. Prices are 0 while none is known. Parts can be merged in any order: their
 * block numbers tell which of them opens it, and which closes it.
 */
export interface CandleDraft {
  open: number;
  openBlock: number;
  high: number;
  low: number;
  close: number;
  closeBlock: number;
  /** Ten-thousandths of a US dollar, capped at the largest safe integer. */
  volume: number;
}

/** The contribution of a swap, or of a block. */
export function candlePart(price: number, block: number, volume: number): CandleDraft {
  return {
    open: price,
    openBlock: block,
    high: price,
    low: price,
    close: price,
    closeBlock: block,
    volume,
  };
}

/**
 * Merges a part into a draft. A part of the same block counts as later than what the draft has of
 * it.
 */
export function mergeCandle(draft: CandleDraft, part: CandleDraft): void {
  draft.volume = Math.min(Number.MAX_SAFE_INTEGER, draft.volume + part.volume);
  if (part.open === 0) return;
  const isFirst = draft.open === 0;
  if (isFirst || part.openBlock < draft.openBlock) {
    draft.open = part.open;
    draft.openBlock = part.openBlock;
  }
  if (isFirst || part.closeBlock >= draft.closeBlock) {
    draft.close = part.close;
    draft.closeBlock = part.closeBlock;
  }
  draft.high = isFirst ? part.high : Math.max(draft.high, part.high);
  draft.low = isFirst ? part.low : Math.min(draft.low, part.low);
}

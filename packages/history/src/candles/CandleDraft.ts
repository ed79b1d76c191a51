/**
 * What is known of a candle: of a pair the price of one token0 in token1, both in smallest units;
 * of a token US dollars. Prices are 0 while none is known. Parts can be merged in any order: the
 * numbers of their blocks say which of them opens it, and which closes it.
 */
export interface CandleDraft {
  open: number;
  openBlock: number;
  high: number;
  low: number;
  close: number;
  closeBlock: number;
  /** Ten-thousandths of a US dollar; what is more than can be told exactly is left out. */
  volume: number;
}

/** What a swap, or a block, adds. */
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

/** Adds a part to a draft. A part of the same block comes after what the draft has of it. */
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

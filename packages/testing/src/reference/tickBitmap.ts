const WORD_BITS = 256;

export interface NextTick {
  readonly tick: number;
  readonly initialized: boolean;
}

/**
 * TickBitmap.nextInitializedTickWithinOneWord: the next initialised tick at or below (`lte`) or
 * above `tick`, or the end of the 256-bit bitmap word.
 */
export function nextInitializedTickWithinOneWord(
  isInitialized: (tick: number) => boolean,
  tick: number,
  tickSpacing: number,
  lte: boolean,
): NextTick {
  const compressed = Math.floor(tick / tickSpacing) + (lte ? 0 : 1);
  const wordStart = Math.floor(compressed / WORD_BITS) * WORD_BITS;
  const wordEnd = lte ? wordStart : wordStart + WORD_BITS - 1;
  const direction = lte ? -1 : 1;
  for (let bit = compressed; ; bit += direction) {
    if (isInitialized(bit * tickSpacing)) return { tick: bit * tickSpacing, initialized: true };
    if (bit === wordEnd) return { tick: bit * tickSpacing, initialized: false };
  }
}

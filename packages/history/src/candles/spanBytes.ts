import { PackedReader } from "../blocks/PackedReader.ts";
import { ownBytes, PackedWriter } from "../blocks/PackedWriter.ts";
import type { CandleDraft } from "./CandleDraft.ts";

/** The candles of a span of time, by their slots in it. */
export type Span = Map<number, CandleDraft>;

/**
 * Two bits of a candle's first byte tell which prices follow; the others are its slot, below 64.
 */
const SLOTS = 64;
/** From slot `whole` on, a second byte divides each slot into this many. */
const PARTS = 60;
const NO_PRICE = 0;
/** Open and close, which are also high and low. */
const TWO_PRICES = 1;
const FOUR_PRICES = 2;
/** All four prices are equal and of one block: most candles are like this. */
const ONE_PRICE = 3;

/**
 * Equal prices are written once. Of other prices only the bytes that differ are written: of an
 * opening price, from the last close; of the others, from the opening price. Block numbers are
 * differences.
 */
export function encodeSpan(span: Span, whole = SLOTS): Uint8Array {
  const writer = new PackedWriter();
  let block = 0;
  let last = 0;
  for (const [slot, draft] of [...span].sort(([a], [b]) => a - b)) {
    const kind = kindOf(draft);
    const part = slot - whole;
    writer.byte(kind * SLOTS + (part < 0 ? slot : whole + Math.floor(part / PARTS)));
    if (part >= 0) writer.byte(part % PARTS);
    writer.count(draft.volume);
    if (kind === NO_PRICE) continue;
    // A later slot opens with an earlier block only where a chain's time goes backwards.
    const isBack = draft.openBlock < block;
    writer.count(2 * Math.abs(draft.openBlock - block) + (isBack ? 1 : 0));
    block = draft.openBlock;
    const { open, close, high, low } = draft;
    const openBytes = ownBytes(open, last);
    if (kind === ONE_PRICE) {
      writer.byte(openBytes);
      writer.floatEnd(open, openBytes);
      last = open;
      continue;
    }
    writer.count(draft.closeBlock - draft.openBlock);
    const closeBytes = ownBytes(close, open);
    writer.byte(16 * openBytes + closeBytes);
    writer.floatEnd(open, openBytes);
    writer.floatEnd(close, closeBytes);
    last = close;
    if (kind !== FOUR_PRICES) continue;
    const highBytes = ownBytes(high, open);
    const lowBytes = ownBytes(low, open);
    writer.byte(16 * highBytes + lowBytes);
    writer.floatEnd(high, highBytes);
    writer.floatEnd(low, lowBytes);
  }
  return writer.take();
}

/** Of a candle: slot, open, its block, high, low, close, its block, volume. */
export const CANDLE_NUMBERS = 8;
/** Room for the largest number of candles that a span has. */
export const SPAN_NUMBERS = SLOTS * CANDLE_NUMBERS;

/** The candle whose numbers begin at `at`. */
export const draftAt = (numbers: Float64Array, at: number): CandleDraft => ({
  open: numbers[at + 1]!,
  openBlock: numbers[at + 2]!,
  high: numbers[at + 3]!,
  low: numbers[at + 4]!,
  close: numbers[at + 5]!,
  closeBlock: numbers[at + 6]!,
  volume: numbers[at + 7]!,
});

export function numbersInto(
  numbers: Float64Array,
  at: number,
  slot: number,
  { open, openBlock, high, low, close, closeBlock, volume }: CandleDraft,
): void {
  numbers[at] = slot;
  numbers[at + 1] = open;
  numbers[at + 2] = openBlock;
  numbers[at + 3] = high;
  numbers[at + 4] = low;
  numbers[at + 5] = close;
  numbers[at + 6] = closeBlock;
  numbers[at + 7] = volume;
}

/**
 * Reads the bytes of `encodeSpan` into `SPAN_NUMBERS` numbers. Gives the number of candles, which
 * ascend. Throws RangeError for bytes that end too early, or have too many candles.
 */
export function readSpan(bytes: Uint8Array, numbers: Float64Array, whole = SLOTS): number {
  const reader = new PackedReader(bytes);
  let block = 0;
  let last = 0;
  let at = 0;
  for (; !reader.isAtEnd; at += CANDLE_NUMBERS) {
    if (at === SPAN_NUMBERS) throw new RangeError("too many candles");
    const first = reader.byte();
    const kind = first >> 6;
    const part = (first % SLOTS) - whole;
    numbers.fill(0, at, at + CANDLE_NUMBERS);
    numbers[at] = part < 0 ? first % SLOTS : whole + PARTS * part + reader.byte();
    numbers[at + 7] = reader.count();
    if (kind === NO_PRICE) continue;
    const difference = reader.count();
    block += difference % 2 === 1 ? -(difference - 1) / 2 : difference / 2;
    let closeBlock = block;
    let open: number;
    let close: number;
    let high: number;
    let low: number;
    if (kind === ONE_PRICE) {
      open = reader.floatEnd(reader.byte(), last);
      close = high = low = open;
    } else {
      closeBlock += reader.count();
      const lengths = reader.byte();
      open = reader.floatEnd(lengths >> 4, last);
      close = reader.floatEnd(lengths & 15, open);
      high = Math.max(open, close);
      low = Math.min(open, close);
    }
    last = close;
    if (kind === FOUR_PRICES) {
      const others = reader.byte();
      high = reader.floatEnd(others >> 4, open);
      low = reader.floatEnd(others & 15, open);
    }
    numbers[at + 1] = open;
    numbers[at + 2] = block;
    numbers[at + 3] = high;
    numbers[at + 4] = low;
    numbers[at + 5] = close;
    numbers[at + 6] = closeBlock;
  }
  return at / CANDLE_NUMBERS;
}

const SCRATCH = new Float64Array(SPAN_NUMBERS);

/** Decodes the bytes of `encodeSpan`. Throws as `readSpan` does. */
export function decodeSpan(bytes: Uint8Array, whole = SLOTS): Span {
  const count = readSpan(bytes, SCRATCH, whole);
  const span: Span = new Map();
  for (let at = 0; at < count * CANDLE_NUMBERS; at += CANDLE_NUMBERS) {
    span.set(SCRATCH[at]!, draftAt(SCRATCH, at));
  }
  return span;
}

function kindOf({ open, openBlock, high, low, close, closeBlock }: CandleDraft): number {
  if (open === 0) return NO_PRICE;
  const isOne = openBlock === closeBlock && close === open && high === open && low === open;
  if (isOne) return ONE_PRICE;
  const isTwo = high === Math.max(open, close) && low === Math.min(open, close);
  return isTwo ? TWO_PRICES : FOUR_PRICES;
}

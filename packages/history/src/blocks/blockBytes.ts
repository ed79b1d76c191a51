import type { HistoryBlock } from "../HistoryBlock.ts";
import { PackedReader } from "./PackedReader.ts";
import { ownBytes, PackedWriter } from "./PackedWriter.ts";

/** Gives numbers, from 1, to addresses and to pairs of pools. */
export interface Numbering {
  readonly addressNumber: (address: string) => number;
  /** `token0` is the token with the lower address. */
  readonly pairNumber: (pool: string, token0: string, token1: string) => number;
}

const HASH_BYTES = 32;
const IS_HASH = /^0x[0-9a-f]{64}$/i;
/** Bits of a swap's first byte; "same" refers to the swap before. */
const SAME_TRANSACTION = 1;
const HAS_MAKER = 2;
const TOKEN0_IN = 4;
const SAME_MAKER = 8;
/** … and the number of price bytes that differ from the pair's last price in the block. */
const PRICE_BYTES = 16;
/**
 * A block begins with these bytes where the tokens of its prices ascend and each is written as a
 * difference. As a count they mean a 0 that no writer writes so. Blocks of files of version 1 begin
 * with the count of prices.
 */
const ASCENDING = [0x80, 0x00] as const;

/**
 * A block's swaps and prices as bytes: some 57 a swap, mostly its transaction's hash and its
 * amounts. Throws RangeError for what cannot be a swap of a chain.
 */
export function encodeBlock({ swaps, prices }: HistoryBlock, numbering: Numbering): Uint8Array {
  const writer = new PackedWriter();
  for (const byte of ASCENDING) writer.byte(byte);
  writer.count(prices.size);
  const numbered = [...prices].map(
    ([token, price]) => [numbering.addressNumber(token), price] as const,
  );
  let lastToken = 0;
  for (const [token, price] of numbered.sort(([a], [b]) => a - b)) {
    writer.count(token - lastToken);
    writer.float(price);
    lastToken = token;
  }
  writer.count(swaps.length);
  const last = new Map<number, number>();
  let transactionHash = "";
  let maker = 0;
  let logIndex = 0;
  for (const swap of swaps) {
    const isSame = swap.transactionHash === transactionHash;
    const isToken0In = swap.tokenIn < swap.tokenOut;
    const [token0, token1] = isToken0In
      ? [swap.tokenIn, swap.tokenOut]
      : [swap.tokenOut, swap.tokenIn];
    if (swap.logIndex < logIndex) throw new RangeError("log indexes that do not ascend");
    if (!Number.isFinite(swap.priceAfter)) throw new RangeError("a price that is no number");
    const madeBy = swap.maker === undefined ? 0 : numbering.addressNumber(swap.maker);
    const pair = numbering.pairNumber(swap.pool, token0, token1);
    const priceBytes = ownBytes(swap.priceAfter, last.get(pair) ?? 0);
    writer.byte(
      (isSame ? SAME_TRANSACTION : 0) |
        (madeBy === 0 ? 0 : HAS_MAKER) |
        (isToken0In ? TOKEN0_IN : 0) |
        (madeBy === maker ? SAME_MAKER : 0) |
        (priceBytes * PRICE_BYTES),
    );
    writer.count(swap.logIndex - logIndex);
    writer.count(pair);
    writer.count(swap.value);
    writer.floatEnd(swap.priceAfter, priceBytes);
    if (madeBy !== 0 && madeBy !== maker) writer.count(madeBy);
    writer.amounts(swap.amountIn, swap.amountOut);
    if (!isSame) {
      if (!IS_HASH.test(swap.transactionHash)) throw new RangeError("no hash of a transaction");
      writer.hex(swap.transactionHash, 2, HASH_BYTES);
    }
    last.set(pair, swap.priceAfter);
    transactionHash = swap.transactionHash;
    maker = madeBy;
    logIndex = swap.logIndex;
  }
  return writer.take();
}

/** Walks over the swaps in `encodeBlock`'s bytes; costly fields are read only on demand. */
export class PackedSwaps {
  /** Key: the number of a token. Value: US dollars of a whole token at the end of the block. */
  readonly prices = new Map<number, number>();
  /** Fields of the current swap. */
  pair = 0;
  logIndex = 0;
  value = 0;
  priceAfter = 0;
  /** 0 where the log names no maker. */
  maker = 0;
  isToken0In = false;
  readonly #reader: PackedReader;
  readonly #isOfPair: (pair: number) => boolean;
  /** By pair, as of the current swap. */
  readonly #lastPrices = new Map<number, number>();
  #left: number;
  #amountsAt = 0;
  #hashAt = 0;

  /** Swaps of other pairs are skipped. */
  constructor(bytes: Uint8Array, isOfPair: (pair: number) => boolean = () => true) {
    const reader = new PackedReader(bytes);
    this.#isOfPair = isOfPair;
    this.#reader = reader;
    const isAscending = bytes[0] === ASCENDING[0] && bytes[1] === ASCENDING[1];
    if (isAscending) reader.at = ASCENDING.length;
    let token = 0;
    for (let left = reader.count(); left > 0; left--) {
      token = reader.count() + (isAscending ? token : 0);
      this.prices.set(token, reader.float());
    }
    this.#left = reader.count();
  }

  /** Moves to the next swap; false after the last one. */
  next(): boolean {
    const reader = this.#reader;
    while (this.#left-- > 0) {
      const bits = reader.byte();
      this.isToken0In = (bits & TOKEN0_IN) !== 0;
      this.logIndex += reader.count();
      this.pair = reader.count();
      this.value = reader.count();
      const isWanted = this.#isOfPair(this.pair);
      const priceBytes = Math.floor(bits / PRICE_BYTES);
      if (isWanted) {
        const last = this.#lastPrices.get(this.pair) ?? 0;
        this.priceAfter = reader.floatEnd(priceBytes, last);
        this.#lastPrices.set(this.pair, this.priceAfter);
      } else reader.at += priceBytes;
      if ((bits & SAME_MAKER) === 0) this.maker = (bits & HAS_MAKER) === 0 ? 0 : reader.count();
      this.#amountsAt = reader.at;
      reader.skipAmounts();
      if ((bits & SAME_TRANSACTION) === 0) {
        this.#hashAt = reader.at;
        reader.at += HASH_BYTES;
      }
      if (isWanted) return true;
    }
    return false;
  }

  amounts(): { readonly amountIn: bigint; readonly amountOut: bigint } {
    return this.#readingAt(this.#amountsAt, (reader) => {
      const [amountIn, amountOut] = reader.amounts();
      return { amountIn, amountOut };
    });
  }

  transactionHash(): `0x${string}` {
    return this.#readingAt(this.#hashAt, (reader) => reader.hex(HASH_BYTES));
  }

  #readingAt<A>(at: number, read: (reader: PackedReader) => A): A {
    const { at: next } = this.#reader;
    this.#reader.at = at;
    const value = read(this.#reader);
    this.#reader.at = next;
    return value;
  }
}

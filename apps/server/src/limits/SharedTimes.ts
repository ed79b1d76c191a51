import { randomBytes } from "node:crypto";
import type { BucketTimes } from "./BucketTimes.ts";

/** Adjacent places that a name may take. */
const PLACES = 16;
/** 64-bit words of a place: the name's hash, and when its bucket will be full. */
const WORDS = 2;
/** 64-bit words before the first place: the secret of the hash. */
const HEADER = 1;

const EMPTY = 0n;

const scratch = new DataView(new ArrayBuffer(8));

/**
 * The times of buckets that threads share, in memory of fixed size. A name is stored as its hash,
 * whose secret nobody can guess. Where all places of a name are taken, the bucket that will be full
 * the soonest makes room, too early: the price of bounded memory.
 *
 * Nothing is locked, since a thread may end at any time. When a name loses its place just as
 * another thread takes from its bucket, the name that follows may pay instead: a few tokens of one
 * client, for one moment.
 */
export class SharedTimes implements BucketTimes {
  readonly #words: BigInt64Array;
  readonly #seeds: Int32Array;
  /** The place of the name that `get` looked up last. */
  #place = 0;

  constructor(buffer: SharedArrayBuffer) {
    this.#words = new BigInt64Array(buffer);
    this.#seeds = new Int32Array(buffer, 0, 2);
  }

  /** Memory for so many names, or a few more. */
  static allocate(namesMax: number): SharedArrayBuffer {
    const places = 2 ** Math.ceil(Math.log2(Math.max(PLACES, namesMax)));
    const buffer = new SharedArrayBuffer(8 * (HEADER + places * WORDS));
    new Uint8Array(buffer).set(randomBytes(8));
    return buffer;
  }

  get size(): number {
    let size = 0;
    for (let at = HEADER; at < this.#words.length; at += WORDS)
      if (this.#words[at] !== EMPTY) size++;
    return size;
  }

  get(name: string, nowMs: number): number | undefined {
    const words = this.#words;
    const key = this.#hash(name);
    const mask = (words.length - HEADER) / WORDS - 1;
    const first = Number(key & 0xffffffffn) & mask;
    let soonest = 0;
    let soonestMs = Number.POSITIVE_INFINITY;
    for (let step = 0; step < PLACES; step++) {
      const place = HEADER + ((first + step) & mask) * WORDS;
      const found = Atomics.load(words, place);
      if (found === key) {
        this.#place = place;
        return toNumber(Atomics.load(words, place + 1));
      }
      const fullMs = found === EMPTY ? Number.NEGATIVE_INFINITY : toNumber(words[place + 1]!);
      if (fullMs >= soonestMs) continue;
      soonest = place;
      soonestMs = fullMs;
    }
    const before = Atomics.load(words, soonest);
    const fullBefore = Atomics.load(words, soonest + 1);
    const isMine = Atomics.compareExchange(words, soonest, before, key) === before;
    if (!isMine) return this.get(name, nowMs);
    // A new name has a full bucket, unless another thread takes from it already.
    Atomics.compareExchange(words, soonest + 1, fullBefore, toBits(nowMs));
    this.#place = soonest;
    return toNumber(Atomics.load(words, soonest + 1));
  }

  replace(_name: string, before: number | undefined, fullMs: number): boolean {
    const expected = toBits(before ?? 0);
    const at = this.#place + 1;
    return Atomics.compareExchange(this.#words, at, expected, toBits(fullMs)) === expected;
  }

  /** A hash of 64 bits, never EMPTY. */
  #hash(name: string): bigint {
    let [low, high] = [this.#seeds[0]!, this.#seeds[1]!];
    for (let index = 0; index < name.length; index++) {
      const code = name.charCodeAt(index);
      low = Math.imul(low ^ code, 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(high ^ code ^ low, 0x85ebca6b);
      high ^= high >>> 13;
    }
    scratch.setInt32(0, high);
    scratch.setInt32(4, mixed(low));
    const key = scratch.getBigInt64(0);
    return key === EMPTY ? 1n : key;
  }
}

/**
 * The last step of MurmurHash3: every bit depends on all others. Short names that differ in their
 * last characters would share places.
 */
function mixed(bits: number): number {
  const once = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

function toBits(value: number): bigint {
  scratch.setFloat64(0, value);
  return scratch.getBigInt64(0);
}

function toNumber(bits: bigint): number {
  scratch.setBigInt64(0, bits);
  return scratch.getFloat64(0);
}

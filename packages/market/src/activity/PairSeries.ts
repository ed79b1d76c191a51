import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import { enlarged } from "../enlarged.ts";

const NONE = -1;

/**
 * Pairs of tokens that ever traded in a pool, numbered from 0 in order of appearance: each is one
 * series of prices. A pool of two tokens mostly has one. Pools and tokens have numbers of
 * `Subjects`; token0 has the lower address.
 */
export class PairSeries {
  count = 0;
  // Index: series.
  #pools = new Uint32Array(0);
  #tokens0 = new Uint32Array(0);
  #tokens1 = new Uint32Array(0);
  #next = new Int32Array(0); // index: series; another series of its pool
  #first = new Int32Array(0); // index: pool; one more than its newest series, 0 for none

  get byteLength(): number {
    return 4 * (4 * this.#pools.length + this.#first.length);
  }

  /** The number of a pair, a new one when it has none. */
  numberOf(pool: number, token0: number, token1: number): number {
    const known = this.find(pool, token0, token1);
    if (known >= 0) return known;
    const series = this.count++;
    this.#pools = enlarged(this.#pools, this.count);
    this.#tokens0 = enlarged(this.#tokens0, this.count);
    this.#tokens1 = enlarged(this.#tokens1, this.count);
    this.#next = enlarged(this.#next, this.count);
    this.#first = enlarged(this.#first, pool + 1);
    this.#pools[series] = pool;
    this.#tokens0[series] = token0;
    this.#tokens1[series] = token1;
    this.#next[series] = this.#first[pool]! - 1;
    this.#first[pool] = series + 1;
    return series;
  }

  /** The number of a pair, or -1 when it never traded. */
  find(pool: number, token0: number, token1: number): number {
    let series = (this.#first[pool] ?? 0) - 1;
    while (series !== NONE) {
      if (this.#tokens0[series] === token0 && this.#tokens1[series] === token1) return series;
      series = this.#next[series]!;
    }
    return NONE;
  }

  write(writer: ByteWriter): void {
    for (const numbers of [this.#pools, this.#tokens0, this.#tokens1]) {
      writer.array(numbers.subarray(0, this.count));
    }
  }

  /** Into an empty one; `pools` and `tokens`: how many there are of each. */
  read(reader: ByteReader, pools: number, tokens: number): void {
    const [ofPools, tokens0, tokens1] = [0, 1, 2].map(() => reader.array(Uint32Array)) as [
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ];
    const isWhole = ofPools.length === tokens0.length && ofPools.length === tokens1.length;
    reader.check(isWhole, "whole pairs");
    for (let series = 0; series < ofPools.length; series++) {
      const [pool, token0, token1] = [ofPools[series]!, tokens0[series]!, tokens1[series]!];
      const isKnown = pool < pools && token0 < tokens && token1 < tokens && token0 !== token1;
      reader.check(isKnown, "pairs of tokens that are known");
      reader.check(this.numberOf(pool, token0, token1) === series, "each pair once");
    }
  }
}

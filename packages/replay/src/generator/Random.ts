/**
 * A seeded random number generator: xoshiro128** (Blackman and Vigna), its state filled by
 * splitmix32. It uses only 32-bit integers, so a seed gives the same numbers on every machine.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** `seed` is an integer; its low 32 bits count. */
  constructor(seed: number) {
    let state = seed | 0;
    const splitmix = () => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    this.#a = splitmix();
    this.#b = splitmix();
    this.#c = splitmix();
    this.#d = splitmix();
  }

  /** 32 random bits as an unsigned integer. */
  uint32(): number {
    const result = Math.imul(rotate(Math.imul(this.#b, 5), 7), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotate(this.#d, 11);
    return result >>> 0;
  }

  /** A float from 0 up to but not including 1, all of its 53 bits random. */
  unit(): number {
    const high = this.uint32() >>> 5;
    const low = this.uint32() >>> 6;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  }

  /** A float from `low` up to `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.unit();
  }

  /** An integer from 0 to `count` − 1. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** An item of a list, which must not be empty. */
  pick<A>(list: ReadonlyArray<A>): A {
    return list[this.below(list.length)]!;
  }

  /**
   * From 1 up, with a heavy tail: the share above x falls as x^(-8/9). It uses only square roots,
   * which every machine rounds alike, unlike powers and logarithms.
   */
  heavyTailed(): number {
    const share = 1 - this.unit(); // above 0
    return 1 / (share * Math.sqrt(Math.sqrt(Math.sqrt(share))));
  }

  /** `0x` and eight random hexadecimal digits for each word. */
  hex(wordCount: number): `0x${string}` {
    let digits = "";
    for (let word = 0; word < wordCount; word++) {
      digits += this.uint32().toString(16).padStart(8, "0");
    }
    return `0x${digits}`;
  }
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

import type { Hex } from "@millrace/protocols";

/** Seeded randomness (sfc32): the same seed throws the same numbers on every machine. */
export class Dice {
  #a = 0x9e3779b9;
  #b = 0x243f6a88;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#c = seed | 0;
    for (let round = 0; round < 15; round++) this.#next32();
  }

  /** From 0 up to, and without, 1. */
  next(): number {
    return this.#next32() / 2 ** 32;
  }

  /** From 0 up to, and without, `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** From `low` up to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  pick<A>(choices: ReadonlyArray<A>): A {
    const index = this.below(choices.length);
    return choices[index] as A;
  }

  shuffled<A>(items: ReadonlyArray<A>): A[] {
    const result = [...items];
    for (let at = result.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [result[at], result[other]] = [result[other] as A, result[at] as A];
    }
    return result;
  }

  /** `bytes` random bytes; a multiple of four of them. */
  hex(bytes: number): Hex {
    let text = "0x";
    for (let at = 0; at < bytes; at += 4) text += this.#next32().toString(16).padStart(8, "0");
    return text as Hex;
  }

  /** A positive integer of 1 … `bits` bits, small ones as likely as large ones. */
  amount(bits: number): bigint {
    const length = this.between(1, bits);
    return (BigInt(this.hex(32)) >> BigInt(256 - length)) | 1n;
  }

  #next32(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}

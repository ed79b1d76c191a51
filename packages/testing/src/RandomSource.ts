/** Seeded random numbers (sfc32): the same seed gives the same numbers on every machine. */
export class RandomSource {
  #a = 0x9e3779b9;
  #b = 0x243f6a88;
  #c: number;
  #counter = 1;

  /** Only the lowest 32 bits of `seed` count. */
  constructor(seed: number) {
    this.#c = seed | 0;
    for (let round = 0; round < 15; round++) this.#next32();
  }

  /** In [0, 1). A property, so that it can be passed alone. */
  readonly next = (): number => this.#next32() / 2 ** 32;

  /** 0 … below − 1. */
  integer(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** 0 … below − 1, for up to 256 bits. */
  bigint(below: bigint): bigint {
    let value = 0n;
    for (let bits = 0; bits < 288; bits += 32) value = (value << 32n) | BigInt(this.#next32());
    return value % below;
  }

  /** low … high, both inclusive. */
  between(low: number, high: number): number {
    return low + this.integer(high - low + 1);
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  /** One of `choices`, which must not be empty. */
  pick<A>(choices: ReadonlyArray<A>): A {
    return choices[this.integer(choices.length)] as A;
  }

  shuffled<A>(items: ReadonlyArray<A>): A[] {
    const result = [...items];
    for (let last = result.length - 1; last > 0; last--) {
      const other = this.integer(last + 1);
      [result[last], result[other]] = [result[other] as A, result[last] as A];
    }
    return result;
  }

  /** `bytes` random bytes as hex; must be a multiple of four. */
  hex(bytes: number): `0x${string}` {
    let digits = "";
    for (let at = 0; at < bytes; at += 4) digits += this.#next32().toString(16).padStart(8, "0");
    return `0x${digits}`;
  }

  /** A positive integer of 1 … `bits` bits; every length is equally likely. */
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

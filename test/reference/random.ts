/** A seeded generator of numbers for tests that walk recorded data (mulberry32). */
export function seededRandom(seed: number): {
  /** 0 … below − 1. */
  readonly integer: (below: number) => number;
  /** 0 … below − 1, for any width. */
  readonly bigint: (below: bigint) => bigint;
  readonly pick: <A>(from: ReadonlyArray<A>) => A;
} {
  let state = seed >>> 0;
  const next32 = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const integer = (below: number) => Math.floor((next32() / 2 ** 32) * below);
  return {
    integer,
    bigint: (below) => {
      let value = 0n;
      for (let bits = 0; bits < 288; bits += 32) value = (value << 32n) | BigInt(next32());
      return value % below;
    },
    pick: (from) => from[integer(from.length)]!,
  };
}

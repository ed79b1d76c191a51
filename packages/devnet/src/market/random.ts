/** Random numbers determined by a seed. */
export interface SeededRandom {
  /** In [0, 1). */
  readonly next: () => number;
  /** In [`low`, `high`). */
  readonly between: (low: number, high: number) => number;
  /** Like `between`, with each order of magnitude equally likely. */
  readonly betweenMagnitudes: (low: number, high: number) => number;
  /** Mean 0, standard deviation 1. */
  readonly normal: () => number;
  /** An integer from 0 to `count` − 1. */
  readonly index: (count: number) => number;
  /** One of `choices`, which must not be empty. */
  readonly pick: <A>(choices: ReadonlyArray<A>) => A;
  readonly chance: (probability: number) => boolean;
}

/** Mulberry32. */
export function makeRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + (high - low) * next();
  const index = (count: number) => Math.floor(next() * count);
  return {
    next,
    between,
    betweenMagnitudes: (low, high) => Math.exp(between(Math.log(low), Math.log(high))),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    index,
    pick: (choices) => choices[index(choices.length)]!,
    chance: (probability) => next() < probability,
  };
}

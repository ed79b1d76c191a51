import { type ExactSwap, exactSwap, type PlainPool } from "@millrace/testing/reference";

interface BruteCycle {
  /** Addresses of the pools, in order; the first token determines the direction. */
  readonly key: string;
  /** The most profitable size that was found: the input of each pool, and the final output. */
  readonly amounts: ReadonlyArray<bigint>;
  readonly profit: bigint;
}

/** Sizes from 1 up that are all tried. */
const FIRST_SIZES = 100n;
/** Sizes around the best that are all tried. */
const AROUND = 20n;

/**
 * All cycles from a token through 2 … maxHops pools, none with a token or a pool twice, each with
 * the best of many sizes: all small ones, every power of two that the pools take, and a ternary
 * search around the best of those down to single units. Gives only profitable cycles.
 */
export function bruteCycles(
  pools: ReadonlyArray<PlainPool>,
  first: string,
  maxHops: number,
): ReadonlyArray<BruteCycle> {
  const swaps = pools.map((pool) => ({
    pool,
    down: exactSwap(pool, true),
    up: exactSwap(pool, false),
  }));
  const found: BruteCycle[] = [];
  const walk = (token: string, used: ReadonlyArray<PlainPool>, path: ReadonlyArray<ExactSwap>) => {
    for (const { pool, down, up } of swaps) {
      if (used.includes(pool) || (token !== pool.token0 && token !== pool.token1)) continue;
      const next = token === pool.token0 ? pool.token1 : pool.token0;
      const nextUsed = [...used, pool];
      const nextPath = [...path, token === pool.token0 ? down : up];
      if (next === first) {
        const best = path.length > 0 ? bestSize(nextPath) : undefined;
        if (best !== undefined) {
          found.push({ ...best, key: nextUsed.map(({ address }) => address).join(" ") });
        }
      } else if (
        nextPath.length < maxHops &&
        !used.some(({ token0, token1 }) => token0 === next || token1 === next)
      ) {
        walk(next, nextUsed, nextPath);
      }
    }
  };
  walk(first, [], []);
  return found;
}

/**
 * The most by which the true best may exceed the best found: two units of each token on the way,
 * valued in the end at the average rate, which is above the marginal one, plus a 10^9th of the
 * profit. Two units, since an amount and the fee on it are both rounded.
 */
export function toleranceOf({ amounts, profit }: Omit<BruteCycle, "key">): bigint {
  const output = amounts.at(-1)!;
  const units = amounts.map((amount) => 2n * (amount > 0n ? output / amount + 1n : 1n));
  return units.reduce((sum, unit) => sum + unit, 0n) + profit / 10n ** 9n;
}

/** The amounts of a size along a path; undefined where a pool refuses it. */
export function amountsAlong(
  path: ReadonlyArray<ExactSwap>,
  size: bigint,
): ReadonlyArray<bigint> | undefined {
  const amounts = [size];
  for (const swap of path) {
    const amountIn = amounts.at(-1)!;
    const amountOut = amountIn === 0n ? 0n : swap("exactIn", amountIn)?.out;
    if (amountOut === undefined) return undefined;
    amounts.push(amountOut);
  }
  return amounts;
}

function bestSize(path: ReadonlyArray<ExactSwap>): Omit<BruteCycle, "key"> | undefined {
  let best: Omit<BruteCycle, "key"> = { amounts: [1n], profit: 0n };
  const profitOf = (size: bigint): bigint | undefined => {
    if (size < 1n) return undefined;
    const amounts = amountsAlong(path, size);
    if (amounts === undefined) return undefined;
    const profit = amounts.at(-1)! - size;
    if (profit > best.profit) best = { amounts, profit };
    return profit;
  };
  for (let size = 1n; size <= FIRST_SIZES; size++) profitOf(size);
  let isHopeful = best.profit > 0n;
  for (let bits = 1n; bits < 256n; bits++) {
    const size = 1n << bits;
    const profit = profitOf(size);
    // Apart from rounding, a size up to twice as large breaks even only where this one nearly does.
    if (profit !== undefined && profit * 4n >= -size) isHopeful = true;
    if (profit === undefined) {
      for (let step = size >> 1n, at = size >> 1n; step > 0n; step >>= 1n)
        if (profitOf(at + step) !== undefined) at += step;
      break;
    }
  }
  if (!isHopeful) return undefined;
  for (let low = best.amounts[0]! / 2n, high = best.amounts[0]! * 2n; high - low > 3n; ) {
    const third = (high - low) / 3n;
    const left = profitOf(low + third);
    const right = profitOf(high - third);
    if (right === undefined || (left !== undefined && left >= right)) high -= third;
    else low += third;
  }
  const near = best.amounts[0]!;
  for (let offset = -AROUND; offset <= AROUND; offset++) profitOf(near + offset);
  return best.profit > 0n ? best : undefined;
}

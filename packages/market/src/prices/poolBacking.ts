import type { PoolFamily, PoolIndex } from "@millrace/core";

/** Depth is measured by this move of the price: 2 %. */
const MOVED_PRICE = 0.98;

/**
 * How much of the token at `own` backs the price of the one at `other`, in smallest units: what
 * goes in to move that price 2 % up, or what comes out to move it 2 % down, whichever is less. One
 * direction alone costs a forger nothing: liquidity of his own worthless token right above the
 * price makes the other one look deep. `midPrice` is of `other` in `own`.
 */
export function poolBacking(
  family: PoolFamily,
  pool: PoolIndex,
  own: number,
  other: number,
  midPrice: number,
): number {
  const goesIn = sound(family.depth(pool, own, other));
  // A lower bound, as nothing is sold below the moved price. So it is no more than the pool holds.
  const comesOut = sound(family.depth(pool, other, own) * midPrice * MOVED_PRICE);
  return Math.min(goesIn, comesOut);
}

/** Extremes of a pool's state may overflow a float: then no number can be trusted. */
export function sound(value: number): number {
  return value > 0 && value < Number.POSITIVE_INFINITY ? value : 0;
}

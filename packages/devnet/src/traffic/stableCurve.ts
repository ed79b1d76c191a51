import type { MarketPool } from "../market/Market.ts";

/** Aerodrome's stable curve x³y + xy³ in floats: for decisions, not for payments. */

/** Marginal price in units of token1 for one of token0. */
export function stableSlope(pool: MarketPool, held: readonly [bigint, bigint]): number {
  const [x, y] = whole(pool, held);
  return slope(x, y) * unitRatio(pool);
}

/**
 * Units in that move the marginal price to a ratio of token1 to token0, in smallest units; by
 * bisection, between nothing and several times the balance.
 */
export function amountToRatio(
  pool: MarketPool,
  held: readonly [bigint, bigint],
  zeroForOne: boolean,
  ratio: number,
): bigint {
  const [x, y] = whole(pool, held);
  const target = zeroForOne ? ratio / unitRatio(pool) : unitRatio(pool) / ratio;
  const [into, out] = zeroForOne ? [x, y] : [y, x];
  const k = curve(into, out);
  let [low, high] = [0, into * MOST];
  for (let round = 0; round < HALVINGS; round++) {
    const middle = (low + high) / 2;
    const isEnough = slope(into + middle, outAt(into + middle, k)) <= target;
    if (isEnough) high = middle;
    else low = middle;
  }
  const { decimals } = zeroForOne ? pool.token0 : pool.token1;
  return BigInt(Math.floor(high * 10 ** decimals));
}

const MOST = 8;
const HALVINGS = 50;

const whole = ({ token0, token1 }: MarketPool, held: readonly [bigint, bigint]) =>
  [Number(held[0]) / 10 ** token0.decimals, Number(held[1]) / 10 ** token1.decimals] as const;

const unitRatio = ({ token0, token1 }: MarketPool): number =>
  10 ** (token1.decimals - token0.decimals);

const curve = (x: number, y: number): number => x ** 3 * y + x * y ** 3;

/** How much y falls for a small rise of x. */
const slope = (x: number, y: number): number =>
  (3 * x ** 2 * y + y ** 3) / (x ** 3 + 3 * x * y ** 2);

/** The y at which the curve has k: Newton's steps from above, which never go below it. */
function outAt(x: number, k: number): number {
  let y = Math.cbrt(k / x);
  for (let round = 0; round < HALVINGS; round++) y -= (curve(x, y) - k) / (x ** 3 + 3 * x * y ** 2);
  return y;
}

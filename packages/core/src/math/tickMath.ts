/**
 * Ticks and square-root prices, as Uniswap V3's `TickMath.sol` computes them: the price at tick i
 * is 1.0001^i, and √price is kept in Q64.96.
 */

export const TICK_MIN = -887_272;
export const TICK_MAX = 887_272;
/** `sqrtRatioAtTick(TICK_MIN)`. */
export const SQRT_RATIO_MIN_X96 = 4_295_128_739n;
/** `sqrtRatioAtTick(TICK_MAX)`. */
export const SQRT_RATIO_MAX_X96 =
  1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n;

export const Q96 = 1n << 96n;

/** The price limit that routers and quoters use by default: just inside the range. */
export function priceLimitX96(zeroForOne: boolean): bigint {
  return zeroForOne ? SQRT_RATIO_MIN_X96 + 1n : SQRT_RATIO_MAX_X96 - 1n;
}

const UINT256_MAX = (1n << 256n) - 1n;
const LOW_32_BITS = 0xffff_ffffn;

// Index: bit of |tick|. Value: 1.0001^(-2^bit / 2) in Q128, rounded as in the contract.
const FACTOR_X128 = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

/** √price in Q64.96 at a tick of TICK_MIN … TICK_MAX, cached: a tick costs 3 µs once. */
export function sqrtRatioAtTick(tick: number): bigint {
  const place = tick - TICK_MIN;
  const page = pages[place >> PAGE_BITS] ?? newPage(place >> PAGE_BITS);
  const known = page[place & PAGE_MASK];
  if (known !== undefined) return known;
  const ratio = computeSqrtRatioAtTick(tick);
  page[place & PAGE_MASK] = ratio;
  return ratio;
}

// Requested ticks lie close together. Bounded by the number of ticks.
const PAGE_BITS = 8;
const PAGE_MASK = (1 << PAGE_BITS) - 1;
const pages: Array<Array<bigint> | undefined> = new Array(((TICK_MAX - TICK_MIN) >> PAGE_BITS) + 1);

function newPage(index: number): bigint[] {
  const page: bigint[] = [];
  pages[index] = page;
  return page;
}

function computeSqrtRatioAtTick(tick: number): bigint {
  if (!Number.isInteger(tick) || tick < TICK_MIN || tick > TICK_MAX) {
    throw new RangeError(`tick ${tick}`);
  }
  const magnitude = Math.abs(tick);
  let ratioX128 = 1n << 128n;
  for (let bit = 0; bit < FACTOR_X128.length; bit++) {
    if ((magnitude >> bit) & 1) ratioX128 = (ratioX128 * FACTOR_X128[bit]!) >> 128n;
  }
  if (tick > 0) ratioX128 = UINT256_MAX / ratioX128;
  // Rounded up, so that the tick of the returned price is this tick again.
  return (ratioX128 >> 32n) + ((ratioX128 & LOW_32_BITS) === 0n ? 0n : 1n);
}

/**
 * The greatest tick whose √price is at most the given one, which must lie within the two limits.
 */
export function tickAtSqrtRatio(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < SQRT_RATIO_MIN_X96 || sqrtPriceX96 >= SQRT_RATIO_MAX_X96) {
    throw new RangeError(`sqrtPriceX96 ${sqrtPriceX96}`);
  }
  // The float guess is off by one tick at most; the exact ratios decide.
  const guess = Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001));
  let tick = Math.min(Math.max(guess, TICK_MIN), TICK_MAX - 1);
  while (sqrtRatioAtTick(tick) > sqrtPriceX96) tick--;
  while (sqrtRatioAtTick(tick + 1) <= sqrtPriceX96) tick++;
  return tick;
}

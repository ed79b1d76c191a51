import type { RandomSource } from "@millrace/testing";
import {
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
  limitsOf,
  type PlainPool,
  type PlainRequest,
} from "@millrace/testing/reference";
import { plainPoolAt, SPACINGS, tokenAt } from "./plainPools.ts";

const FEES = [100, 500, 3_000, 10_000];

/**
 * A tiny market that could be: two to four tokens, two to six pools of both families, several
 * between the same tokens, at prices that agree up to two percent, of depths within 2^8 of each
 * other.
 */
export function sensibleMarket(random: RandomSource): ReadonlyArray<PlainPool> {
  const tokenCount = 2 + random.integer(3);
  const worth = Array.from({ length: tokenCount }, () => 10 ** (random.integer(1200) / 100));
  const scale = 10 ** (10 + random.integer(14));
  return Array.from({ length: 2 + random.integer(5) }, (_, id) => {
    // The first links the ends, the others any two; a token's unit is worth `worth`.
    const from = id === 0 ? 0 : random.integer(tokenCount);
    const to = id === 0 ? 1 : (from + 1 + random.integer(tokenCount - 1)) % tokenCount;
    const depth = scale * 2 ** (random.integer(800) / 100);
    const price = (worth[from]! / worth[to]!) * (0.98 + random.integer(400) / 10_000);
    const listing = { address: plainPoolAt(id), token0: tokenAt(from) };
    const pool = { ...listing, token1: tokenAt(to), feePips: random.pick(FEES) };
    return random.integer(2) === 0
      ? constantProduct(random, pool, depth, price)
      : concentrated(random, pool, depth, price);
  });
}

/** From a hundred-thousandth of a pool's limit up to all of it, and some more. */
export function sensibleRequest(
  pools: ReadonlyArray<PlainPool>,
  kind: "exactIn" | "exactOut",
  random: RandomSource,
): PlainRequest {
  const pool = random.integer(2) === 0 ? pools[0]! : random.pick(pools);
  const zeroForOne = random.integer(2) === 0;
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  const [takes, gives] = limitsOf(pool, zeroForOne);
  const reserve = pool.family === "constantProduct" && (zeroForOne ? pool.reserve0 : pool.reserve1);
  const most = kind === "exactOut" ? gives! : reserve ? 2n * reserve : takes!;
  const share = BigInt(1 + random.integer(1_500));
  const amount = (most * share) / 1_000n / random.pick([1n, 1n, 10n, 1_000n, 100_000n]);
  return {
    tokenIn,
    tokenOut,
    kind,
    amount: amount < 1n ? 1n : amount,
    maxHops: 1 + random.integer(4),
  };
}

type Listing = Pick<PlainPool, "address" | "token0" | "token1" | "feePips">;

function constantProduct(
  random: RandomSource,
  pool: Listing,
  depth: number,
  price: number,
): PlainPool {
  const rule = random.pick(["feeInside", "feeFirst"] as const);
  const reserve0 = bigintOf(depth / Math.sqrt(price));
  const reserve1 = bigintOf(depth * Math.sqrt(price));
  return { ...pool, dexId: "PRODUCT", family: "constantProduct", rule, reserve0, reserve1 };
}

/** One to three positions around the price, the widest a factor of about 1.6. */
function concentrated(
  random: RandomSource,
  pool: Listing,
  depth: number,
  price: number,
): PlainPool {
  const tickSpacing = SPACINGS[pool.feePips]!;
  const sqrtPriceX96 = bigintOf(Math.sqrt(price) * 2 ** 96);
  const tick = getTickAtSqrtRatio(sqrtPriceX96);
  const ticks = new Map<number, bigint>();
  let liquidity = 0n;
  for (let position = random.integer(3); position >= 0; position--) {
    const reach = () => 1 + random.integer(Math.ceil(2_500 / tickSpacing));
    const compressed = Math.floor(tick / tickSpacing);
    const [lower, upper] = [
      (compressed - reach()) * tickSpacing,
      (compressed + reach()) * tickSpacing,
    ];
    const added = bigintOf(depth * (0.2 + random.integer(100) / 10));
    ticks.set(lower, (ticks.get(lower) ?? 0n) + added);
    ticks.set(upper, (ticks.get(upper) ?? 0n) - added);
    if (lower <= tick && tick < upper) liquidity += added;
  }
  const onTick = getSqrtRatioAtTick(tick) <= sqrtPriceX96;
  if (!onTick) throw new Error(`tick ${tick}`);
  return {
    ...pool,
    dexId: "CONCENTRATED",
    family: "concentratedLiquidity",
    tickSpacing,
    sqrtPriceX96,
    tick,
    liquidity,
    ticks,
  };
}

function bigintOf(value: number): bigint {
  return BigInt(Math.max(1, Math.round(value)));
}

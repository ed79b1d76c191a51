import { divRoundingUp, require, uint, unlessReverted } from "./solidity.ts";

/** A stable pool of Aerodrome or Velodrome V2. */
export interface SolidlyPool {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  readonly decimals0: number;
  readonly decimals1: number;
  /** A hundred times the factory's value, which is in 1/10,000. */
  readonly feePips: number;
}

interface SolidlySwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly reserve0After: bigint;
  readonly reserve1After: bigint;
}

type Direction = readonly [tokenIn: 0 | 1, tokenOut: 0 | 1];

const WAD = 10n ** 18n;
const UINT128_MAX = (1n << 128n) - 1n;

/** Inputs tried one by one for an exact output, before bisection. */
const TRIED_ONE_BY_ONE = 4;
/** Further inputs, where all of those revert; the first is this part of the last one away. */
const TRIED_FURTHER = 24;
const FIRST_STRIDE = 2n ** 40n;

/** The whole `amount` in (exact in) or out (exact out); undefined where that is impossible. */
export function swapSolidlyStable(
  pool: SolidlyPool,
  zeroForOne: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): SolidlySwap | undefined {
  const direction: Direction = zeroForOne ? [0, 1] : [1, 0];
  if (pool.reserve0 === 0n || pool.reserve1 === 0n || isDust(pool)) return undefined;
  const amountIn = kind === "exactIn" ? amount : inputFor(pool, direction, amount);
  if (amountIn === undefined || reserves(pool)[direction[0]] + amountIn > UINT128_MAX) {
    return undefined;
  }
  const amountOut = given(pool, direction, lessFee(pool, amountIn));
  if (amountOut === undefined) return undefined;
  // Output beyond an exact output stays in the pool.
  const taken = kind === "exactIn" ? amountOut : amount;
  const [reserve0After, reserve1After] = after(pool, direction, lessFee(pool, amountIn), taken);
  return { amountIn, amountOut: taken, reserve0After, reserve1After };
}

/** Whether the formula's five roundings may lose more than one part in 2^37 of k. */
function isDust(pool: SolidlyPool): boolean {
  const [x, y] = [scale(pool, 0, pool.reserve0), scale(pool, 1, pool.reserve1)];
  const k = unlessReverted(() => F(x, y)) ?? 0n;
  // In units of the whole product: the losses in xy, in the two squares, and in their product.
  const lost = WAD * ((x + y) ** 2n + 2n * WAD + WAD ** 2n);
  return lost * 2n ** 37n > k * WAD ** 3n;
}

/** `getAmountOut`, then `swap` with its result; not for a swap of nothing. */
function given(pool: SolidlyPool, direction: Direction, amount: bigint): bigint | undefined {
  return unlessReverted(() => {
    const amountOut = getAmountOut(pool, direction, amount);
    if (amountOut > 0n) swap(pool, direction, amount, amountOut);
    return amountOut;
  });
}

function getAmountOut(pool: SolidlyPool, [tokenIn, tokenOut]: Direction, amount: bigint): bigint {
  const held = reserves(pool);
  const k = K(pool, held);
  const [reserveA, reserveB] = [
    scale(pool, tokenIn, held[tokenIn]),
    scale(pool, tokenOut, held[tokenOut]),
  ];
  const x = uint(256, scale(pool, tokenIn, amount) + reserveA);
  const y = uint(256, reserveB - getY(pool, x, k, reserveB, 255));
  return uint(256, y * unit(pool, tokenOut)) / WAD;
}

function swap(pool: SolidlyPool, direction: Direction, amountIn: bigint, amountOut: bigint): void {
  require(amountOut < reserves(pool)[direction[1]], "InsufficientLiquidity");
  require(K(pool, after(pool, direction, amountIn, amountOut)) >= K(pool, reserves(pool)), "K");
}

/** `_get_y`, one round at a time. */
function getY(pool: SolidlyPool, x0: bigint, xy: bigint, y: bigint, rounds: number): bigint {
  require(rounds > 0, "!y");
  const k = F(x0, y);
  const missing = xy - k;
  const distance = uint(256, (missing > 0n ? missing : -missing) * WAD);
  const slope = D(x0, y);
  require(slope > 0n, "division by zero");
  const whole = distance / slope;
  if (missing > 0n) {
    if (whole === 0n && K(pool, [x0, y + 1n]) > xy) return y + 1n;
    return getY(pool, x0, xy, uint(256, y + (whole || 1n)), rounds - 1);
  }
  if (whole === 0n && (missing === 0n || F(x0, uint(256, y - 1n)) < xy)) return y;
  return getY(pool, x0, xy, uint(256, y - (whole || 1n)), rounds - 1);
}

function F(x0: bigint, y: bigint): bigint {
  const a = times(x0, y);
  const b = times(x0, x0) + times(y, y);
  return times(a, b);
}

function D(x0: bigint, y: bigint): bigint {
  return times(uint(256, 3n * x0), times(y, y)) + times(times(x0, x0), x0);
}

/** `_k` of amounts in the tokens' own decimals, token0 first. `_get_y` passes other amounts. */
function K(pool: SolidlyPool, [x, y]: readonly [bigint, bigint]): bigint {
  return F(scale(pool, 0, x), scale(pool, 1, y));
}

function times(a: bigint, b: bigint): bigint {
  return uint(256, a * b) / WAD;
}

function scale(pool: SolidlyPool, token: 0 | 1, amount: bigint): bigint {
  return uint(256, amount * WAD) / unit(pool, token);
}

function unit(pool: SolidlyPool, token: 0 | 1): bigint {
  return uint(256, 10n ** BigInt(token === 0 ? pool.decimals0 : pool.decimals1));
}

function reserves(pool: SolidlyPool): readonly [bigint, bigint] {
  return [pool.reserve0, pool.reserve1];
}

function lessFee(pool: SolidlyPool, amountIn: bigint): bigint {
  return amountIn - (amountIn * BigInt(pool.feePips / 100)) / 10_000n;
}

function after(
  { reserve0, reserve1 }: SolidlyPool,
  [tokenIn]: Direction,
  amountIn: bigint,
  amountOut: bigint,
): readonly [bigint, bigint] {
  return tokenIn === 0
    ? [reserve0 + amountIn, reserve1 - amountOut]
    : [reserve0 - amountOut, reserve1 + amountIn];
}

/**
 * The contract has no exact output. The least input that gives it stands in, if it is among the
 * first few that `swap` would accept. Otherwise bisection finds an input that gives it while one
 * unit less does not; its upper end is where every input that does not revert gives it.
 */
function inputFor(pool: SolidlyPool, direction: Direction, wanted: bigint): bigint | undefined {
  const [tokenIn, tokenOut] = direction;
  const held = reserves(pool);
  if (wanted >= held[tokenOut]) return undefined;
  const k = unlessReverted(() => K(pool, held));
  if (k === undefined) return undefined;
  const most = UINT128_MAX - held[tokenIn];
  const gives = (amount: bigint) => (given(pool, direction, amount) ?? -1n) >= wanted;
  /** The first of a few successive inputs that gives it, and where the search stopped. */
  const search = (from: bigint) => {
    let at = from;
    for (let tried = 0; tried < TRIED_ONE_BY_ONE && at <= most; tried++) {
      if (gives(at)) return { found: at, at };
      at = divRoundingUp((scale(pool, tokenIn, at) + 1n) * unit(pool, tokenIn), WAD);
    }
    return { found: undefined, at };
  };
  /** The first that gives it of inputs at doubling distances. */
  const further = (from: bigint) => {
    const counts = Array.from({ length: TRIED_FURTHER }, (_, at) => 2n ** BigInt(at + 1) - 1n);
    return counts
      .map((count) => from + count * (from / FIRST_STRIDE + 1n))
      .find((amount) => amount <= most && gives(amount));
  };
  const least = leastWhere(1n, most, (amount) =>
    isOverflowOr(() => K(pool, after(pool, direction, amount, wanted)) >= k),
  );
  const { found, at } = search(least);
  if (found !== undefined) return beforeFee(pool, found, most);
  const wantedScaled = divRoundingUp(wanted * WAD, unit(pool, tokenOut));
  const left = scale(pool, tokenOut, held[tokenOut]) - wantedScaled;
  if (left < 0n) return undefined;
  const sure = leastWhere(at, most, (amount) => {
    const x = scale(pool, tokenIn, held[tokenIn]) + scale(pool, tokenIn, amount);
    return isOverflowOr(() => F(x, left) >= k) && isOverflowOr(() => F(x, left + 1n) > k);
  });
  const near = search(sure);
  const works = near.found ?? further(near.at);
  if (works === undefined) return undefined;
  // Not the least input: in between, more input may give less.
  return beforeFee(pool, leastWhere(at, works, gives), most);
}

/** By bisection: the least of `low` … `high` for which `holds`; `high` where none is found. */
function leastWhere(low: bigint, high: bigint, holds: (value: bigint) => boolean): bigint {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to - 1n) / 2n;
    if (holds(middle)) to = middle;
    else from = middle + 1n;
  }
  return to;
}

function isOverflowOr(holds: () => boolean): boolean {
  return unlessReverted(holds) ?? true;
}

/** The least input that leaves `amount` after the fee. */
function beforeFee(pool: SolidlyPool, amount: bigint, most: bigint): bigint | undefined {
  const amountIn = leastWhere(amount, most + 1n, (tried) => lessFee(pool, tried) >= amount);
  return amountIn > most ? undefined : amountIn;
}

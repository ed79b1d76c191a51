import { require, uint, unlessReverted } from "@millrace/testing/reference";

/**
 * A vending machine of DODO V2, function by function as the contracts have them (`DVMTrader`,
 * `PMMPricing`, `DODOMath`, `DecimalMath`), each step with the check of 256 bits. It shares no code
 * with the example.
 */
export interface VendingMachine {
  readonly address: `0x${string}`;
  readonly i: bigint;
  readonly k: bigint;
  readonly base: bigint;
  readonly quote: bigint;
  readonly lpRate: bigint;
  readonly mtRate: bigint;
}

const ONE = 10n ** 18n;
const ONE2 = 10n ** 36n;
const mul = (a: bigint, b: bigint) => uint(256, a * b);
const add = (a: bigint, b: bigint) => uint(256, a + b);
const sub = (a: bigint, b: bigint) => uint(256, a - b);
const mulFloor = (a: bigint, b: bigint) => mul(a, b) / ONE;

function div(a: bigint, b: bigint): bigint {
  require(b > 0n, "DIVIDING_ERROR");
  return a / b;
}

function divCeil(a: bigint, b: bigint): bigint {
  const quotient = div(a, b);
  return a - quotient * b > 0n ? quotient + 1n : quotient;
}

function sqrt(x: bigint): bigint {
  let z = x / 2n + 1n;
  let y = x;
  while (z < y) {
    y = z;
    z = (x / z + z) / 2n;
  }
  return y;
}

const reciprocalFloor = (target: bigint) => div(ONE2, target);

function generalIntegrate(v0: bigint, v1: bigint, v2: bigint, i: bigint, k: bigint): bigint {
  require(v0 > 0n, "TARGET_IS_ZERO");
  const fairAmount = mul(i, sub(v1, v2));
  const ratio = div(mul(div(mul(v0, v0), v1), ONE), v2);
  const penalty = mulFloor(k, ratio);
  return div(mul(add(sub(ONE, k), penalty), fairAmount), ONE2);
}

function solveForTarget(v1: bigint, delta: bigint, i: bigint, k: bigint): bigint {
  if (v1 === 0n) return 0n;
  const ki = mul(4n * k, i);
  const isExact = ki * delta < 1n << 256n;
  const part = isExact ? div(ki * delta, v1) : mul(div(ki, v1), delta);
  const root = sqrt(add(part, ONE2));
  const premium = add(div(mul(sub(root, ONE), ONE), k * 2n), ONE);
  return mulFloor(v1, premium);
}

function solveForTrade(v0: bigint, v1: bigint, delta: bigint, i: bigint, k: bigint): bigint {
  require(v0 > 0n, "TARGET_IS_ZERO");
  const part2 = add(mul(div(mul(k, v0), v1), v0), mul(i, delta));
  let bAbs = mul(sub(ONE, k), v1);
  const bSig = bAbs < part2;
  bAbs = div(bSig ? part2 - bAbs : bAbs - part2, ONE);
  let root = mulFloor(mul(sub(ONE, k), 4n), mul(mulFloor(k, v0), v0));
  root = sqrt(add(mul(bAbs, bAbs), root));
  const numerator = bSig ? sub(root, bAbs) : add(bAbs, root);
  const v2 = divCeil(mul(numerator, ONE), mul(sub(ONE, k), 2n));
  return v2 > v1 ? 0n : v1 - v2;
}

/** What a swap pays before fees: `PMMPricing` of a pool that is always above one. */
function paidOf(pool: VendingMachine, sellsBase: boolean, amount: bigint): bigint {
  const { base, quote, i, k } = pool;
  const target = solveForTarget(base, quote, reciprocalFloor(i), k);
  if (!sellsBase) return solveForTrade(target, base, amount, reciprocalFloor(i), k);
  const backToOne = sub(target, base);
  // The contract gives all of its quote for exactly this much; we don't.
  require(amount < backToOne, "TARGET_IS_ZERO");
  const paid = generalIntegrate(target, add(base, amount), base, i, k);
  if (paid > quote) return quote;
  return paid;
}

/** A swap with the pool that it leaves; an exact output by halving, as the contract has none. */
export function vended(
  pool: VendingMachine,
  sellsBase: boolean,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): { amountIn: bigint; amountOut: bigint; after: VendingMachine } | undefined {
  if (kind === "exactIn") return unlessReverted(() => sold(pool, sellsBase, amount));
  let [low, high] = [0n, 1n << 112n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    const swap = unlessReverted(() => sold(pool, sellsBase, middle));
    if (swap !== undefined && swap.amountOut < amount) low = middle;
    else high = middle;
  }
  const swap = unlessReverted(() => sold(pool, sellsBase, high));
  return swap !== undefined && swap.amountOut >= amount ? swap : undefined;
}

function sold(pool: VendingMachine, sellsBase: boolean, amountIn: bigint) {
  const paid = paidOf(pool, sellsBase, amountIn);
  const mtFee = mulFloor(paid, pool.mtRate);
  const amountOut = sub(sub(paid, mulFloor(paid, pool.lpRate)), mtFee);
  const gone = amountOut + mtFee;
  const base = uint(112, sellsBase ? pool.base + amountIn : sub(pool.base, gone));
  const quote = uint(112, sellsBase ? sub(pool.quote, gone) : pool.quote + amountIn);
  return { amountIn, amountOut, after: { ...pool, base, quote } };
}

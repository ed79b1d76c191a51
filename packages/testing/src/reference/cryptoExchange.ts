import { yOfThree, yOfTwo } from "./cryptoGetY.ts";
import {
  cbrt,
  cryptoD,
  div,
  geometricMean,
  isqrt,
  type PlainCrypto,
  sort,
  u,
  unsafeDiv,
  WAD,
  within,
} from "./cryptoNewton.ts";
import { require, unlessReverted } from "./solidity.ts";

/**
 * Curve's crypto pools, translated operation by operation from their Vyper sources: checked 256-bit
 * arithmetic, unchecked where they are. Plain and slow; shares no code with the engine.
 */

interface PlainCryptoSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly after: PlainCrypto;
}

const UINT128_MAX = (1n << 128n) - 1n;

/** A swap with the resulting pool at the same price scale; undefined where it is refused. */
export function swapCrypto(
  pool: PlainCrypto,
  from: number,
  to: number,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): PlainCryptoSwap | undefined {
  const amountIn = kind === "exactIn" ? amount : inputFor(pool, from, to, amount);
  if (amountIn === undefined) return undefined;
  const answer = givenByCrypto(pool, from, to, amountIn);
  if (typeof answer !== "object") return undefined;
  // Output beyond an exact output leaves the pool as well, but is not reported.
  return kind === "exactIn" ? answer : { ...answer, amountOut: amount };
}

/** A refusal: the amount is so small that the pool would lose by it, or another reason. */
type Answer = PlainCryptoSwap | "too little" | "refused";

export function givenByCrypto(
  pool: PlainCrypto,
  from: number,
  to: number,
  amountIn: bigint,
): Answer {
  if (isOutOfPlace(pool, from, to)) return "refused";
  if (pool.balances[from]! + amountIn > UINT128_MAX || amountIn < 1n) return "refused";
  return unlessReverted(() => exchange(pool, from, to, amountIn)) ?? "refused";
}

/** With so few units, rounding takes at least a quarter of everything the pool could give. */
const UNITS_TOO_FEW = 4n;

/** Where the engine has no estimates: almost empty pools, and balances that no swap leaves. */
function isOutOfPlace(pool: PlainCrypto, from: number, to: number): boolean {
  if (pool.D < 10n ** 17n || pool.balances.includes(0n) || pool.totalSupply === 0n) return true;
  if (pool.balances[to]! <= UNITS_TOO_FEW) return true;
  const xp = scaled(pool, pool.balances);
  return xp[to]! * 100n <= pool.D || xp[from]! >= 25n * pool.D;
}

/**
 * Finds an input bit by bit, from the highest, keeping each bit with which the output is still too
 * small. One unit less than the result does not give the output.
 */
function inputFor(pool: PlainCrypto, from: number, to: number, wanted: bigint): bigint | undefined {
  if (wanted >= pool.balances[to]!) return undefined;
  let amountIn = 0n;
  for (let bit = 1n << 127n; bit > 0n; bit >>= 1n) {
    const tried = amountIn + bit;
    const answer = givenByCrypto(pool, from, to, tried);
    if (answer === "refused") {
      // Less input leaves still less than the contract asks for.
      if (isBelowMean(pool, from, to, tried)) amountIn = tried;
      continue;
    }
    if (answer === "too little" || answer.amountOut < wanted) amountIn = tried;
  }
  const answer = givenByCrypto(pool, from, to, amountIn + 1n);
  return typeof answer === "object" && answer.amountOut >= wanted ? amountIn + 1n : undefined;
}

/** Whether less is left of the input than the geometric mean of both balances, by worth. */
function isBelowMean(pool: PlainCrypto, from: number, to: number, amountIn: bigint): boolean {
  const worth = (position: number, amount: bigint) => {
    const price = position === 0 ? WAD : pool.priceScale[position - 1]!;
    return (amount * pool.precisions[position]! * price) / WAD;
  };
  const [input, output] = [pool.balances[from]!, pool.balances[to]!];
  return worth(from, input + amountIn) ** 2n < worth(from, input) * worth(to, output);
}

function scaled(pool: PlainCrypto, balances: ReadonlyArray<bigint>): bigint[] {
  return balances.map((balance, k) => {
    const precise = u(balance * pool.precisions[k]!);
    return k === 0 ? precise : u(precise * pool.priceScale[k - 1]!) / WAD;
  });
}

function exchange(pool: PlainCrypto, from: number, to: number, dx: bigint): Answer {
  const isTri = pool.contract === "tri" || pool.contract === "triNG";
  const balances = [...pool.balances];
  balances[from]! += dx;
  const xp = scaled(pool, balances);
  within((xp[from]! * WAD) / pool.D, 0n, 25n * WAD);
  const [y, K0] = isTri ? yOfThree(pool, xp, to) : yOfTwo(pool, xp, to);
  let dy = xp[to]! - y;
  if (dy < 1n) return "too little";
  xp[to] = y;
  dy -= 1n;
  if (to > 0) dy = div(u(dy * WAD), pool.priceScale[to - 1]!);
  dy = div(dy, pool.precisions[to]!);
  dy -= u(fee(pool, xp) * dy) / 10n ** 10n;
  balances[to]! -= dy;
  xp[to] = scaled(pool, balances)[to]!;
  // `tweak_price` without its change of the price scale.
  const D = cryptoD(pool, xp, K0);
  if (D < pool.D) return "too little";
  // Half and twice the contract's bounds: it checks after the price scale has moved, by an unknown
  // amount.
  for (const x of xp) require((x * WAD) / D >= 2n * 10n ** 16n, "too far from balance");
  const virtualPrice = (WAD * cryptoProduct(pool, D)) / pool.totalSupply;
  // During a ramp no gain is required, but the contract computes `virtual_price * 2 - 10**18`.
  if (2n * virtualPrice < WAD || virtualPrice < pool.virtualPrice) return "too little";
  if (virtualPrice === pool.virtualPrice && pool.contract !== "tri") return "too little";
  const left = pool.virtualPrice === 0n ? 0n : virtualPrice;
  return { amountIn: dx, amountOut: dy, after: { ...pool, balances, D, virtualPrice: left } };
}

function fee(pool: PlainCrypto, xp: ReadonlyArray<bigint>): bigint {
  let f: bigint;
  if (xp.length === 2) {
    const S = xp[0]! + xp[1]!;
    const K = u((u(4n * WAD * xp[0]!) / S) * xp[1]!) / S;
    f =
      pool.contract === "two21b"
        ? div(pool.feeGamma * K, (pool.feeGamma * K) / WAD + WAD - K)
        : div(pool.feeGamma * WAD, u(pool.feeGamma + WAD - K));
  } else {
    const S = xp[0]! + xp[1]! + xp[2]!;
    let K = WAD;
    for (const x of xp) K = u(K * 3n * x) / S;
    f = div(pool.feeGamma * WAD, u(pool.feeGamma + WAD - K));
  }
  return u(pool.midFee * f + pool.outFee * u(WAD - f)) / WAD;
}

export function cryptoProduct(pool: PlainCrypto, D: bigint): bigint {
  if (pool.contract === "two21b") return div((D * WAD) / 2n, isqrt(WAD * pool.priceScale[0]!));
  const N = BigInt(pool.balances.length);
  const xp = [D / N, ...pool.priceScale.map((price) => div(u(D * WAD), u(N * price)))];
  if (N === 2n) return isqrt(u(xp[0]! * xp[1]!));
  if (pool.contract === "tri") return geometricMean(sort(xp));
  return cbrt(unsafeDiv(u(unsafeDiv(u(xp[0]! * xp[1]!), WAD) * xp[2]!), WAD));
}

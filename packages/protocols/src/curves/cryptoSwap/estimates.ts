import type { CryptoContract } from "./contracts.ts";
import { CRYPTO_BALANCE_MAX, type CryptoPool, scaledBalance } from "./math.ts";

/**
 * The curve of Curve's crypto pools in floats, in units of D. With n tokens, S their sum and
 * u = n^n · ∏ balances, the invariant is
 *
 *   S = 1 + (1 − u)(c − u)²/(k·u),   c = 1 + γ,   k = A·n^n·γ²,
 *
 * and S(u) falls and is convex for u ≤ 1. So what a swap of two of the tokens, x + y = s and
 * x − y = t, leaves has t² = s² − 4u(s)/m with u(s) falling and convex, m = 4 or 27 × the third
 * balance: t is a concave function of s, the curve is convex, and the output of an input before the
 * fee is concave. It also follows that the fee is least where x = y and grows on either side, as u
 * falls and S grows with |t|.
 *
 * How the invariant differs between two points is written without any difference of like terms:
 * with e = 1 − u and δ = u₁ − u₀ = m·(a·y − (x + a)·w) for an input a and an output w,
 *
 *   S₁ − S₀ = a − w = −δ·Q(e₀, e₁)/(k·u₀·u₁),   Q = (γ + E)² − (1 + 2γ + E)·e₀e₁,  E = e₀ + e₁.
 */

/** A direction of a pool in real numbers; amounts are parts of D where they say nothing else. */
export interface CryptoFace {
  /** Balances of input and output where the curve is that swaps stay below. */
  readonly x: number;
  readonly y: number;
  readonly m: number;
  readonly k: number;
  readonly gamma: number;
  /** 1 − u there. */
  readonly e: number;
  /** What a unit of the input, and of the output, is worth. */
  readonly perUnitIn: number;
  readonly perUnitOut: number;
  /** What is left after the least fee, raised by what roundings may give beside `bonus`. */
  readonly gain: number;
  /** In units of the input. */
  readonly bonus: number;
  readonly capacity: number;
  /** By how much more input may give less, in units of the output. */
  readonly uneven: number;
  /**
   * Of two inputs that pay the least and the largest fee, how many times as much the one keeps of
   * its output as the other, Infinity where that keeps nothing; 1 where the output grows faster
   * than the fee takes of it.
   */
  readonly steepFee: number;
  /** That any swap pays; it may be below 0. */
  readonly leastFee: number;
  /** By how much more output that is kept may exceed what D grows by. */
  readonly spread: number;
  /** Of the pool as it is, as a part of 1. */
  readonly fee: number;
}

/** Relative error of D; no swap is accepted that lowers D by so much (see `math.ts`). */
const D_ERROR = 2 ** -46;
/**
 * The error of `get_y`, as a part of the balance. Cardano's formula loses digits as gamma falls,
 * and the roots of its cubic come together: of 60,000 pools near the bend of their curve, with a
 * gamma from 10^-8 on, the worst had a third of `yErrorOf`. Newton's method loses none.
 */
const Y_ERROR = 2 ** -44;
const GAMMA_CLEAR = 5e-7;
const yErrorOf = ({ isAnalytic }: CryptoContract, gamma: number): number =>
  isAnalytic && gamma < GAMMA_CLEAR ? Y_ERROR * (GAMMA_CLEAR / gamma) ** 2 : Y_ERROR;
/** A loss is negligible in an output so many times as large. */
const PART_NEGLIGIBLE = 2 ** 38;
/** Bits to which 1 − u is exact. */
const EXACT_BITS = 96n;
const ROUNDS_MAX = 80;
const CLOSE = 2 ** -36;
/** See `math.ts`; before the fee is added a contract lets a balance fall to half a percent. */
export const X_MOST = 25;
const E18 = 10n ** 18n;
const Y_LEAST = 0.005;
const ROUNDING_UP = 1 + 2 ** -40;
/** The contract rounds its fee down to 10^−10, and the balances that it depends on as well. */
const FEE_ERROR = 2e-10;
const K_ERROR = 1e-11;
/** No swap leaves a pool whose D is this much less than its balances come to. */
const SURPLUS_MOST = 2 ** -8;

let solved = 0;
let solvedE = 0;

/** A direction in real numbers; undefined where the pool gives nothing, and has to be refused. */
export function cryptoFace(
  pool: CryptoPool,
  positionIn: number,
  positionOut: number,
): CryptoFace | undefined {
  const { contract, balances, d } = pool;
  if (d < 10n ** 17n || pool.totalSupply === 0n || balances.includes(0n)) return undefined;
  const n = contract.tokenCount;
  const x = balances.map((balance, at) => scaledBalance(pool, at, balance));
  let product = 1n;
  let sum = 0n;
  for (const each of x) {
    product *= BigInt(n) * each;
    sum += each;
  }
  const power = d ** BigInt(n);
  const scale = Number(d) * (1 - D_ERROR);
  const part = (position: number) => Number(x[position]!) / scale;
  const rest = n === 2 ? 0 : part(3 - positionIn - positionOut);
  const m = n === 2 ? 4 : 27 * rest;
  const gamma = Number(pool.gamma) / 1e18;
  const k = (Number(pool.a) / Number(pool.aMultiplier)) * gamma * gamma;
  const [held, y] = [part(positionIn), part(positionOut)];
  const exactE = Number(((power - product) << EXACT_BITS) / power) / 2 ** Number(EXACT_BITS);
  const e = exactE - n * D_ERROR * (1 - exactE);
  const u = 1 - e;
  const surplus =
    Number(((sum - d) << EXACT_BITS) / d) / 2 ** Number(EXACT_BITS) +
    (D_ERROR * Number(sum)) / Number(d) -
    (e * (gamma + e) * (gamma + e)) / (k * u);
  const tau = (m * steepness(gamma, e, e)) / (k * u * u);
  if (!(u > 0 && tau > 0 && y > 2 * Y_LEAST && held < X_MOST)) return undefined;
  // The curve is concave in x: its tangent finds it no nearer than it is.
  const shift = Math.max(surplus, 0) / (1 + tau * y);
  if (!(shift < SURPLUS_MOST * held)) return undefined;
  const base = { x: held - shift, y, m, k, gamma, e: e + m * y * shift };
  const fee = feeAt(pool, held, y, rest, 0);
  const leastFee = feeAt(pool, held, y, rest, K_ERROR, held >= y) - FEE_ERROR;
  const perUnitIn = unitOf(pool, positionIn) / scale;
  const perUnitOut = unitOf(pool, positionOut) / scale;
  // Roundings, and the unit by which the fee's own may be less.
  const error = yErrorOf(contract, gamma) * y;
  const lost = error + perUnitOut;
  const reached = Math.min(lost * PART_NEGLIGIBLE, y / 4);
  if (!(lost < y / 4)) return undefined;
  const extra = inputOf(base, reached + lost) - inputOf(base, reached);
  const bonus = ((shift + 2 * extra) * ROUNDING_UP) / perUnitIn;
  const room = Math.min(X_MOST - held, inputOf(base, y - Y_LEAST)) * (1 + 2 ** -30);
  const whole = Number(CRYPTO_BALANCE_MAX - balances[positionIn]!);
  return {
    ...{ ...base, perUnitIn, perUnitOut, fee, bonus },
    gain: (1 - Math.max(leastFee, 0)) * (1 + lost / reached) * ROUNDING_UP,
    capacity: Math.min(room / perUnitIn, whole) * ROUNDING_UP + bonus,
    uneven: (2 * error) / perUnitOut + 2,
    steepFee: steepFeeOf(pool, y),
    leastFee,
    spread: X_MOST + n * (held + y + rest),
  };
}

/** What a unit of a token is with 18 decimals, at the price scale. */
function unitOf({ precisions, priceScale }: CryptoPool, position: number): number {
  const price = position === 0 ? 1 : Number(priceScale[position - 1]!) / 1e18;
  return Number(precisions[position]!) * price;
}

/**
 * The fee of balances. With `isGrowing`, where x is the larger one, it only grows with a swap, so
 * it is the least that a swap pays. Otherwise it falls until x = y: a lower bound of it there.
 */
function feeAt(
  { contract, midFee, outFee, feeGamma }: CryptoPool,
  x: number,
  y: number,
  rest: number,
  error: number,
  isGrowing = true,
): number {
  let balance = 1;
  if (isGrowing) balance = balanceOf(x + y, x * y, rest);
  else if (rest > 0) {
    // With s = x + y, 27·rest·s²/(4·(s + rest)³) is largest at s = 2·rest, and S is 1 at least.
    const s = Math.min(Math.max(2 * rest, 1 - rest), x + y);
    balance = balanceOf(s, (s * s) / 4, rest);
  }
  balance = Math.min(balance + error, 1);
  const steep = Number(feeGamma) / 1e18;
  const part = contract.reachesOutFee
    ? (steep * balance) / (steep * balance + 1 - balance)
    : steep / (steep + 1 - balance);
  return (Number(midFee) * part + Number(outFee) * (1 - part)) / 1e10;
}

/**
 * While an input makes the balances equal, the fee f passes its least, and may rise so fast that
 * less is left of the output w < y. With s = (x − y)/(x + y) and g for the fee's gamma
 *
 *   df/ds ≤ 0.65·(outFee − midFee)/√g,  dw/ds ≥ 1/2,
 *
 * so w·(1 − f) grows while 1.3·y·(outFee − midFee) < (1 − outFee)·√g; this asks for three times as
 * much.
 */
function steepFeeOf({ midFee, outFee, feeGamma }: CryptoPool, y: number): number {
  const kept = 1 - Number(outFee) / 1e10;
  const rise = Number(outFee - midFee) / 1e10;
  return 4 * y * rise <= kept * Math.sqrt(Number(feeGamma) / 1e18)
    ? 1
    : ((kept + rise) / kept) * ROUNDING_UP;
}

/** How near the balances are to each other: 1 where all are equal. */
function balanceOf(sum: number, product: number, rest: number): number {
  const whole = sum + rest;
  return rest === 0 ? (4 * product) / (sum * sum) : (27 * product * rest) / (whole * whole * whole);
}

type CryptoBase = Pick<CryptoFace, "x" | "y" | "m" | "k" | "gamma" | "e">;

/** Q of two points. */
export function steepness(gamma: number, e0: number, e1: number): number {
  const sum = e0 + e1;
  return (gamma + sum) * (gamma + sum) - (1 + 2 * gamma + sum) * e0 * e1;
}

/** m·k^−1·Q/u² at a point, for which x + y and the invariant are exchanged. */
function tauAt({ m, k, gamma }: CryptoBase, e: number, u: number): number {
  return (m * steepness(gamma, e, e)) / (k * u * u);
}

/** dy/dx at the start, without sign. */
export function firstRate(base: CryptoBase): number {
  const tau = tauAt(base, base.e, 1 - base.e);
  return (1 + tau * base.y) / (1 + tau * base.x);
}

/**
 * The output of `a`. As a function of the output left a − w − (S₁ − S₀) rises and is concave: from
 * less than is left, Newton's steps come up to it.
 */
function outputOf(base: CryptoBase, a: number): number {
  const { x, y, m, k, gamma, e } = base;
  const after = x + a;
  let w = Math.min(firstRate(base) * a, y * (1 - 2 ** -12));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const left = y - w;
    const e1 = e - m * (a * y - after * w);
    const u1 = m * after * left;
    const t = (m * steepness(gamma, e, e1)) / (k * (1 - e) * u1);
    const missing = a * (1 + t * y) - w * (1 + t * after);
    const step = missing / (1 + tauAt(base, e1, u1) * after);
    w += step;
    if (Math.abs(step) <= CLOSE * w) break;
  }
  solved = w;
  solvedE = e - m * (a * y - after * w);
  return w;
}

/** The input for an output w < y, likewise. */
function inputOf(base: CryptoBase, w: number): number {
  const { x, y, m, k, gamma, e } = base;
  const left = y - w;
  let a = w / firstRate(base);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const after = x + a;
    const e1 = e - m * (a * y - after * w);
    const u1 = m * after * left;
    const t = (m * steepness(gamma, e, e1)) / (k * (1 - e) * u1);
    const missing = w * (1 + t * x) - a * (1 + t * left);
    const step = missing / (1 + tauAt(base, e1, u1) * left);
    a += step;
    if (Math.abs(step) <= CLOSE * a) break;
  }
  return a;
}

/** Writes output, slope and bend at `amountIn`, in units of the tokens; see `SmoothCurve.at`. */
export function cryptoPoint(face: CryptoFace, amountIn: number, into: Float64Array): void {
  const a = amountIn * face.perUnitIn;
  outputOf(face, a);
  const { m, k, gamma, gain, perUnitIn, perUnitOut } = face;
  const x = face.x + a;
  const y = face.y - solved;
  const u = m * x * y;
  const tau = tauAt(face, solvedE, u);
  const slope = (1 + tau * y) / (1 + tau * x);
  const c = 1 + gamma;
  const tauFall = ((m * m * (y - slope * x)) / k) * (2 - (2 * c * c) / (u * u * u));
  const whole = 1 + tau * x;
  const bend =
    ((tauFall * y - tau * slope) * whole - (1 + tau * y) * (tauFall * x + tau)) / (whole * whole);
  const unit = gain / perUnitOut;
  into[0] = solved * unit;
  into[1] = slope * unit * perUnitIn;
  into[2] = Math.min(bend, 0) * unit * perUnitIn * perUnitIn;
}

/** The input for an output, in units of the tokens; see `SmoothCurve.inputFor`. */
export function cryptoInput(face: CryptoFace, amountOut: number): number {
  const w = Math.min((amountOut * face.perUnitOut) / face.gain, face.y - Y_LEAST / 2);
  return inputOf(face, w) / face.perUnitIn;
}

/**
 * Reserves of x·y = k pools with the price and the depth of the first two tokens: amounts of equal
 * worth, by position; undefined where the pool gives nothing.
 */
export function cryptoVirtualBalances(pool: CryptoPool): bigint[] | undefined {
  const found = new Float64Array(3);
  const shared = { ...pool, midFee: 0n, outFee: 0n, feeGamma: E18, totalSupply: E18 };
  const faces = pool.balances.slice(1).map((_, at) => cryptoFace(shared, 0, at + 1));
  const [face] = faces;
  if (face === undefined) return undefined;
  cryptoPoint(face, 0, found);
  // The output of x·y = k has the slope y/x and the bend −2y/x².
  const amount = (-2 * found[1]!) / found[2]!;
  const amounts = faces.map((each) =>
    each === undefined ? 0 : (amount * firstRate(each) * each.perUnitIn) / each.perUnitOut,
  );
  const all = [amount, ...amounts];
  return all.every((each) => each > 0 && Number.isFinite(each))
    ? all.map((each) => BigInt(Math.floor(each)))
    : undefined;
}

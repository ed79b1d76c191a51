import { require, uint, unlessReverted } from "./solidity.ts";

/**
 * StableSwap pools translated operation by operation from their Vyper sources: every sum,
 * difference and product is checked to 256 bits, as in Vyper. Nothing is shared with the engine
 * except the numbers for the differences between versions.
 */

const FEE_DENOMINATOR = 10n ** 10n;
const PRECISION = 10n ** 18n;

const PLUS_ONE = 1;
const ONCE = 2;
const UNFINISHED = 4;
const UNITS = 8;
const ORACLE = 16;

/**
 * See the curve of the same name: fees and their multiplier in 1/10^10, A with its precision
 * factor.
 */
export interface StableSwapPool {
  readonly balances: ReadonlyArray<bigint>;
  readonly rates: ReadonlyArray<bigint>;
  readonly amp: bigint;
  readonly aPrecision: bigint;
  readonly fee: bigint;
  readonly offpegFeeMultiplier: bigint;
  readonly adminFee: bigint;
  readonly rules: number;
}

interface StableSwap<Pool extends StableSwapPool> {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly after: Pool;
}

interface Direction {
  readonly i: number;
  readonly j: number;
}

const mul = (a: bigint, b: bigint) => uint(256, a * b);
const add = (a: bigint, b: bigint) => uint(256, a + b);
const sub = (a: bigint, b: bigint) => uint(256, a - b);
const div = (a: bigint, b: bigint) => {
  require(b > 0n, "division by zero");
  return a / b;
};

/** The whole `amount` in (exact in) or out (exact out); undefined where that is impossible. */
export function swapStableSwap<Pool extends StableSwapPool>(
  pool: Pool,
  direction: Direction,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): StableSwap<Pool> | undefined {
  const amountIn = kind === "exactIn" ? amount : leastInput(pool, direction, amount);
  const found = amountIn && exchangeStableSwap(pool, direction, amountIn);
  if (!found || (kind === "exactOut" && found.dy < amount)) return undefined;
  const balances = [...pool.balances];
  balances[direction.i] = add(balances[direction.i]!, amountIn);
  balances[direction.j] = sub(sub(balances[direction.j]!, found.dy), found.adminFee);
  return { amountIn, amountOut: found.dy, after: { ...pool, balances } };
}

/** `exchange`; undefined where it reverts or the engine refuses. */
export function exchangeStableSwap(pool: StableSwapPool, direction: Direction, dx: bigint) {
  return unlessReverted(() => {
    keepToTheEngine(pool, direction, dx);
    return exchanged(pool, direction, dx);
  });
}

/** The engine's limits: its state holds no larger amounts, and it does not swap dust. */
function keepToTheEngine(pool: StableSwapPool, direction: Direction, dx: bigint): void {
  require(dx <= mostStableSwapTakes(pool, direction), "a wide balance or sum");
  const { j } = direction;
  const other = j === 0 ? 1 : 0;
  const xp = xpOf(pool);
  require(getY(pool, { i: other, j }, xp[other]!, xp) >= 2n ** 44n, "dust");
}

/**
 * The largest input that fits a balance and the sum of all; negative where these are too large
 * already.
 */
export function mostStableSwapTakes(
  { balances, rates, offpegFeeMultiplier }: StableSwapPool,
  { i }: Pick<Direction, "i">,
): bigint {
  const digits = BigInt(offpegFeeMultiplier.toString(2).length);
  const width = offpegFeeMultiplier > FEE_DENOMINATOR ? 128n - (digits + 1n) / 2n : 128n;
  const total = balances.reduce((sum, balance, k) => sum + (balance * rates[k]!) / PRECISION, 0n);
  const room = ((2n ** width - total) * PRECISION - 1n) / rates[i]!;
  const most = 2n ** 128n - 1n - balances[i]!;
  return room < most ? room : most;
}

const isKept = (pool: StableSwapPool, direction: Direction, dx: bigint) =>
  unlessReverted(() => {
    keepToTheEngine(pool, direction, dx);
    return true;
  }) ?? false;

function exchanged(pool: StableSwapPool, { i, j }: Direction, dx: bigint) {
  const { rates, adminFee, rules } = pool;
  const xp = xpOf(pool);
  const x = add(xp[i]!, mul(dx, rates[i]!) / PRECISION);
  const y = getY(pool, { i, j }, x, xp);
  const gross = sub(sub(xp[j]!, y), 1n);
  const feeRate = dynamicFee(pool, (xp[i]! + x) / 2n, (xp[j]! + y) / 2n);
  if (rules & ORACLE)
    getP(
      pool,
      xp.map((each, k) => (k === i ? x : k === j ? y : each)),
      getD(pool, xp),
    );
  if (rules & UNITS) {
    const units = div(mul(gross, PRECISION), rates[j]!);
    const fee = mul(feeRate, units) / FEE_DENOMINATOR;
    return { dy: sub(units, fee), adminFee: mul(fee, adminFee) / FEE_DENOMINATOR };
  }
  const fee = mul(gross, feeRate) / FEE_DENOMINATOR;
  const dy = div(mul(sub(gross, fee), PRECISION), rates[j]!);
  const share = mul(fee, adminFee) / FEE_DENOMINATOR;
  return { dy, adminFee: div(mul(share, PRECISION), rates[j]!) };
}

function xpOf({ balances, rates }: StableSwapPool): bigint[] {
  return balances.map((balance, k) => mul(rates[k]!, balance) / PRECISION);
}

function getD({ amp, aPrecision, rules }: StableSwapPool, xp: ReadonlyArray<bigint>): bigint {
  const n = BigInt(xp.length);
  let S = 0n;
  for (const x of xp) S = add(S, x);
  if (S === 0n) return 0n;
  const Ann = mul(amp, n);
  let D = S;
  for (let round = 0; round < 255; round++) {
    let D_P = D;
    for (const x of xp) {
      const by = rules & ONCE ? x : rules & PLUS_ONE ? add(mul(x, n), 1n) : mul(x, n);
      D_P = div(mul(D_P, D), by);
    }
    if (rules & ONCE) D_P = D_P / n ** n;
    const previous = D;
    const above = mul(add(mul(Ann, S) / aPrecision, mul(D_P, n)), D);
    const below = add(mul(sub(Ann, aPrecision), D) / aPrecision, mul(n + 1n, D_P));
    D = div(above, below);
    if (D > previous ? D - previous <= 1n : previous - D <= 1n) return D;
  }
  require((rules & UNFINISHED) !== 0, "no D");
  return D;
}

function getY(
  pool: StableSwapPool,
  { i, j }: Direction,
  x: bigint,
  xp: ReadonlyArray<bigint>,
): bigint {
  const n = BigInt(xp.length);
  const D = getD(pool, xp);
  const Ann = mul(pool.amp, n);
  let c = D;
  let S_ = 0n;
  for (const [k, balance] of xp.entries()) {
    if (k === j) continue;
    const _x = k === i ? x : balance;
    S_ = add(S_, _x);
    c = div(mul(c, D), mul(_x, n));
  }
  c = div(mul(mul(c, D), pool.aPrecision), mul(Ann, n));
  const b = add(S_, div(mul(D, pool.aPrecision), Ann));
  let y = D;
  for (let round = 0; round < 255; round++) {
    const previous = y;
    y = div(add(mul(y, y), c), sub(add(mul(2n, y), b), D));
    if (y > previous ? y - previous <= 1n : previous - y <= 1n) return y;
  }
  require((pool.rules & UNFINISHED) !== 0, "no y");
  return y;
}

function dynamicFee(
  { fee, offpegFeeMultiplier }: StableSwapPool,
  xpi: bigint,
  xpj: bigint,
): bigint {
  if (offpegFeeMultiplier <= FEE_DENOMINATOR) return fee;
  const xps2 = mul(add(xpi, xpj), add(xpi, xpj));
  const part = div(mul(mul(mul(offpegFeeMultiplier - FEE_DENOMINATOR, 4n), xpi), xpj), xps2);
  return div(offpegFeeMultiplier * fee, part + FEE_DENOMINATOR);
}

/** What `upkeep_oracles` must compute. */
function getP({ amp, aPrecision }: StableSwapPool, xp: ReadonlyArray<bigint>, D: bigint): void {
  const n = BigInt(xp.length);
  require(D < 2n ** 128n, "a wide D");
  let Dr = D / n ** n;
  for (const x of xp) Dr = div(mul(Dr, D), x);
  const xp0A = mul(amp * n, xp[0]!) / aPrecision;
  for (const x of xp.slice(1)) {
    div(mul(PRECISION, add(xp0A, div(mul(Dr, xp[0]!), x))), add(xp0A, Dr));
  }
}

/**
 * The contract has no exact output, or an approximate one. With a constant fee, bisection finds the
 * least input. With a fee that depends on the input, the fee falls up to a turning point and rises
 * after it: bisection works up to there, or up to the last input that fits. Beyond the turning
 * point, the input needed at the fee of the last input is computed repeatedly, from below, at most
 * 64 times.
 */
function leastInput(
  pool: StableSwapPool,
  direction: Direction,
  wanted: bigint,
): bigint | undefined {
  const gives = (dx: bigint) => (exchangeStableSwap(pool, direction, dx)?.dy ?? -1n) >= wanted;
  const feeAt = (dx: bigint) => {
    const { xp, x, y } = behind(pool, direction, dx)!;
    return dynamicFee(pool, (xp[direction.i]! + x) / 2n, (xp[direction.j]! + y) / 2n);
  };
  const isRising = (dx: bigint) => {
    const found = behind(pool, direction, dx);
    if (found === undefined) return true;
    const { xp, x, y } = found;
    return (xp[direction.i]! + x) / 2n >= (xp[direction.j]! + y) / 2n;
  };
  const needed = (feeRate: bigint) => leastAtFee(pool, direction, wanted, feeRate);
  if (!isKept(pool, direction, 0n)) return undefined;
  let dx = needed(pool.fee);
  if (dx === undefined || pool.offpegFeeMultiplier <= FEE_DENOMINATOR) return dx;
  if (!isRising(dx)) {
    const turn = leastWhere(dx, mostStableSwapTakes(pool, direction) + 1n, isRising);
    // No input as large as the turn may fit.
    const last = behind(pool, direction, turn) === undefined ? turn - 1n : turn;
    if (gives(last)) return leastWhere(dx, last, gives);
    dx = turn;
  }
  for (let round = 0; round < 64; round++) {
    if (behind(pool, direction, dx) === undefined) return undefined;
    const next = needed(feeAt(dx));
    if (next === undefined) return undefined;
    if (next <= dx) return dx;
    dx = next;
  }
  return undefined;
}

function behind(pool: StableSwapPool, { i, j }: Direction, dx: bigint) {
  return unlessReverted(() => {
    keepToTheEngine(pool, { i, j }, dx);
    const xp = xpOf(pool);
    const x = xp[i]! + (dx * pool.rates[i]!) / PRECISION;
    return { xp, x, y: getY(pool, { i, j }, x, xp) };
  });
}

/** The least input that gives `wanted` at this fee. */
function leastAtFee(
  pool: StableSwapPool,
  direction: Direction,
  wanted: bigint,
  feeRate: bigint,
): bigint | undefined {
  const rate = pool.rates[direction.j]!;
  const net = (gross: bigint) => {
    const amount = pool.rules & UNITS ? (gross * PRECISION) / rate : gross;
    const kept = amount - (amount * feeRate) / FEE_DENOMINATOR;
    return pool.rules & UNITS ? kept : (kept * PRECISION) / rate;
  };
  const gross = leastWhere(0n, 2n ** 140n, (tried) => net(tried) >= wanted);
  // An exact output never leaves fewer than 32 scaled units.
  const most = xpOf(pool)[direction.j]! - 1n - gross;
  if (most < 32n) return undefined;
  const dx = leastWhere(
    1n,
    mostStableSwapTakes(pool, direction) + 1n,
    (tried) => (behind(pool, direction, tried)?.y ?? 2n ** 256n) <= most,
  );
  return behind(pool, direction, dx) === undefined ? undefined : dx;
}

/** By bisection: the least of `low` … `high` for which `holds`; `high` where none is found. */
function leastWhere(low: bigint, high: bigint, holds: (value: bigint) => boolean): bigint {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) / 2n;
    if (holds(middle)) to = middle;
    else from = middle + 1n;
  }
  return to;
}

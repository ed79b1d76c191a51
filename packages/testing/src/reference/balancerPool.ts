import type { Address } from "@millrace/core";
import {
  add,
  complement,
  divDown,
  divUp,
  divUpRaw,
  mul,
  mulDown,
  mulUp,
  ONE,
  powUp,
  sub,
} from "./balancerFixedPoint.ts";
import {
  type StableTerms,
  stableInGivenOut,
  stableOutGivenIn,
  surgeFeePercentage,
} from "./balancerStableMath.ts";
import { require, uint, unlessReverted } from "./solidity.ts";

// Swaps of Balancer V2 (BaseMinimalSwapInfoPool, BaseGeneralPool, ComposableStablePool, Vault) and
// of V3 (Vault.swap, WeightedPool, StablePool).

/** A Balancer pool in one state. */
export interface BalancerPool {
  readonly address: Address;
  readonly tokens: ReadonlyArray<Address>;
  readonly vault: 2 | 3;
  readonly balances: ReadonlyArray<bigint>;
  /** 10^(18 − decimals) of each token. */
  readonly decimalScalingFactors: ReadonlyArray<bigint>;
  readonly rates: ReadonlyArray<bigint>;
  readonly fee: bigint;
  readonly aggregateFee: bigint;
  readonly isPaused: boolean;
  readonly math: WeightedMath | StableMath;
}

interface WeightedMath {
  readonly name: "weighted";
  readonly weights: ReadonlyArray<bigint>;
  readonly powVersion: 1 | 2;
  /** Only V3's later pools have them. */
  readonly minTokenBalances: ReadonlyArray<bigint> | undefined;
}

interface StableMath {
  readonly name: "stable";
  readonly amp: bigint;
  readonly isFirstFormula: boolean;
  readonly isBounded: boolean;
  readonly bptIndex: number | undefined;
  readonly surge: { readonly threshold: bigint; readonly max: bigint } | undefined;
}

/** The whole amount in or out, with the resulting pool; undefined where the swap reverts. */
export function swapBalancer(
  pool: BalancerPool,
  indexIn: number,
  indexOut: number,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): { amountIn: bigint; amountOut: bigint; after: BalancerPool } | undefined {
  return unlessReverted(() => {
    require(!pool.isPaused, "PAUSED");
    const bptIndex = pool.math.name === "stable" ? pool.math.bptIndex : undefined;
    require(indexIn !== bptIndex && indexOut !== bptIndex, "a join or an exit");
    const swap = { pool, indexIn, indexOut, isGivenIn: kind === "exactIn", amount };
    return pool.vault === 2 ? swapOfV2(swap) : swapOfV3(swap);
  });
}

interface Swap {
  readonly pool: BalancerPool;
  readonly indexIn: number;
  readonly indexOut: number;
  readonly isGivenIn: boolean;
  readonly amount: bigint;
}

function swapOfV2({ pool, indexIn, indexOut, isGivenIn, amount }: Swap) {
  uint(112, amount);
  const scaling = pool.rates.map((rate, at) =>
    mulDown(mul(ONE, pool.decimalScalingFactors[at]!), rate),
  );
  const balances = pool.balances.map((balance, at) => mulDown(balance, scaling[at]!));
  let [amountIn, amountOut] = [amount, amount];
  if (isGivenIn) {
    const lessFee = sub(amount, mulUp(amount, pool.fee));
    const given = mulDown(lessFee, scaling[indexIn]!);
    const out = onSwap(pool, balances, indexIn, indexOut, true, given);
    amountOut = divDown(out, scaling[indexOut]!);
  } else {
    const given = mulDown(amount, scaling[indexOut]!);
    const asked = onSwap(pool, balances, indexIn, indexOut, false, given);
    amountIn = divUp(divUp(asked, scaling[indexIn]!), sub(ONE, pool.fee));
  }
  const left = [...pool.balances];
  left[indexIn] = uint(112, add(left[indexIn]!, amountIn));
  left[indexOut] = sub(left[indexOut]!, amountOut);
  return { amountIn, amountOut, after: { ...pool, balances: left } };
}

const MINIMUM_TRADE_AMOUNT = 1_000_000n;
const MAX_FEE_PERCENTAGE = 999_999n * 10n ** 12n;

function swapOfV3({ pool, indexIn, indexOut, isGivenIn, amount }: Swap) {
  const { decimalScalingFactors: factors, rates } = pool;
  uint(128, amount);
  const live = (raw: bigint, at: number) => mulDown(mul(raw, factors[at]!), rates[at]!);
  const toRaw = (scaled: bigint, at: number, rate: bigint, divide: typeof divDown) =>
    divide(scaled, mul(factors[at]!, rate));
  const balances = pool.balances.map(live);
  const rateOut = rateRoundUp(rates[indexOut]!);
  const given = isGivenIn ? live(amount, indexIn) : mulUp(mul(amount, factors[indexOut]!), rateOut);
  const fee = dynamicFee(pool, balances, indexIn, indexOut, isGivenIn, given);
  let [amountIn, amountOut] = [amount, amount];
  let totalFee: bigint;
  if (isGivenIn) {
    totalFee = mulUp(given, fee);
    const lessFee = ensureValidSwapAmount(sub(given, totalFee));
    const out = onSwap(pool, balances, indexIn, indexOut, true, lessFee);
    amountOut = toRaw(ensureValidSwapAmount(out), indexOut, rateOut, divDown);
  } else {
    ensureValidSwapAmount(given);
    const asked = ensureValidSwapAmount(onSwap(pool, balances, indexIn, indexOut, false, given));
    totalFee = divUpRaw(mul(asked, fee), complement(fee));
    amountIn = toRaw(add(asked, totalFee), indexIn, rates[indexIn]!, divUp);
  }
  const totalFeeRaw = toRaw(totalFee, indexIn, rates[indexIn]!, divDown);
  const aggregateFee = mulDown(totalFeeRaw, pool.aggregateFee);
  const left = [...pool.balances];
  left[indexIn] = uint(128, sub(add(left[indexIn]!, amountIn), aggregateFee));
  left[indexOut] = uint(128, sub(left[indexOut]!, amountOut));
  uint(128, live(left[indexIn]!, indexIn));
  return { amountIn, amountOut, after: { ...pool, balances: left } };
}

function rateRoundUp(rate: bigint): bigint {
  return (rate / ONE) * ONE === rate ? rate : rate + 1n;
}

function ensureValidSwapAmount(amount: bigint): bigint {
  require(amount >= MINIMUM_TRADE_AMOUNT, "TradeAmountTooSmall");
  return amount;
}

function dynamicFee(
  pool: BalancerPool,
  balances: ReadonlyArray<bigint>,
  indexIn: number,
  indexOut: number,
  isGivenIn: boolean,
  given: bigint,
): bigint {
  if (pool.math.name === "weighted" || pool.math.surge === undefined) return pool.fee;
  const calculated = onSwap(pool, balances, indexIn, indexOut, isGivenIn, given);
  const newBalances = [...balances];
  newBalances[indexIn] = add(balances[indexIn]!, isGivenIn ? given : calculated);
  newBalances[indexOut] = sub(balances[indexOut]!, isGivenIn ? calculated : given);
  const fee = surgeFeePercentage(pool.math.surge, pool.fee, balances, newBalances);
  require(fee <= MAX_FEE_PERCENTAGE, "PercentageAboveMax");
  return fee;
}

/** The pool's own function, for amounts and balances with 18 decimals. */
function onSwap(
  { math, vault }: BalancerPool,
  balances: ReadonlyArray<bigint>,
  indexIn: number,
  indexOut: number,
  isGivenIn: boolean,
  amount: bigint,
): bigint {
  if (math.name === "weighted") {
    return onWeightedSwap(math, balances, indexIn, indexOut, isGivenIn, amount);
  }
  const { bptIndex } = math;
  const terms: StableTerms = { ...math, vault };
  const skipBpt = (index: number) =>
    bptIndex !== undefined && index > bptIndex ? index - 1 : index;
  const dropped = balances.filter((_, at) => at !== bptIndex);
  // The first formula would give the rest away; the engine does not count that as a market.
  require(!dropped.includes(0n), "an empty side");
  const function_ = isGivenIn ? stableOutGivenIn : stableInGivenOut;
  return function_(terms, dropped, skipBpt(indexIn), skipBpt(indexOut), amount);
}

function onWeightedSwap(
  { weights, powVersion, minTokenBalances }: WeightedMath,
  balances: ReadonlyArray<bigint>,
  indexIn: number,
  indexOut: number,
  isGivenIn: boolean,
  amount: bigint,
): bigint {
  const balanceIn = add(balances[indexIn]!, minTokenBalances === undefined ? 0n : 1n);
  const balanceOut = balances[indexOut]!;
  const [weightIn, weightOut] = [weights[indexIn]!, weights[indexOut]!];
  const ensureMinimum = (index: number, balance: bigint) =>
    require(balance >= (minTokenBalances?.[index] ?? 0n), "TokenBalanceBelowMin");
  ensureMinimum(indexIn, balanceIn);
  // The contract gives nothing of nothing, or everything for nothing; the engine does not count
  // that as a market.
  require(balanceIn > 0n && balanceOut > 0n, "an empty side");
  if (isGivenIn) {
    require(amount <= mulDown(balanceIn, 3n * 10n ** 17n), "MAX_IN_RATIO");
    const base = divUp(balanceIn, add(balanceIn, amount));
    const power = powUp(base, divDown(weightIn, weightOut), powVersion);
    const amountOut = mulDown(balanceOut, complement(power));
    ensureMinimum(indexOut, sub(balanceOut, amountOut));
    return amountOut;
  }
  require(amount <= mulDown(balanceOut, 3n * 10n ** 17n), "MAX_OUT_RATIO");
  const base = divUp(balanceOut, sub(balanceOut, amount));
  const power = powUp(base, divUp(weightOut, weightIn), powVersion);
  const amountIn = mulUp(balanceIn, sub(power, ONE));
  ensureMinimum(indexOut, sub(balanceOut, amount));
  return amountIn;
}

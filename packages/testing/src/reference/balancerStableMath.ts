import { add, div, divUpRaw, mul, ONE, sub } from "./balancerFixedPoint.ts";
import { require } from "./solidity.ts";

// StableMath.sol of Balancer V2 (2021 and later) and of V3, and StableSurgeHook.sol.

const AMP_PRECISION = 1_000n;

/** The first formula, rounded up. */
function calculateInvariantUp(amp: bigint, balances: ReadonlyArray<bigint>): bigint {
  const numTokens = BigInt(balances.length);
  let sum = 0n;
  for (const balance of balances) sum = add(sum, balance);
  if (sum === 0n) return 0n;
  let invariant = sum;
  const ampTimesTotal = amp * numTokens;
  for (let i = 0; i < 255; i++) {
    let pD = mul(balances[0]!, numTokens);
    for (const balance of balances.slice(1)) {
      pD = divUpRaw(mul(mul(pD, balance), numTokens), invariant);
    }
    const previous = invariant;
    invariant = divUpRaw(
      add(
        mul(mul(numTokens, invariant), invariant),
        divUpRaw(mul(mul(ampTimesTotal, sum), pD), AMP_PRECISION),
      ),
      add(
        mul(numTokens + 1n, invariant),
        div(mul(ampTimesTotal - AMP_PRECISION, pD), AMP_PRECISION),
      ),
    );
    if (isClose(invariant, previous)) return invariant;
  }
  return didNotConverge();
}

/** The later formula. */
function computeInvariant(amp: bigint, balances: ReadonlyArray<bigint>): bigint {
  const numTokens = BigInt(balances.length);
  let sum = 0n;
  for (const balance of balances) sum = add(sum, balance);
  if (sum === 0n) return 0n;
  let invariant = sum;
  const ampTimesTotal = mul(amp, numTokens);
  for (let i = 0; i < 255; i++) {
    let dP = invariant;
    for (const balance of balances) dP = div(mul(dP, invariant), mul(balance, numTokens));
    const previous = invariant;
    invariant = div(
      mul(add(div(mul(ampTimesTotal, sum), AMP_PRECISION), mul(dP, numTokens)), invariant),
      add(
        div(mul(sub(ampTimesTotal, AMP_PRECISION), invariant), AMP_PRECISION),
        mul(numTokens + 1n, dP),
      ),
    );
    if (isClose(invariant, previous)) return invariant;
  }
  return didNotConverge();
}

/** `_getTokenBalanceGivenInvariantAndAllOtherBalances` of V2, `computeBalance` of V3. */
function computeBalance(
  vault: 2 | 3,
  amp: bigint,
  balances: ReadonlyArray<bigint>,
  invariant: bigint,
  tokenIndex: number,
): bigint {
  const numTokens = BigInt(balances.length);
  const ampTimesTotal = mul(amp, numTokens);
  let sum = balances[0]!;
  let pD = mul(balances[0]!, numTokens);
  for (const balance of balances.slice(1)) {
    pD = div(mul(mul(pD, balance), numTokens), invariant);
    sum = add(sum, balance);
  }
  sum = sub(sum, balances[tokenIndex]!);
  const inv2 = mul(invariant, invariant);
  let c: bigint;
  let b: bigint;
  if (vault === 2) {
    c = mul(mul(divUpRaw(inv2, mul(ampTimesTotal, pD)), AMP_PRECISION), balances[tokenIndex]!);
    b = add(sum, mul(div(invariant, ampTimesTotal), AMP_PRECISION));
  } else {
    c = mul(divUpRaw(mul(inv2, AMP_PRECISION), mul(ampTimesTotal, pD)), balances[tokenIndex]!);
    b = add(sum, div(mul(invariant, AMP_PRECISION), ampTimesTotal));
  }
  let tokenBalance = divUpRaw(add(inv2, c), add(invariant, b));
  for (let i = 0; i < 255; i++) {
    const previous = tokenBalance;
    tokenBalance = divUpRaw(
      add(mul(tokenBalance, tokenBalance), c),
      sub(add(mul(tokenBalance, 2n), b), invariant),
    );
    if (isClose(tokenBalance, previous)) return tokenBalance;
  }
  return didNotConverge();
}

/** What the pool's functions need beside its balances. */
export interface StableTerms {
  readonly vault: 2 | 3;
  readonly isFirstFormula: boolean;
  readonly isBounded: boolean;
  readonly amp: bigint;
}

const invariantOf = ({ isFirstFormula, amp }: StableTerms, balances: ReadonlyArray<bigint>) =>
  isFirstFormula ? calculateInvariantUp(amp, balances) : computeInvariant(amp, balances);

export function stableOutGivenIn(
  terms: StableTerms,
  balances: ReadonlyArray<bigint>,
  indexIn: number,
  indexOut: number,
  amountIn: bigint,
): bigint {
  const invariant = invariantOf(terms, balances);
  const after = [...balances];
  after[indexIn] = add(after[indexIn]!, amountIn);
  const final = computeBalance(terms.vault, terms.amp, after, invariant, indexOut);
  const amountOut = sub(sub(balances[indexOut]!, final), 1n);
  ensureBounded(terms, balances, [indexIn, amountIn], [indexOut, amountOut]);
  return amountOut;
}

export function stableInGivenOut(
  terms: StableTerms,
  balances: ReadonlyArray<bigint>,
  indexIn: number,
  indexOut: number,
  amountOut: bigint,
): bigint {
  const invariant = invariantOf(terms, balances);
  const after = [...balances];
  after[indexOut] = sub(after[indexOut]!, amountOut);
  const final = computeBalance(terms.vault, terms.amp, after, invariant, indexIn);
  const amountIn = add(sub(final, balances[indexIn]!), 1n);
  ensureBounded(terms, balances, [indexIn, amountIn], [indexOut, amountOut]);
  return amountIn;
}

type Move = readonly [index: number, amount: bigint];

function ensureBounded(
  { isBounded }: StableTerms,
  balances: ReadonlyArray<bigint>,
  [indexIn, amountIn]: Move,
  [indexOut, amountOut]: Move,
): void {
  if (!isBounded) return;
  let [min, max] = [balances[0]!, balances[0]!];
  for (const balance of balances) {
    if (balance < min) min = balance;
    if (balance > max) max = balance;
  }
  const newBalanceIn = add(balances[indexIn]!, amountIn);
  const newBalanceOut = sub(balances[indexOut]!, amountOut);
  if (newBalanceIn > max) max = newBalanceIn;
  if (newBalanceOut < min) min = newBalanceOut;
  require(div(max, min) < 10_000n, "MaxImbalanceRatioExceeded");
}

/** The fee of StableSurge for a swap of these amounts. */
export function surgeFeePercentage(
  { threshold, max }: { readonly threshold: bigint; readonly max: bigint },
  staticFee: bigint,
  balances: ReadonlyArray<bigint>,
  newBalances: ReadonlyArray<bigint>,
): bigint {
  if (max < staticFee) return staticFee;
  const newImbalance = calculateImbalance(newBalances);
  if (newImbalance === 0n) return staticFee;
  const isSurging = newImbalance > calculateImbalance(balances) && newImbalance > threshold;
  if (!isSurging) return staticFee;
  const part = div(mul(sub(newImbalance, threshold), ONE), ONE - threshold);
  return add(staticFee, div(mul(sub(max, staticFee), part), ONE));
}

function calculateImbalance(balances: ReadonlyArray<bigint>): bigint {
  const sorted = [...balances];
  for (let last = sorted.length - 1; last > 0; last--) {
    for (let at = 0; at < last; at++) {
      const [one, next] = [sorted[at]!, sorted[at + 1]!];
      if (one > next) [sorted[at], sorted[at + 1]] = [next, one];
    }
  }
  const mid = Math.floor(sorted.length / 2);
  const median =
    sorted.length % 2 === 1 ? sorted[mid]! : div(add(sorted[mid - 1]!, sorted[mid]!), 2n);
  let [totalBalance, totalDiff] = [0n, 0n];
  for (const balance of sorted) {
    totalBalance = add(totalBalance, balance);
    totalDiff = add(totalDiff, balance > median ? balance - median : median - balance);
  }
  return div(mul(totalDiff, ONE), totalBalance);
}

function isClose(now: bigint, previous: bigint): boolean {
  return now > previous ? now - previous <= 1n : previous - now <= 1n;
}

function didNotConverge(): never {
  require(false, "did not converge");
  throw new Error("unreachable");
}

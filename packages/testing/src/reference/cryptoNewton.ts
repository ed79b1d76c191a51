import { require, uint } from "./solidity.ts";

/**
 * The iterations and roots of Curve's crypto mathematics (`CurveCryptoMath3`,
 * `CurveCryptoMathOptimized3`, `CurveCryptoMathOptimized2`): see `cryptoExchange.ts`.
 */

/** A pool with the contract's numbers. */
export interface PlainCrypto {
  /** `two21b` is version 2.1.0 with the later fee. */
  readonly contract: "tri" | "triNG" | "two20" | "two21" | "two21b";
  readonly aMultiplier: bigint;
  readonly precisions: ReadonlyArray<bigint>;
  readonly balances: ReadonlyArray<bigint>;
  readonly priceScale: ReadonlyArray<bigint>;
  readonly A: bigint;
  readonly gamma: bigint;
  readonly D: bigint;
  readonly midFee: bigint;
  readonly outFee: bigint;
  readonly feeGamma: bigint;
  readonly totalSupply: bigint;
  /** 0n while A and gamma are ramping. */
  readonly virtualPrice: bigint;
}

export const WAD = 10n ** 18n;

/** Checked unsigned and signed results, and the wrapped results of unchecked operations. */
export const u = (value: bigint) => uint(256, value);
export const i = (value: bigint) => {
  require(BigInt.asIntN(256, value) === value, "does not fit int256");
  return value;
};
const unsafeU = (value: bigint) => BigInt.asUintN(256, value);
export const unsafeI = (value: bigint) => BigInt.asIntN(256, value);
export const div = (a: bigint, b: bigint) => {
  require(b !== 0n, "division by zero");
  return a / b;
};
export const unsafeDiv = (a: bigint, b: bigint) => (b === 0n ? 0n : a / b);
export const abs = (value: bigint) => (value < 0n ? -value : value);
const max = (a: bigint, b: bigint) => (a > b ? a : b);
export const min = (a: bigint, b: bigint) => (a < b ? a : b);
export const within = (value: bigint, least: bigint, most: bigint) =>
  require(value >= least && value <= most, "unsafe values");

function limits(pool: PlainCrypto): { leastA: bigint; mostA: bigint; mostGamma: bigint } {
  const isTri = pool.balances.length === 3;
  const NN = isTri ? 27n : 4n;
  const mostGamma = isTri
    ? 5n * 10n ** 16n
    : pool.contract === "two20"
      ? 2n * 10n ** 16n
      : 199n * 10n ** 15n;
  const leastA = (NN * pool.aMultiplier) / (isTri ? 100n : 10n);
  return { leastA: max(leastA, 1n), mostA: NN * pool.aMultiplier * 1000n, mostGamma };
}

export function checkParameters(pool: PlainCrypto): void {
  const { leastA, mostA, mostGamma } = limits(pool);
  within(pool.A, leastA, mostA);
  within(pool.gamma, 10n ** 10n, mostGamma);
}

export function newtonY(
  { A: ANN, gamma, D, aMultiplier }: PlainCrypto,
  x: ReadonlyArray<bigint>,
  position: number,
  limit: bigint | undefined,
): bigint {
  let y: bigint;
  let K0i = WAD;
  let Si = 0n;
  const N = BigInt(x.length);
  const [largest, other] = sort(x.filter((_, k) => k !== position)) as [bigint, bigint | undefined];
  if (other === undefined) {
    y = div(D ** 2n, largest * 4n);
    K0i = (2n * WAD * largest) / D;
    Si = largest;
    if (limit !== undefined) within(K0i, 10n ** 36n / limit, limit);
  } else {
    y = D / 3n;
    for (const each of [other, largest]) {
      y = div(u(y * D), each * 3n);
      Si += each;
    }
    for (const each of [largest, other]) K0i = u(K0i * each * 3n) / D;
  }
  const convergence = max(max(largest / 10n ** 14n, D / 10n ** 14n), 100n);
  for (let round = 0; round < 255; round++) {
    const before = y;
    const K0 = u(u(K0i * y) * N) / D;
    const S = u(Si + y);
    const apart = gamma + WAD;
    const g1k0 = apart > K0 ? apart - K0 + 1n : K0 - apart + 1n;
    const mul1 = u(u(u(u((WAD * D) / gamma) * g1k0) / gamma) * g1k0 * aMultiplier) / ANN;
    const mul2 = u(WAD + u(2n * WAD * K0) / g1k0);
    let yfprime = u(u(WAD * y) + u(S * mul2) + mul1);
    const dyfprime = u(D * mul2);
    if (yfprime < dyfprime) {
      y = before / 2n;
      continue;
    }
    yfprime -= dyfprime;
    const fprime = div(yfprime, y);
    let minus = div(mul1, fprime);
    const plus = u(div(u(yfprime + WAD * D), fprime) + div(u(minus * WAD), K0));
    minus = u(minus + div(u(WAD * S), fprime));
    y = plus < minus ? before / 2n : plus - minus;
    const moved = y > before ? y - before : before - y;
    if (moved < max(convergence, y / 10n ** 14n)) return y;
  }
  require(false, "Did not converge");
  return 0n;
}

/** `newton_D`; the newer contracts start from K0. */
export function cryptoD(pool: PlainCrypto, unsorted: ReadonlyArray<bigint>, K0: bigint): bigint {
  const { A: ANN, gamma, contract, aMultiplier } = pool;
  checkParametersUnlessNew(pool);
  const x = sort(unsorted);
  const N = BigInt(x.length);
  const S = x.reduce((sum, each) => sum + each);
  let D: bigint;
  if (N === 2n) {
    within(x[0]!, 10n ** 9n, 10n ** 33n);
    require((x[1]! * WAD) / x[0]! > 10n ** 14n - 1n, "unsafe values x[i]");
    if (K0 === 0n) D = 2n * isqrt(unsafeU(x[0]! * x[1]!));
    else D = min(isqrt(unsafeU(unsafeDiv(4n * x[0]! * x[1]!, K0) * WAD)), S);
  } else if (contract === "tri") {
    within(x[0]!, 10n ** 9n, 10n ** 33n);
    for (const each of x.slice(1)) require((each * WAD) / x[0]! > 10n ** 11n - 1n, "unsafe");
    D = u(3n * geometricMean(x));
  } else {
    within(x[0]!, 1n, (((1n << 256n) - 1n) / WAD) * 27n - 1n);
    if (K0 === 0n) {
      D = unsafeU(3n * cbrt(unsafeDiv(u(unsafeDiv(u(x[0]! * x[1]!), WAD) * x[2]!), WAD)));
    } else if (S > 10n ** 36n) {
      D = cbrt(
        u(unsafeDiv(u(unsafeDiv(u(x[0]! * x[1]!), 10n ** 36n) * x[2]!), K0) * 27n * 10n ** 12n),
      );
    } else if (S > 10n ** 24n) {
      D = cbrt(
        u(unsafeDiv(u(unsafeDiv(u(x[0]! * x[1]!), 10n ** 24n) * x[2]!), K0) * 27n * 10n ** 6n),
      );
    } else {
      D = cbrt(u(unsafeDiv(u(unsafeDiv(u(x[0]! * x[1]!), WAD) * x[2]!), K0) * 27n));
    }
  }
  for (let round = 0; round < 255; round++) {
    const before = D;
    require(D > 0n, "no D");
    let K: bigint;
    if (N === 2n) K = unsafeDiv(u(unsafeDiv(u(4n * WAD * x[0]!), D) * x[1]!), D);
    else {
      K = WAD;
      for (const each of x) K = u(u(K * each) * 3n) / D;
    }
    const apart = gamma + WAD;
    const g1k0 = apart > K ? apart - K + 1n : K - apart + 1n;
    const mul1 = u(u((u((u(WAD * D) / gamma) * g1k0) / gamma) * g1k0) * aMultiplier) / ANN;
    const mul2 = u(2n * WAD * N * K) / g1k0;
    const slope = u(u(S + u(S * mul2) / WAD) + div(u(mul1 * N), K) - u(mul2 * D) / WAD);
    const plus = div(u(D * u(slope + S)), slope);
    let minus = u(D * D) / slope;
    const part = u(D * (mul1 / slope)) / WAD;
    if (WAD > K) minus = u(minus + u(part * (WAD - K)) / K);
    else minus = u(minus - u(part * (K - WAD)) / K);
    D = plus > minus ? plus - minus : (minus - plus) / 2n;
    const moved = D > before ? D - before : before - D;
    if (moved * 10n ** 14n < max(10n ** 16n, D)) {
      for (const each of x) within(div(each * WAD, D), 10n ** 16n - 1n, 10n ** 20n);
      return D;
    }
  }
  require(false, "Did not converge");
  return 0n;
}

/** Tricrypto-NG's version does not check them. */
function checkParametersUnlessNew(pool: PlainCrypto): void {
  if (pool.contract !== "triNG") checkParameters(pool);
}

export function geometricMean(x: ReadonlyArray<bigint>): bigint {
  const N = BigInt(x.length);
  let D = x[0]!;
  for (let round = 0; round < 255; round++) {
    const before = D;
    let product = WAD;
    for (const each of x) product = div(u(product * each), D);
    D = u(D * ((N - 1n) * WAD + product)) / (N * WAD);
    const moved = D > before ? D - before : before - D;
    if (moved <= 1n || moved * WAD < D) return D;
  }
  require(false, "Did not converge");
  return 0n;
}

export function cbrt(x: bigint): bigint {
  const scale = 115792089237316195423570985008687907853269n;
  const xx = x >= scale * WAD ? x : x >= scale ? unsafeU(x * WAD) : unsafeU(x * 10n ** 36n);
  let log2x = 0n;
  for (let value = xx; value > 1n; value >>= 1n) log2x++;
  const remainder = log2x % 3n;
  let a = unsafeDiv(unsafeU(2n ** (log2x / 3n) * 1260n ** remainder), 1000n ** remainder);
  for (let round = 0; round < 7; round++) {
    a = unsafeDiv(unsafeU(unsafeU(2n * a) + unsafeDiv(xx, unsafeU(a * a))), 3n);
  }
  if (x >= scale * WAD) return a * 10n ** 12n;
  return x >= scale ? a * 10n ** 6n : a;
}

/** Vyper's `isqrt`: the floor of the square root, by bisection. */
export function isqrt(x: bigint): bigint {
  let [low, high] = [0n, 1n << 128n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle * middle <= x) low = middle;
    else high = middle;
  }
  return low;
}

export function sort(x: ReadonlyArray<bigint>): bigint[] {
  const sorted = [...x];
  for (let at = 1; at < sorted.length; at++) {
    for (let cursor = at; cursor > 0 && sorted[cursor - 1]! < sorted[cursor]!; cursor--) {
      [sorted[cursor - 1], sorted[cursor]] = [sorted[cursor]!, sorted[cursor - 1]!];
    }
  }
  return sorted;
}

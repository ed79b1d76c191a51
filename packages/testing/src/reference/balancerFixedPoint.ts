import { require, signed, uint } from "./solidity.ts";

// FixedPoint.sol, Math.sol and LogExpMath.sol of Balancer, function by function.

export const ONE = 10n ** 18n;
const ONE_20 = 10n ** 20n;
const ONE_36 = 10n ** 36n;

export const add = (a: bigint, b: bigint): bigint => uint(256, a + b);
export const sub = (a: bigint, b: bigint): bigint => uint(256, a - b);
export const mul = (a: bigint, b: bigint): bigint => uint(256, a * b);

export function div(a: bigint, b: bigint): bigint {
  require(b !== 0n, "ZERO_DIVISION");
  return a / b;
}

export function divUpRaw(a: bigint, b: bigint): bigint {
  require(b !== 0n, "ZERO_DIVISION");
  return a === 0n ? 0n : 1n + (a - 1n) / b;
}

export const mulDown = (a: bigint, b: bigint): bigint => div(mul(a, b), ONE);
export const mulUp = (a: bigint, b: bigint): bigint => divUpRaw(mul(a, b), ONE);
export const divDown = (a: bigint, b: bigint): bigint => div(mul(a, ONE), b);
export const divUp = (a: bigint, b: bigint): bigint => divUpRaw(mul(a, ONE), b);
export const complement = (x: bigint): bigint => (x < ONE ? ONE - x : 0n);

/** The library's first version has no special exponents that avoid logarithms. */
export function powUp(x: bigint, y: bigint, version: 1 | 2): bigint {
  if (version === 2 && y === ONE) return x;
  if (version === 2 && y === 2n * ONE) return mulUp(x, x);
  if (version === 2 && y === 4n * ONE) {
    const square = mulUp(x, x);
    return mulUp(square, square);
  }
  const raw = pow(x, y);
  const maxError = add(mulUp(raw, 10_000n), 1n);
  return add(raw, maxError);
}

function pow(x: bigint, y: bigint): bigint {
  if (y === 0n) return ONE;
  if (x === 0n) return 0n;
  require(x >> 255n === 0n, "X_OUT_OF_BOUNDS");
  require(y < 2n ** 254n / ONE_20, "Y_OUT_OF_BOUNDS");
  let product: bigint;
  if (ONE - 10n ** 17n < x && x < ONE + 10n ** 17n) {
    const precise = ln36(x);
    product = (precise / ONE) * y + ((precise % ONE) * y) / ONE;
  } else {
    product = ln(x) * y;
  }
  product = signed(256, product) / ONE;
  require(-41n * ONE <= product && product <= 130n * ONE, "PRODUCT_OUT_OF_BOUNDS");
  return exp(product);
}

const X0 = 128_000_000_000_000_000_000n;
const A0 = 38877084059945950922200000000000000000000000000000000000n;
const X1 = 64_000_000_000_000_000_000n;
const A1 = 6235149080811616882910000000n;
const X_AND_A: ReadonlyArray<readonly [bigint, bigint]> = [
  [3200000000000000000000n, 7896296018268069516100000000000000n],
  [1600000000000000000000n, 888611052050787263676000000n],
  [800000000000000000000n, 298095798704172827474000n],
  [400000000000000000000n, 5459815003314423907810n],
  [200000000000000000000n, 738905609893065022723n],
  [100000000000000000000n, 271828182845904523536n],
  [50000000000000000000n, 164872127070012814685n],
  [25000000000000000000n, 128402541668774148407n],
  [12500000000000000000n, 113314845306682631683n],
  [6250000000000000000n, 106449445891785942956n],
];

function exp(x: bigint): bigint {
  if (x < 0n) return (ONE * ONE) / exp(-x);
  let rest = x;
  let firstAN = 1n;
  if (rest >= X0) {
    rest -= X0;
    firstAN = A0;
  } else if (rest >= X1) {
    rest -= X1;
    firstAN = A1;
  }
  rest *= 100n;
  let product = ONE_20;
  for (let n = 2; n <= 9; n++) {
    const [xn, an] = X_AND_A[n - 2]!;
    if (rest >= xn) {
      rest -= xn;
      product = signed(256, product * an) / ONE_20;
    }
  }
  let seriesSum = ONE_20;
  let term = rest;
  seriesSum += term;
  for (let n = 2n; n <= 12n; n++) {
    term = signed(256, term * rest) / ONE_20 / n;
    seriesSum += term;
  }
  return signed(256, (signed(256, product * seriesSum) / ONE_20) * firstAN) / 100n;
}

function ln(a: bigint): bigint {
  if (a < ONE) return -ln((ONE * ONE) / a);
  let rest = a;
  let sum = 0n;
  if (rest >= A0 * ONE) {
    rest /= A0;
    sum += X0;
  }
  if (rest >= A1 * ONE) {
    rest /= A1;
    sum += X1;
  }
  sum *= 100n;
  rest *= 100n;
  for (const [xn, an] of X_AND_A) {
    if (rest >= an) {
      rest = signed(256, rest * ONE_20) / an;
      sum += xn;
    }
  }
  const z = ((rest - ONE_20) * ONE_20) / (rest + ONE_20);
  const zSquared = (z * z) / ONE_20;
  let num = z;
  let seriesSum = num;
  for (const n of [3n, 5n, 7n, 9n, 11n]) {
    num = (num * zSquared) / ONE_20;
    seriesSum += num / n;
  }
  return (sum + seriesSum * 2n) / 100n;
}

function ln36(x: bigint): bigint {
  const scaled = x * ONE;
  const z = ((scaled - ONE_36) * ONE_36) / (scaled + ONE_36);
  const zSquared = (z * z) / ONE_36;
  let num = z;
  let seriesSum = num;
  for (const n of [3n, 5n, 7n, 9n, 11n, 13n, 15n]) {
    num = (num * zSquared) / ONE_36;
    seriesSum += num / n;
  }
  return seriesSum * 2n;
}

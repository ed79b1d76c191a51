import {
  abs,
  cbrt,
  checkParameters,
  div,
  i,
  isqrt,
  min,
  newtonY,
  type PlainCrypto,
  u,
  unsafeDiv,
  unsafeI,
  WAD,
  within,
} from "./cryptoNewton.ts";
import { require } from "./solidity.ts";

/** `get_y` of Curve's crypto contracts where it is a formula: see `cryptoExchange.ts`. */

type Solution = readonly [y: bigint, K0: bigint];

/** `get_y` of Twocrypto-NG. */
export function yOfTwo(pool: PlainCrypto, x: ReadonlyArray<bigint>, position: number): Solution {
  const { A: ANN, gamma, D } = pool;
  checkParameters(pool);
  within(D, 10n ** 17n, 10n ** 33n);
  const isLater = pool.contract !== "two20";
  let limit = 100n * WAD;
  if (isLater && gamma > 2n * 10n ** 16n) limit = (limit * 2n * 10n ** 16n) / gamma;
  const xj = x[1 - position]!;
  const gamma2 = gamma * gamma;
  div(i(D * D), i(xj * 4n));
  const K0i = unsafeDiv(i(2n * WAD * xj), D);
  if (isLater) within(K0i, 10n ** 36n / limit, limit);
  else within(K0i, 2n * 10n ** 16n, 2n * 10n ** 20n);
  const annGamma2 = i(ANN * gamma2);
  let a = 10n ** 32n;
  let b = i(div(i(D * annGamma2) / 400_000_000n, xj) - 3n * 10n ** 32n - 2n * gamma * 10n ** 14n);
  let c = i(
    3n * 10n ** 32n +
      4n * gamma * 10n ** 14n +
      gamma2 / 10n ** 4n +
      unsafeDiv(i(((4n * annGamma2) / 400_000_000n) * xj), D) -
      (4n * annGamma2) / 400_000_000n,
  );
  let d = -((WAD + gamma) ** 2n / 10n ** 4n);
  let delta0 = i(div(i(i(3n * a) * c), b) - b);
  let delta1 = i(i(3n * delta0) + b - div(i(div(27n * a ** 2n, b) * d), b));
  const threshold = min(min(abs(delta0), abs(delta1)), a);
  let divider = 1n;
  for (let digits = 48n; digits >= 24n; digits -= 2n) {
    if (threshold > 10n ** digits && divider === 1n) divider = 10n ** (digits - 18n);
  }
  if (divider === 1n && threshold > 10n ** 20n) divider = 100n;
  a = unsafeDiv(a, divider);
  b = unsafeDiv(b, divider);
  c = unsafeDiv(c, divider);
  d = unsafeDiv(d, divider);
  delta0 = i(unsafeDiv(unsafeI(unsafeI(3n * a) * c), b) - b);
  delta1 = i(
    i(3n * delta0) + b - unsafeDiv(unsafeI(unsafeDiv(unsafeI(27n * i(a ** 2n)), b) * d), b),
  );
  const root = i(i(delta1 ** 2n) + unsafeI(unsafeDiv(i(4n * i(delta0 ** 2n)), b) * delta0));
  if (root <= 0n) {
    return [newtonY(pool, x, position, isLater ? limit : undefined), 0n];
  }
  const squareRoot = isqrt(root);
  const bCbrt = b > 0n ? cbrt(b) : -cbrt(-b);
  const second =
    delta1 > 0n
      ? cbrt(unsafeI(delta1 + squareRoot) / 2n)
      : -cbrt(unsafeDiv(unsafeI(squareRoot - delta1), 2n));
  const C1 = unsafeDiv(unsafeI(unsafeDiv(i(bCbrt ** 2n), WAD) * second), WAD);
  const K0 = div(
    i(i(unsafeI(WAD * C1) - unsafeI(WAD * b)) - i(div(unsafeI(WAD * b), C1) * delta0)),
    unsafeI(3n * a),
  );
  const y = unsafeDiv(unsafeDiv(unsafeI(unsafeDiv(i(D ** 2n), xj) * K0), 4n), WAD);
  require(y >= 0n && K0 >= 0n, "negative");
  const frac = unsafeDiv(u(y * WAD), D);
  if (isLater) within(frac, 10n ** 36n / 2n / limit, limit / 2n);
  else within(frac, 10n ** 16n - 1n, 10n ** 20n);
  return [y, K0];
}

/** `newton_y` of the old Tricrypto, `get_y` of Tricrypto-NG. */
export function yOfThree(pool: PlainCrypto, x: ReadonlyArray<bigint>, position: number): Solution {
  const { A: ANN, gamma, D } = pool;
  checkParameters(pool);
  within(D, 10n ** 17n, 10n ** 33n);
  for (const [k, each] of x.entries()) {
    if (k !== position) within(u(each * WAD) / D, 10n ** 16n, 10n ** 20n);
  }
  if (pool.contract === "tri") return [checkedNewtonY(pool, x, position), 0n];
  const [xj, xk] = x.filter((_, k) => k !== position) as [bigint, bigint];
  const gamma2 = gamma * gamma;
  let a = 10n ** 36n / 27n;
  let b = i(
    10n ** 36n / 9n +
      unsafeDiv(2n * WAD * gamma, 27n) -
      unsafeDiv(
        unsafeDiv(
          unsafeDiv(i(unsafeI(unsafeDiv(unsafeI(D * D), xj) * gamma2) * ANN), 729n),
          10_000n,
        ),
        xk,
      ),
  );
  let c = i(
    10n ** 36n / 9n +
      unsafeDiv(gamma * (gamma + 4n * WAD), 27n) +
      unsafeDiv(unsafeDiv(unsafeI(unsafeDiv(i(gamma2 * (xj + xk - D)), D) * ANN), 27n), 10_000n),
  );
  let d = unsafeDiv((WAD + gamma) ** 2n, 27n);
  const d0 = abs(i(div(i(unsafeI(3n * a) * c), b) - b));
  let divider = 1n;
  for (let digits = 48n; digits >= 24n; digits -= 4n) {
    if (d0 > 10n ** digits && divider === 1n) divider = 10n ** (digits - 18n);
  }
  if (divider === 1n && d0 > 10n ** 20n) divider = 100n;
  if (abs(a) > abs(b)) {
    const more = abs(unsafeDiv(a, b));
    a = unsafeDiv(unsafeI(a * more), divider);
    b = unsafeDiv(i(b * more), divider);
    c = unsafeDiv(i(c * more), divider);
    d = unsafeDiv(i(d * more), divider);
  } else {
    const more = abs(unsafeDiv(b, a));
    a = unsafeDiv(div(a, more), divider);
    b = unsafeDiv(unsafeDiv(b, more), divider);
    c = unsafeDiv(unsafeDiv(c, more), divider);
    d = unsafeDiv(unsafeDiv(d, more), divider);
  }
  const ac3 = i(unsafeI(3n * a) * c);
  const delta0 = i(unsafeDiv(ac3, b) - b);
  const delta1 = i(
    i(unsafeDiv(i(3n * ac3), b) - unsafeI(2n * b)) -
      unsafeDiv(i(unsafeDiv(i(27n * i(a ** 2n)), b) * d), b),
  );
  const root = i(i(delta1 ** 2n) + i(unsafeDiv(i(4n * i(delta0 ** 2n)), b) * delta0));
  if (root <= 0n) return [checkedNewtonY(pool, x, position), 0n];
  const squareRoot = isqrt(root);
  const bCbrt = b >= 0n ? cbrt(b) : -cbrt(-b);
  const second =
    delta1 > 0n ? cbrt(i(delta1 + squareRoot) / 2n) : -cbrt(-i(delta1 - squareRoot) / 2n);
  const C1 = unsafeDiv(i(unsafeDiv(i(bCbrt * bCbrt), WAD) * second), WAD);
  const rootK0 = unsafeDiv(i(b + div(i(b * delta0), C1) - C1), 3n);
  const y = unsafeDiv(i(unsafeDiv(i(unsafeDiv(unsafeDiv(i(D * D), 27n), xk) * D), xj) * rootK0), a);
  const K0 = unsafeDiv(i(WAD * rootK0), a);
  require(y >= 0n && K0 >= 0n, "negative");
  within(unsafeDiv(u(y * WAD), D), 10n ** 16n - 1n, 10n ** 20n);
  return [y, K0];
}

function checkedNewtonY(pool: PlainCrypto, x: ReadonlyArray<bigint>, position: number): bigint {
  const y = newtonY(pool, x, position, undefined);
  within((y * WAD) / pool.D, 10n ** 16n, 10n ** 20n);
  return y;
}

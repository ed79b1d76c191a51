const DIGITS = 18;

/**
 * Whole output tokens per whole input token: the exact ratio, cut (not rounded) to 18 significant
 * digits, without exponent and without trailing zeros after the point. Both amounts are ≥ 1.
 */
export function tokenPrice(
  amountIn: bigint,
  decimalsIn: number,
  amountOut: bigint,
  decimalsOut: number,
): string {
  const shift = decimalsIn - decimalsOut;
  // Scaled to one digit more than is kept: the floor of a float's logarithm may be off by one
  // either way. (The difference of the logarithms, since the ratio itself may exceed a float.)
  const magnitude = Math.log10(Number(amountOut)) - Math.log10(Number(amountIn)) + shift;
  const scale = DIGITS - Math.floor(magnitude);
  const power = shift + scale;
  const scaled =
    power >= 0
      ? (amountOut * powerOfTen(power)) / amountIn
      : amountOut / (amountIn * powerOfTen(-power));
  return decimalText(scaled.toString(), scale);
}

/** The number `digits` × 10^−scale with at most DIGITS significant digits, cut. */
function decimalText(digits: string, scale: number): string {
  let kept = digits.slice(0, DIGITS);
  const places = scale - (digits.length - kept.length);
  if (places <= 0) return kept + "0".repeat(-places);
  if (kept.length <= places) kept = "0".repeat(places - kept.length + 1) + kept;
  let end = kept.length;
  const point = kept.length - places;
  while (end > point && kept.charCodeAt(end - 1) === ZERO) end--;
  return end === point ? kept.slice(0, point) : `${kept.slice(0, point)}.${kept.slice(point, end)}`;
}

function powerOfTen(exponent: number): bigint {
  const known = POWERS[exponent];
  if (known !== undefined) return known;
  return 10n ** BigInt(exponent);
}

const ZERO = "0".charCodeAt(0);
const POWERS: ReadonlyArray<bigint> = Array.from(
  { length: 100 },
  (_, index) => 10n ** BigInt(index),
);

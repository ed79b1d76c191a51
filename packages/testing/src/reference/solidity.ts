/**
 * Solidity's integers as bigints, with the width checks at which a contract would revert. The
 * reference is written from the contracts and shares no code with the engine; it is plain and slow.
 */

/** A contract's revert. It captures no stack, since reverts are frequent. */
export class Reverted extends Error {
  constructor(reason: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(reason);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export function require(condition: boolean, reason: string): void {
  if (!condition) throw new Reverted(reason);
}

export function uint(bits: number, value: bigint): bigint {
  require(value >= 0n && value < 1n << BigInt(bits), `does not fit uint${bits}`);
  return value;
}

export function signed(bits: number, value: bigint): bigint {
  require(BigInt.asIntN(bits, value) === value, `does not fit int${bits}`);
  return value;
}

/** FullMath.mulDiv: the product in full width, the result in 256 bits. */
export function mulDiv(a: bigint, b: bigint, denominator: bigint): bigint {
  require(denominator > 0n, "division by zero");
  return uint(256, (a * b) / denominator);
}

export function mulDivRoundingUp(a: bigint, b: bigint, denominator: bigint): bigint {
  require(denominator > 0n, "division by zero");
  return uint(256, divRoundingUp(a * b, denominator));
}

export function divRoundingUp(a: bigint, b: bigint): bigint {
  return a / b + (a % b > 0n ? 1n : 0n);
}

/** The value of `compute`; undefined where it reverts. */
export function unlessReverted<A>(compute: () => A): A | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Reverted) return undefined;
    throw error;
  }
}

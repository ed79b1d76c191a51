/**
 * x·y = k with a fee on the input, as pure integers. Two rounding rules are in use:
 *
 * - FEE_INSIDE, Uniswap V2 (`UniswapV2Library.sol`): the fee is a factor inside one division.
 * - FEE_FIRST, Aerodrome's and Velodrome's volatile pools (`Pool.sol`): the fee is taken off,
 *   rounded down, before the division; it leaves the pool.
 *
 * Fees in the contracts are in 1/1000 or 1/10000; in hundredths of a basis point both sides of
 * each division grow alike, and the floor stays the same.
 */

export const FEE_INSIDE = 0;
export const FEE_FIRST = 1;

const PIPS = 1_000_000n;

/** Uniswap V2 keeps reserves in 112 bits and reverts when a balance outgrows them. */
export const RESERVE_MAX_FEE_INSIDE = (1n << 112n) - 1n;
/**
 * Aerodrome's reserves are 256 bits wide; this engine's state keeps 128, more than any token has.
 */
export const RESERVE_MAX_FEE_FIRST = (1n << 128n) - 1n;

/** Output for `amountIn`; 0n when it rounds to nothing. Reserves are > 0. */
export function amountOutFeeInside(
  amountIn: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
  feePips: bigint,
): bigint {
  const amountInLessFee = amountIn * (PIPS - feePips);
  return (amountInLessFee * reserveOut) / (reserveIn * PIPS + amountInLessFee);
}

/**
 * The least input that gives at least `amountOut` < reserveOut. The contract's library asks for one
 * more where the division leaves no rest; the pair itself does not.
 */
export function amountInFeeInside(
  amountOut: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
  feePips: bigint,
): bigint {
  const kept = (reserveOut - amountOut) * (PIPS - feePips);
  return (reserveIn * amountOut * PIPS + kept - 1n) / kept;
}

/** Output for `amountIn`; 0n when it rounds to nothing. Reserves are > 0. */
export function amountOutFeeFirst(
  amountIn: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
  feePips: bigint,
): bigint {
  const amountInLessFee = amountIn - feeFirst(amountIn, feePips);
  return (amountInLessFee * reserveOut) / (reserveIn + amountInLessFee);
}

/**
 * The least input that gives at least `amountOut` < reserveOut. The contract has no such function;
 * this inverts `amountOutFeeFirst`: first the least amount after the fee, then the least before it.
 */
export function amountInFeeFirst(
  amountOut: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
  feePips: bigint,
): bigint {
  const left = reserveOut - amountOut;
  const amountInLessFee = (reserveIn * amountOut + left - 1n) / left;
  // a − ⌊a × fee⌋ ≥ n is the same as a × (1 − fee) > n − 1.
  return ((amountInLessFee - 1n) * PIPS) / (PIPS - feePips) + 1n;
}

/** The fee that leaves a FEE_FIRST pool. */
export function feeFirst(amountIn: bigint, feePips: bigint): bigint {
  return (amountIn * feePips) / PIPS;
}

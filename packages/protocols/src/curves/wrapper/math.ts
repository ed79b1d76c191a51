import { REFUSED } from "@millrace/core/pure";

/**
 * A contract that wraps assets in shares of all that it holds (ERC-4626): `shares` stand for
 * `assets`; some contracts add virtual ones to both.
 */
export interface Wrapper {
  readonly shares: bigint;
  readonly assets: bigint;
  readonly virtualShares: bigint;
  readonly virtualAssets: bigint;
  /** `shares` and `assets` are a rate that no swap changes, not totals. */
  readonly isFixed: boolean;
  /** The most assets that it takes now, and the most shares. */
  readonly depositMax: bigint;
  readonly redeemMax: bigint;
}

/** Amounts have 128 bits, so that their products with totals have the 256 of the contracts. */
export const WRAPPED_END = 1n << 128n;
/** No contract's total is as large. */
export const TOTAL_END = 1n << 127n;

/** The output of a unit of the input, as a fraction. */
export function wrapperRate(
  wrapper: Wrapper,
  isDeposit: boolean,
): readonly [numerator: bigint, denominator: bigint] {
  const shares = wrapper.shares + wrapper.virtualShares;
  const assets = wrapper.assets + wrapper.virtualAssets;
  return isDeposit ? [shares, assets] : [assets, shares];
}

/**
 * The most that goes in; 0 without shares or assets, where contracts set a first rate of their own.
 */
export function wrapperCapacity(wrapper: Wrapper, isDeposit: boolean): bigint {
  const [numerator, denominator] = wrapperRate(wrapper, isDeposit);
  const { shares, assets, isFixed, depositMax, redeemMax } = wrapper;
  if (shares === 0n || assets === 0n) return 0n;
  if (!isDeposit) return least(redeemMax, isFixed ? WRAPPED_END - 1n : shares);
  // The total of the shares has to stay below its end too; shares are minted in whole units.
  const mintable = ((TOTAL_END - shares) * denominator - 1n) / numerator;
  return least(depositMax, TOTAL_END - 1n - assets, mintable);
}

/** What comes out: rounded down, as `previewDeposit` and `previewRedeem` do. */
export function wrapperAmountOut(wrapper: Wrapper, isDeposit: boolean, amountIn: bigint): bigint {
  const capacity = wrapperCapacity(wrapper, isDeposit);
  if (capacity <= 0n || amountIn > capacity) return REFUSED;
  const [numerator, denominator] = wrapperRate(wrapper, isDeposit);
  return (amountIn * numerator) / denominator;
}

/** The least that has to go in, by the inverse of the same division: rounded up. */
export function wrapperAmountIn(wrapper: Wrapper, isDeposit: boolean, amountOut: bigint): bigint {
  const capacity = wrapperCapacity(wrapper, isDeposit);
  if (capacity <= 0n) return REFUSED;
  const [numerator, denominator] = wrapperRate(wrapper, isDeposit);
  const amountIn = (amountOut * denominator + numerator - 1n) / numerator;
  return amountIn > capacity ? REFUSED : amountIn;
}

function least(first: bigint, ...others: ReadonlyArray<bigint>): bigint {
  let value = first;
  for (const other of others) if (other < value) value = other;
  return value;
}

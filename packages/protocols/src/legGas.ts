/**
 * Gas that a leg adds to the executor's transaction as a rule, by what the pool's contract uses
 * when it is called: allowances and refunds included, of which there is at most a fifth of all.
 * Measured with real transactions (`test/executor/gasOfManyTokens.test.ts`).
 */

/** Of pools of Curve's, which take their input by an allowance. */
export const curveLegGas = (used: number): number => 0.8 * used + 42_000;

/** Of Balancer's Vaults: V2's takes its input by an allowance, V3's is paid while unlocked. */
export const vaultV2LegGas = (used: number): number => Math.max(0.8 * used + 37_000, used + 17_800);
export const vaultV3LegGas = (used: number): number => used + 14_500;

/** Of vaults of shares: a deposit takes its assets by an allowance. */
export const depositGas = (used: number): number => used + 28_000;
export const redemptionGas = (used: number): number => used + 8_000;

/** Of staking by wstETH, beside a deposit's, which its curve has: it takes native tokens. */
export const STAKING_GAS_BESIDE = -30_000;

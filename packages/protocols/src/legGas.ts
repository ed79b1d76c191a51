/**
 * Gas that a leg typically adds to the executor's transaction, by the gas that a call of the pool's
 * contract uses. It includes allowances, and refunds, which are at most a fifth of all gas.
 * Measured with real transactions (`test/executor/gasOfManyTokens.test.ts`).
 */

/** Of pools of Curve's, which take their input by an allowance. */
export const curveLegGas = (used: number): number => 0.8 * used + 42_000;

/** Of Balancer's Vaults: V2's takes its input by an allowance, V3's is paid while unlocked. */
export const vaultV2LegGas = (used: number): number => Math.max(0.8 * used + 37_000, used + 17_800);
export const vaultV3LegGas = (used: number): number => used + 14_500;

/** What a deposit or a redemption uses: savings vaults take 90k to 150k, with their transfers. */
const VAULT_USED = 160_000;
/** What staking by wstETH uses: 46k on a devnet; Lido's own, behind two proxies, uses more. */
const STAKING_USED = 62_000;

/** Of vaults of shares: a deposit takes its assets by an allowance. */
export const depositGas = (used: number): number => used + 28_000;
export const redemptionGas = (used: number): number => used + 8_000;

export const DEPOSIT_GAS = depositGas(VAULT_USED);
export const REDEMPTION_GAS = redemptionGas(VAULT_USED);

/** Of staking by wstETH, beside a deposit that uses as much: it takes native tokens. */
export const STAKING_GAS_BESIDE = -30_000;
/** The same beside `DEPOSIT_GAS`, which the curve's `typicalGas` gives. */
export const LIDO_GAS_BESIDE = STAKING_GAS_BESIDE + STAKING_USED - VAULT_USED;

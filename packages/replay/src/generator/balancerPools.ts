import { encodePoolId, FEE_IN_STATE, type PoolId } from "@millrace/core";
import {
  balancerConstants,
  balancerStable,
  encodeBalancerState,
  NO_OWN_TOKEN,
  STABLE_V2,
  STABLE_V3,
  WEIGHTED_V2,
  WEIGHTED_V3,
  weighted,
} from "@millrace/protocols";
import type { FeeTier } from "./chains.ts";
import type { DrawPool, PoolTerms } from "./drawPool.ts";

/** Generated pools of Balancer's Vaults. */

const E18 = 10n ** 18n;
const E12 = 10n ** 12n;
const PERCENT_E18 = 10n ** 16n;
/** 32-bit words of a 32-byte id after its address. */
const MORE_ID_WORDS = 3;
/** The Vault's part of each fee in V3. */
const AGGREGATE_FEE_E18 = E18 / 2n;
const SURGE = { surgeThresholdE18: 30n * PERCENT_E18, surgeMaxE18: 95n * PERCENT_E18 };

/** Weighted pools; a tier's parameter is the weight of token0 in per cent. */
export function weightedPools(vault: 2 | 3): DrawPool {
  return (random, tier, terms) => {
    const share = tier.parameter / 100;
    const weights = [tier.parameter, 100 - tier.parameter].map(
      (part) => BigInt(part) * PERCENT_E18,
    );
    const exponents = terms.decimals.map((decimals) => 18 - decimals);
    const constants = balancerConstants(
      vault === 2 ? WEIGHTED_V2 : WEIGHTED_V3,
      exponents,
      weights,
    );
    const balances = [2 * share * terms.reserve0, 2 * (1 - share) * terms.reserve1];
    return {
      ...{ curve: weighted.name, feePips: FEE_IN_STATE, parameter: 0 },
      constants: vault === 2 ? withId(terms, random.hex(MORE_ID_WORDS), constants) : constants,
      state: encodeBalancerState(stateOf(vault, tier, balances)),
    };
  };
}

/** Stable pools; a tier's parameter is the amplification. */
export function stablePools(vault: 2 | 3): DrawPool {
  return (random, tier, terms) => {
    const exponents = terms.decimals.map((decimals) => 18 - decimals);
    const rule = vault === 2 ? STABLE_V2 : STABLE_V3;
    const constants = balancerConstants(rule, exponents, [NO_OWN_TOKEN]);
    const ratio = ratioAtPrice(terms.stray, tier.parameter);
    const balances = [terms.reserve0, (terms.reserve1 / terms.stray) * ratio];
    const stable = { ampE3: 1_000n * BigInt(tier.parameter), ...(vault === 3 && SURGE) };
    return {
      ...{ curve: balancerStable.name, feePips: FEE_IN_STATE, parameter: 0 },
      constants: vault === 2 ? withId(terms, random.hex(MORE_ID_WORDS), constants) : constants,
      state: encodeBalancerState({ ...stateOf(vault, tier, balances), stable }),
    };
  };
}

/** V2's ids have 32 bytes and begin with the pool's address. */
function withId({ address }: PoolTerms, digits: string, constants: BigUint64Array) {
  const id: PoolId = `${address}${digits.slice(2)}`;
  return encodePoolId(id, constants);
}

function stateOf(vault: 2 | 3, { feePips }: FeeTier, balances: ReadonlyArray<number>) {
  return {
    balances: balances.map((balance) => BigInt(Math.floor(balance))),
    ratesE18: [E18, E18],
    feeE18: BigInt(feePips) * E12,
    ...(vault === 3 && { aggregateFeeE18: AGGREGATE_FEE_E18 }),
  };
}

/** The amount of token1 per token0 at which token0 has this price in token1, found by halving. */
function ratioAtPrice(price: number, amp: number): number {
  let low = 0.01;
  let high = 100;
  for (let halving = 0; halving < 60; halving++) {
    const ratio = (low + high) / 2;
    const d = invariantOf(ratio, amp);
    const h = (d * d * d) / (8 * amp * ratio);
    if (ratio * (1 + h) < price * (ratio + h)) low = ratio;
    else high = ratio;
  }
  return low;
}

/** D of balances of 1 and `ratio`, by Newton's method. */
function invariantOf(ratio: number, amp: number): number {
  const sum = 1 + ratio;
  let d = sum;
  for (let round = 0; round < 40; round++) {
    const product = (d * d * d) / (4 * ratio);
    d = ((2 * amp * sum + 2 * product) * d) / ((2 * amp - 1) * d + 3 * product);
  }
  return d;
}

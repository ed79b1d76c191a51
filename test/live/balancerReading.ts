import {
  type Address,
  encodePoolId,
  FEE_IN_STATE,
  type PoolListing,
  type PoolState,
  writeWords,
} from "@millrace/core";
import type { BalancerPoolState, ManyTokenPool } from "@millrace/devnet";
import {
  balancerConstants,
  balancerStable,
  encodeBalancerState,
  NO_OWN_TOKEN,
  STABLE_V2,
  STABLE_V3_BOUNDED,
  WEIGHTED_V2,
  WEIGHTED_V3_LEAST,
  weighted,
} from "@millrace/protocols";

const NOBODY: Address = `0x${"0".repeat(40)}`;
const ADDRESS_WORDS = 3;

/** A Balancer pool in a market's form, read from its contracts. */
export function balancerReading(
  pool: ManyTokenPool,
  state: BalancerPoolState,
): { readonly listing: PoolListing; readonly state: PoolState } {
  const { address, dexId, tokens, kind, rates = [], hook = NOBODY } = pool;
  const isV3 = kind === "balancer-v3";
  const isStable = state.amp !== undefined;
  const exponents = state.decimals.map((decimals) => 18 - decimals);
  const own = isStable ? [NO_OWN_TOKEN] : [...state.weights!, ...(state.leastBalances ?? [])];
  const curveWords = balancerConstants(ruleOf(isV3, isStable), exponents, own);
  const providers = tokens.map((_, at) => rates[at]?.provider ?? NOBODY);
  const told = isV3 ? [...providers, hook] : isStable ? providers : [];
  const words = BigUint64Array.from([...curveWords, ...told.flatMap(wordsOf)]);
  const listing = {
    ...{ address, dexId, tokens, feePips: FEE_IN_STATE, parameter: 0 },
    curve: isStable ? balancerStable.name : weighted.name,
    constants: isV3 ? words : encodePoolId(pool.id, words),
  };
  const { balances, rates: ratesE18, fee, aggregateFee, isPaused, amp, surge } = state;
  const charged = { balances, ratesE18, feeE18: fee, aggregateFeeE18: aggregateFee, isPaused };
  if (amp === undefined) return { listing, state: encodeBalancerState(charged) };
  const stable = {
    ...{ ampE3: amp, surgeThresholdE18: surge?.threshold ?? 0n, surgeMaxE18: surge?.max ?? 0n },
  };
  return { listing, state: encodeBalancerState({ ...charged, stable }) };
}

function ruleOf(isV3: boolean, isStable: boolean): bigint {
  if (isV3) return isStable ? STABLE_V3_BOUNDED : WEIGHTED_V3_LEAST;
  return isStable ? STABLE_V2 : WEIGHTED_V2;
}

function wordsOf(address: Address): ReadonlyArray<bigint> {
  const words = new BigUint64Array(ADDRESS_WORDS);
  writeWords(words, 0, ADDRESS_WORDS, BigInt(address));
  return [...words];
}

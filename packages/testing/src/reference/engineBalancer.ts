import {
  type Curve,
  FEE_IN_STATE,
  NO_HASH,
  openMarket,
  type PoolListing,
  type PoolState,
} from "@millrace/core";
import {
  balancerConstants,
  curves,
  encodeBalancerState,
  NO_OWN_TOKEN,
  STABLE_V2,
  STABLE_V2_FIRST,
  STABLE_V3,
  STABLE_V3_BOUNDED,
  WEIGHTED_V2,
  WEIGHTED_V2_FIRST,
  WEIGHTED_V3,
  WEIGHTED_V3_LEAST,
} from "@millrace/protocols";
import type { BalancerPool } from "./balancerPool.ts";
import type { OpenPool } from "./openPool.ts";

const DEX_ID = "BALANCER";

/** The `Curve.name` of a pool. */
const balancerCurveOf = ({ math }: BalancerPool): string =>
  math.name === "weighted" ? "weighted" : "balancer-stable";

/** The constant properties of a pool, as a block lists them. */
export function balancerListing(pool: BalancerPool): Omit<PoolListing, "dexId"> {
  const { address, tokens, decimalScalingFactors, vault, math } = pool;
  const exponents = decimalScalingFactors.map((factor) => factor.toString().length - 1);
  const rule =
    math.name === "weighted"
      ? vault === 2
        ? [WEIGHTED_V2_FIRST, WEIGHTED_V2][math.powVersion - 1]!
        : math.minTokenBalances === undefined
          ? WEIGHTED_V3
          : WEIGHTED_V3_LEAST
      : vault === 2
        ? math.isFirstFormula
          ? STABLE_V2_FIRST
          : STABLE_V2
        : math.isBounded
          ? STABLE_V3_BOUNDED
          : STABLE_V3;
  const own =
    math.name === "weighted"
      ? [...math.weights, ...(math.minTokenBalances ?? [])]
      : [math.bptIndex === undefined ? NO_OWN_TOKEN : BigInt(math.bptIndex)];
  return {
    ...{ address, tokens, curve: balancerCurveOf(pool), feePips: FEE_IN_STATE, parameter: 0 },
    constants: balancerConstants(rule, exponents, own),
  };
}

export function encodeBalancer(pool: BalancerPool): PoolState {
  const { balances, rates, fee, aggregateFee, isPaused, math } = pool;
  const state = { balances, ratesE18: rates, feeE18: fee, aggregateFeeE18: aggregateFee, isPaused };
  if (math.name === "weighted") return encodeBalancerState(state);
  const { amp, surge } = math;
  const stable = {
    ampE3: amp,
    surgeThresholdE18: surge?.threshold ?? 0n,
    surgeMaxE18: surge?.max ?? 0n,
  };
  return encodeBalancerState({ ...state, stable });
}

/** A graph that holds only this pool. Throws when the graph leaves it out. */
export function openBalancerPool(
  pool: BalancerPool,
  families: ReadonlyArray<Curve> = curves,
): OpenPool {
  const open = openMarket(1, families);
  const { rejected } = open.writer.applyBlock({
    stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
    dexes: [{ id: DEX_ID, name: DEX_ID, protocol: "balancer", factory: `0x${"00".repeat(20)}` }],
    tokens: pool.tokens.map((address) => ({ address, decimals: 18, symbol: "", name: "" })),
    pools: [{ ...balancerListing(pool), dexId: DEX_ID }],
    removedPools: [],
    states: [{ pool: pool.address, state: encodeBalancer(pool) }],
    ...{ swaps: [], supplies: [] },
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
  const index = open.graph.findPool(pool.address)!;
  return { open, index, family: open.families[open.graph.poolCurve[index]!]! };
}

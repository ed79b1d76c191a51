import type { Curve, PoolGraph, PoolShape, PoolState } from "@millrace/core/pure";
import { balancerFamily } from "../../balancerFamily.ts";
import {
  checkBalancer,
  curveConstant,
  decodeBalancerState,
  ruleOf,
  stableStateWords,
} from "../../balancerState.ts";
import { balanceBits, readVaultPool } from "../../balancerVault.ts";
import { vaultV2LegGas, vaultV3LegGas } from "../../legGas.ts";
import { balancerStableFace } from "./estimates.ts";
import { type BalancerStablePool, balancerStableMath, invariantDown, invariantUp } from "./math.ts";

/** Rules: V2's first pools, its later ones, V3's, and those of V3 that bound their imbalance. */
export const STABLE_V2_FIRST = 0n;
export const STABLE_V2 = 1n;
export const STABLE_V3 = 2n;
export const STABLE_V3_BOUNDED = 3n;

/** Stands for the position of a pool's own token where it has none among its tokens. */
export const NO_OWN_TOKEN = 255n;

const E18 = 10n ** 18n;
const AMP_MIN_E3 = 1_000n;
const AMP_MAX_E3 = 50_000_000n;
/** V2's Vault was measured with two tokens; a little is added for rates. V3's uses more. */
const GAS_V2 = { bound: 260_000, typical: vaultV2LegGas(105_000) };
const GAS_V3 = { bound: 360_000, typical: vaultV3LegGas(145_000) };

/**
 * Balancer's stable pools of two to eight tokens. Constants: those of `balancerConstants`, with the
 * position of the pool's own token, which is never swapped here.
 */
export const balancerStable: Curve = {
  name: "balancer-stable",
  stateWords: stableStateWords,
  check,
  open,
};

const isV3 = (rule: bigint) => rule >= STABLE_V3;

function check(pool: PoolShape, state: PoolState | undefined): string | undefined {
  const { decimals, constants } = pool;
  const count = decimals.length;
  const rule = constants[0];
  if (rule === undefined || rule > STABLE_V3_BOUNDED) return "an unknown rule";
  if (constants.length < 2 + count) return `${constants.length} words of constants`;
  const own = curveConstant(constants, count, 0);
  if (own !== NO_OWN_TOKEN && own >= count) return `an own token at ${own}`;
  const others = own === NO_OWN_TOKEN ? count : count - 1;
  if (others < 2) return `${others} tokens`;
  const isStable = true;
  const problem = checkBalancer(pool, state, { balanceBits: balanceBits(isV3(rule)), isStable });
  if (problem !== undefined || state === undefined) return problem;
  const { stable } = decodeBalancerState(state.words, 0, count, isStable);
  const { ampE3, surgeThresholdE18, surgeMaxE18 } = stable!;
  if (ampE3 < AMP_MIN_E3 || ampE3 > AMP_MAX_E3) return `an amplification of ${ampE3} / 1000`;
  return surgeThresholdE18 > E18 || surgeMaxE18 > E18 ? "a surge of more than all" : undefined;
}

/** A pool of `count` tokens, whose state begins at a word. */
export function readStablePool(
  words: BigUint64Array,
  start: number,
  constants: BigUint64Array,
  count: number,
): BalancerStablePool {
  const rule = ruleOf(constants);
  const kind = { count, isV3: isV3(rule), isStable: true };
  const found = readVaultPool(words, start, constants, kind);
  const ownPosition = Number(curveConstant(constants, count, 0));
  const curveBalancesE18 = found.balancesE18.filter((_, at) => at !== ownPosition);
  const invariantOf = rule === STABLE_V2_FIRST ? invariantUp : invariantDown;
  return {
    ...{ ...found, ownPosition, curveBalancesE18 },
    isBounded: rule === STABLE_V3_BOUNDED,
    invariantE18: invariantOf(found.stable!.ampE3, curveBalancesE18),
  };
}

function open(graph: PoolGraph) {
  return balancerFamily<BalancerStablePool>(graph, {
    math: balancerStableMath,
    readPool: readStablePool,
    faceOf: balancerStableFace,
    isOwn: ({ ownPosition }, position) => position === ownPosition,
    gas: (pool) => (pool.isV3 ? GAS_V3 : GAS_V2),
    leastGas: Math.min(GAS_V2.typical, GAS_V3.typical),
  });
}

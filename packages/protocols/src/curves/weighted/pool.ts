import type { Curve, PoolGraph, PoolShape, PoolState } from "@millrace/core/pure";
import { balancerFamily } from "../../balancerFamily.ts";
import { checkBalancer, curveConstant, ruleOf, weightedStateWords } from "../../balancerState.ts";
import { balanceBits, readVaultPool } from "../../balancerVault.ts";
import { vaultV2LegGas, vaultV3LegGas } from "../../legGas.ts";
import { weightedFace } from "./estimates.ts";
import { mostOf, type WeightedPool, weightedMath } from "./math.ts";

/** Rules: V2's first pools, its later ones, V3's, and those of V3 with least balances. */
export const WEIGHTED_V2_FIRST = 0n;
export const WEIGHTED_V2 = 1n;
export const WEIGHTED_V3 = 2n;
export const WEIGHTED_V3_LEAST = 3n;

const E18 = 10n ** 18n;
/** A weight is from 1 to 99 %. */
const WEIGHT_MIN_E18 = 10n ** 16n;
/** Of the Vaults, measured with three tokens: `gasOfManyTokens.test.ts`. */
const GAS_V2 = { bound: 160_000, typical: vaultV2LegGas(63_000) };
const GAS_V3 = { bound: 280_000, typical: vaultV3LegGas(95_000) };

/**
 * Balancer's weighted pools of two to eight tokens. Constants: those of `balancerConstants`, with
 * the weights (10^18 are all), and for WEIGHTED_V3_LEAST the least balances.
 */
export const weighted: Curve = {
  name: "weighted",
  stateWords: weightedStateWords,
  check,
  open,
};

const isV3 = (rule: bigint) => rule >= WEIGHTED_V3;

function check(pool: PoolShape, state: PoolState | undefined): string | undefined {
  const { decimals, constants } = pool;
  const count = decimals.length;
  const rule = constants[0];
  if (count < 2) return `${count} tokens`;
  if (rule === undefined || rule > WEIGHTED_V3_LEAST) return "an unknown rule";
  const lists = rule === WEIGHTED_V3_LEAST ? 3 : 2;
  if (constants.length < 1 + lists * count) return `${constants.length} words of constants`;
  for (let at = 0; at < count; at++) {
    const weight = curveConstant(constants, count, at);
    if (weight < WEIGHT_MIN_E18 || weight > E18 - WEIGHT_MIN_E18) {
      return `a weight of ${weight} / 10^18`;
    }
  }
  return checkBalancer(pool, state, { balanceBits: balanceBits(isV3(rule)), isStable: false });
}

/** A pool of `count` tokens, whose state begins at a word. */
export function readWeightedPool(
  words: BigUint64Array,
  start: number,
  constants: BigUint64Array,
  count: number,
): WeightedPool {
  const rule = ruleOf(constants);
  const listed = (from: number) =>
    Array.from({ length: count }, (_, at) => curveConstant(constants, count, from + at));
  const kind = { count, isV3: isV3(rule), isStable: false };
  const found = readVaultPool(words, start, constants, kind);
  return {
    ...found,
    weightsE18: listed(0),
    mostE18: found.balancesE18.map(mostOf),
    exponentsE18: new Array<bigint | undefined>(count * count),
    hasShortcuts: rule !== WEIGHTED_V2_FIRST,
    leastE18: rule === WEIGHTED_V3_LEAST ? listed(count) : undefined,
  };
}

function open(graph: PoolGraph) {
  return balancerFamily<WeightedPool>(graph, {
    math: weightedMath,
    readPool: readWeightedPool,
    faceOf: weightedFace,
    isOwn: () => false,
    gas: (pool) => (pool.isV3 ? GAS_V3 : GAS_V2),
    leastGas: Math.min(GAS_V2.typical, GAS_V3.typical),
  });
}

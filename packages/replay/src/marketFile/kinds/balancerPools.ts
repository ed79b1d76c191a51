import { FEE_IN_STATE } from "@millrace/core";
import {
  balancerConstants,
  balancerStable,
  encodeBalancerState,
  NO_OWN_TOKEN,
  STABLE_V2,
  STABLE_V2_FIRST,
  STABLE_V3,
  WEIGHTED_V2,
  WEIGHTED_V2_FIRST,
  WEIGHTED_V3,
  weighted,
} from "@millrace/protocols";
import { Schema } from "effect";
import { bounded } from "../bounded.ts";
import { type Faults, shown } from "../Faults.ts";
import { integerText, reader, Unsigned } from "../reader.ts";
import type { PoolKind } from "./PoolKind.ts";

/** Pools of Balancer's Vaults. */

const E18 = 10n ** 18n;
/** Widths of numbers in states and constants. */
const NUMBER_BITS = 128;
const WORD_BITS = 64;
const TOKENS_MAX = 8;
const EXPONENT_MAX = 18;

const Numbers = Schema.Array(Unsigned);
const v2 = { balances: Numbers, scalingFactors: Numbers, fee: Unsigned };
const readWeighted = reader(
  Schema.Struct({ ...v2, weights: Numbers, pow: Schema.Literals(["v1", "v2"]) }),
);
const readStable = reader(
  Schema.Struct({
    ...v2,
    amp: Unsigned,
    invariant: Schema.Literals(["up", "curve"]),
    bptIndex: Schema.optional(Schema.NullOr(integerText(0, TOKENS_MAX - 1))),
  }),
);
const readV3 = reader(
  Schema.Struct({
    balances18: Numbers,
    scalingFactors: Numbers,
    rates: Numbers,
    swapFee: Unsigned,
    weights: Schema.optional(Numbers),
    amp: Schema.optional(Unsigned),
    surge: Schema.optional(Schema.NullOr(Schema.Struct({ threshold: Unsigned, max: Unsigned }))),
  }),
);

/** The fee may change. */
const CHANGING_FEE = { feePips: FEE_IN_STATE, parameter: 0 };
const V2_LISTS = ["balances", "scalingFactors"] as const;
const V3_LISTS = ["balances18", "scalingFactors", "rates"] as const;

export const balancerV2WeightedPool: PoolKind = {
  name: "balancer-v2-weighted",
  dexId: "BALANCER_V2",
  protocol: "balancer-v2",
  curve: weighted,
  isNested: true,
  mark: "balances",
  constants: ["weights", "pow"],
  decode: (input, path, faults) => {
    const shape = readWeighted(input, path, faults);
    if (shape === undefined || !areAsMany(shape, [...V2_LISTS, "weights"], path, faults)) {
      return undefined;
    }
    const weights = wordsOf(shape.weights, `${path}.weights`, faults);
    const rule = shape.pow === "v1" ? WEIGHTED_V2_FIRST : WEIGHTED_V2;
    return {
      ...CHANGING_FEE,
      constants: balancerConstants(rule, wholeFactors(weights), weights),
      state: encodeBalancerState(stateOfV2(shape, path, faults)),
    };
  },
};

export const balancerV2StablePool: PoolKind = {
  ...balancerV2WeightedPool,
  name: "balancer-v2-stable",
  curve: balancerStable,
  constants: ["invariant", "bptIndex"],
  decode: (input, path, faults) => {
    const shape = readStable(input, path, faults);
    if (shape === undefined || !areAsMany(shape, V2_LISTS, path, faults)) return undefined;
    const rule = shape.invariant === "up" ? STABLE_V2_FIRST : STABLE_V2;
    const own = shape.bptIndex ?? undefined;
    const state = stateOfV2(shape, path, faults);
    const ampE3 = bounded(shape.amp, WORD_BITS, `${path}.amp`, faults);
    return {
      ...CHANGING_FEE,
      constants: balancerConstants(rule, wholeFactors(shape.balances), [
        own === undefined ? NO_OWN_TOKEN : BigInt(own),
      ]),
      state: encodeBalancerState({ ...state, stable: { ampE3 } }),
    };
  },
};

/** With weights, or with an amplification. */
export const balancerV3Pool: PoolKind = {
  ...balancerV2WeightedPool,
  name: "balancer-v3",
  dexId: "BALANCER_V3",
  protocol: "balancer-v3",
  mark: "balances18",
  constants: ["weights", "scalingFactors"],
  decode: (input, path, faults) => {
    const shape = readV3(input, path, faults);
    if (shape === undefined || !areAsMany(shape, V3_LISTS, path, faults)) return undefined;
    const { weights, amp, surge } = shape;
    const exponents = shape.scalingFactors.map((factor, at) =>
      exponentOf(factor, `${path}.scalingFactors[${at}]`, faults),
    );
    const ratesE18 = numbersOf(shape.rates, `${path}.rates`, faults);
    const balances = shape.balances18.map((text, at) =>
      rawBalance(text, exponents[at]!, ratesE18[at]!, `${path}.balances18[${at}]`, faults),
    );
    const feeE18 = bounded(shape.swapFee, WORD_BITS, `${path}.swapFee`, faults);
    const state = { balances, ratesE18, feeE18 };
    if (weights !== undefined && amp === undefined && !surge) {
      if (!areAsMany({ ...shape, weights }, ["balances18", "weights"], path, faults)) {
        return undefined;
      }
      const words = wordsOf(weights, `${path}.weights`, faults);
      const constants = balancerConstants(WEIGHTED_V3, exponents, words);
      return { ...CHANGING_FEE, constants, state: encodeBalancerState(state) };
    }
    if (weights !== undefined || amp === undefined) {
      faults.add(path, "expected weights, or else an amp");
      return undefined;
    }
    const stable = {
      ampE3: bounded(amp, WORD_BITS, `${path}.amp`, faults),
      surgeThresholdE18: bounded(surge?.threshold ?? "0", WORD_BITS, `${path}.surge`, faults),
      surgeMaxE18: bounded(surge?.max ?? "0", WORD_BITS, `${path}.surge`, faults),
    };
    return {
      ...CHANGING_FEE,
      curve: balancerStable,
      constants: balancerConstants(STABLE_V3, exponents, [NO_OWN_TOKEN]),
      state: encodeBalancerState({ ...state, stable }),
    };
  },
};

type Lists<Key extends string> = Readonly<Record<Key, ReadonlyArray<string>>>;

/** Whether lists have the same length. */
function areAsMany<Key extends string>(
  shape: Lists<Key>,
  keys: ReadonlyArray<Key>,
  path: string,
  faults: Faults,
): boolean {
  const count = shape[keys[0]!].length;
  const odd = keys.filter((key) => shape[key].length !== count);
  for (const key of odd) faults.add(`${path}.${key}`, `${shape[key].length} of ${count}`);
  return odd.length === 0;
}

/** The scaling factors include the rates. */
function stateOfV2(
  shape: Lists<(typeof V2_LISTS)[number]> & { readonly fee: string },
  path: string,
  faults: Faults,
) {
  return {
    balances: numbersOf(shape.balances, `${path}.balances`, faults),
    ratesE18: numbersOf(shape.scalingFactors, `${path}.scalingFactors`, faults),
    feeE18: bounded(shape.fee, WORD_BITS, `${path}.fee`, faults),
  };
}

const wholeFactors = (tokens: ReadonlyArray<unknown>) => tokens.map(() => 0);

function numbersOf(texts: ReadonlyArray<string>, path: string, faults: Faults): bigint[] {
  return texts.map((text, at) => bounded(text, NUMBER_BITS, `${path}[${at}]`, faults));
}

function wordsOf(texts: ReadonlyArray<string>, path: string, faults: Faults): bigint[] {
  return texts.map((text, at) => bounded(text, WORD_BITS, `${path}[${at}]`, faults));
}

/** The exponent of a scaling factor of V3, which is a power of ten. */
function exponentOf(factor: string, path: string, faults: Faults): number {
  const exponent = factor.length - 1;
  if (/^10*$/.test(factor) && exponent <= EXPONENT_MAX) return exponent;
  faults.add(path, `expected 1, 10, … or 10^${EXPONENT_MAX}, is ${shown(factor)}`);
  return 0;
}

/** The least balance whose worth, with 18 decimals and at the rate, rounds down to this. */
function rawBalance(
  text: string,
  exponent: number,
  rateE18: bigint,
  path: string,
  faults: Faults,
): bigint {
  const balanceE18 = bounded(text, NUMBER_BITS, path, faults);
  const factorE18 = rateE18 * 10n ** BigInt(exponent);
  if (factorE18 === 0n) return 0n; // the rate has its own fault
  const balance = (balanceE18 * E18 + factorE18 - 1n) / factorE18;
  if ((balance * factorE18) / E18 !== balanceE18) {
    faults.add(path, `no balance is worth ${text} at a rate of ${rateE18} / 10^18`);
  }
  return balance >> BigInt(NUMBER_BITS) === 0n ? balance : 0n;
}

import { FEE_IN_STATE } from "@millrace/core";
import { constantProduct, encodeReserves, FEE_INSIDE, solidlyStable } from "@millrace/protocols";
import { Schema } from "effect";
import { bounded } from "../bounded.ts";
import type { Faults } from "../Faults.ts";
import { integerIn, integerText, reader, Unsigned } from "../reader.ts";
import type { PoolKind } from "./PoolKind.ts";

/** Pools of two reserves. */

/** Widths of the contracts' numbers. */
const PAIR_RESERVE_BITS = 112;
const SOLIDLY_RESERVE_BITS = 128; // of 256: more than any token has

const PIPS = 1_000_000;
/** Aerodrome's fees are in 1/10,000. */
const FEE_SCALE = 10_000;
const DECIMALS_MAX = 255;

const reserves = { reserve0: Unsigned, reserve1: Unsigned };
const readPair = reader(Schema.Struct({ ...reserves, fee: integerIn(0, PIPS - 1) }));
const readPancakePair = reader(Schema.Struct({ ...reserves, feePpm: integerText(0, PIPS - 1) }));
const readSolidlyPair = reader(
  Schema.Struct({
    ...reserves,
    fee: integerText(0, FEE_SCALE - 1),
    decimals0: integerText(0, DECIMALS_MAX),
    decimals1: integerText(0, DECIMALS_MAX),
  }),
);

export const uniswapV2Pair: PoolKind = {
  name: "v2",
  dexId: "UNISWAP_V2",
  protocol: constantProduct.name,
  curve: constantProduct,
  isNested: false,
  mark: "reserve0",
  constants: ["fee"],
  decode: (input, path, faults) => {
    const shape = readPair(input, path, faults);
    if (shape === undefined) return undefined;
    const state = encodeReserves(reservesIn(shape, PAIR_RESERVE_BITS, path, faults));
    return { feePips: shape.fee, parameter: FEE_INSIDE, state };
  },
};

export const pancakeV2Pair: PoolKind = {
  ...uniswapV2Pair,
  name: "pancake-v2",
  dexId: "PANCAKESWAP_V2",
  isNested: true,
  constants: ["feePpm"],
  decode: (input, path, faults) => {
    const shape = readPancakePair(input, path, faults);
    if (shape === undefined) return undefined;
    const state = encodeReserves(reservesIn(shape, PAIR_RESERVE_BITS, path, faults));
    return { feePips: shape.feePpm, parameter: FEE_INSIDE, state };
  },
};

/** Its factory may change the fee of a pool at any time. */
export const aerodromeStablePair: PoolKind = {
  name: "aerodrome-stable",
  dexId: "AERODROME",
  protocol: "aerodrome",
  curve: solidlyStable,
  isNested: true,
  mark: "reserve0",
  constants: ["decimals0", "decimals1"],
  decode: (input, path, faults) => {
    const shape = readSolidlyPair(input, path, faults);
    if (shape === undefined) return undefined;
    const feePips = (shape.fee * PIPS) / FEE_SCALE;
    return {
      feePips: FEE_IN_STATE,
      parameter: 0,
      constants: BigUint64Array.from([shape.decimals0, shape.decimals1], BigInt),
      state: encodeReserves(reservesIn(shape, SOLIDLY_RESERVE_BITS, path, faults), feePips),
    };
  },
};

function reservesIn(
  shape: { readonly reserve0: string; readonly reserve1: string },
  bits: number,
  path: string,
  faults: Faults,
): [bigint, bigint] {
  return [
    bounded(shape.reserve0, bits, `${path}.reserve0`, faults),
    bounded(shape.reserve1, bits, `${path}.reserve1`, faults),
  ];
}

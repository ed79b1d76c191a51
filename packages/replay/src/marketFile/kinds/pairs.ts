import { constantProduct, encodeReserves, FEE_INSIDE } from "@millrace/protocols";
import { Schema } from "effect";
import { bounded } from "../bounded.ts";
import type { Faults } from "../Faults.ts";
import { integer, integerText, reader, Unsigned } from "../reader.ts";
import type { PoolKind } from "./PoolKind.ts";

/** Pools of two reserves. */

/** Widths of the contracts' numbers. */
const PAIR_RESERVE_BITS = 112;

const PIPS = 1_000_000;

const reserves = { reserve0: Unsigned, reserve1: Unsigned };
const readPair = reader(Schema.Struct({ ...reserves, fee: integer(0, PIPS - 1) }));
const readPancakePair = reader(Schema.Struct({ ...reserves, feePpm: integerText(0, PIPS - 1) }));
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

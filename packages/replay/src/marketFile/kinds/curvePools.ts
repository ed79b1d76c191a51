import { FEE_IN_STATE } from "@millrace/core";
import {
  DIVIDES_EACH,
  DIVIDES_ONCE,
  encodeStableSwap,
  FEE_OF_UNITS,
  KEEPS_ORACLE,
  stableSwap,
  TAKES_UNFINISHED,
} from "@millrace/protocols";
import { Schema } from "effect";
import { bounded } from "../bounded.ts";
import type { Faults } from "../Faults.ts";
import { integerText, reader, Unsigned } from "../reader.ts";
import type { PoolKind } from "./PoolKind.ts";

/** Pools of Curve. */

/** Widths of numbers in a state. */
const AMOUNT_BITS = 128;
const MULTIPLIER_BITS = 64;

const FEE_DENOMINATOR = 10_000_000_000;
const A_MAX = 100_000_000;
/** In nearly all pools, half of the fee is the admin's. */
const ADMIN_FEE = 5_000_000_000n;

const readStable = reader(
  Schema.Struct({
    balances: Schema.Array(Unsigned),
    rates: Schema.Array(Unsigned),
    A: integerText(1, A_MAX),
    aPrecision: integerText(1, 100),
    fee: integerText(0, FEE_DENOMINATOR - 1),
    feeOrder: Schema.Literals(["unit", "xp"]),
    offpegFeeMultiplier: Schema.optionalKey(Unsigned),
    adminFee: Schema.optionalKey(Unsigned),
  }),
);

/** Plain pools and metapools with their base pool's token, with fixed fees. */
export const curveStablePool: PoolKind = {
  name: "curve-stable",
  dexId: "CURVE_STABLE",
  protocol: "curve-stable",
  curve: stableSwap,
  isNested: true,
  mark: "balances",
  constants: ["aPrecision", "feeOrder"],
  decode: (input, path, faults) =>
    decodeStable(input, path, faults, ({ aPrecision, feeOrder }) => {
      // The oldest pools have no precision of A, and do not revert when rounds run out.
      const end = aPrecision === 1 ? TAKES_UNFINISHED : 0;
      return DIVIDES_EACH | end | (feeOrder === "unit" ? FEE_OF_UNITS : 0);
    }),
};

/** StableSwap-NG, including metapools: a dynamic fee, and an oracle. */
export const curveStableNgPool: PoolKind = {
  ...curveStablePool,
  name: "curve-stable-ng",
  dexId: "CURVE_STABLE_NG",
  decode: (input, path, faults) =>
    decodeStable(input, path, faults, () => DIVIDES_ONCE | KEEPS_ORACLE),
};

type StableShape = NonNullable<ReturnType<typeof readStable>>;

function decodeStable(
  input: unknown,
  path: string,
  faults: Faults,
  rulesOf: (shape: StableShape) => number,
): ReturnType<PoolKind["decode"]> {
  const shape = readStable(input, path, faults);
  if (shape === undefined) return undefined;
  const amountsIn = (key: "balances" | "rates") =>
    shape[key].map((text, at) => bounded(text, AMOUNT_BITS, `${path}.${key}[${at}]`, faults));
  const multiplierIn = (key: "offpegFeeMultiplier" | "adminFee", otherwise: bigint) => {
    const text = shape[key];
    return text === undefined
      ? otherwise
      : bounded(text, MULTIPLIER_BITS, `${path}.${key}`, faults);
  };
  const { balances, rates } = { balances: amountsIn("balances"), rates: amountsIn("rates") };
  if (balances.length !== rates.length) {
    faults.add(`${path}.rates`, `${rates.length} rates of ${balances.length} balances`);
    return undefined;
  }
  return {
    feePips: FEE_IN_STATE,
    parameter: rulesOf(shape),
    constants: BigUint64Array.of(BigInt(shape.aPrecision)),
    state: encodeStableSwap({
      balances,
      rates,
      amp: BigInt(shape.A),
      fee: BigInt(shape.fee),
      offpegFeeMultiplier: multiplierIn("offpegFeeMultiplier", 0n),
      adminFee: multiplierIn("adminFee", ADMIN_FEE),
    }),
  };
}

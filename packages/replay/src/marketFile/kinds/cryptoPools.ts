import { FEE_IN_STATE } from "@millrace/core";
import {
  CRYPTO_CONTRACTS,
  cryptoSwap,
  encodeCrypto,
  encodeCryptoConstants,
  sharesAtPar,
} from "@millrace/protocols";
import { Schema } from "effect";
import { bounded } from "../bounded.ts";
import type { Faults } from "../Faults.ts";
import { integerText, reader, Unsigned } from "../reader.ts";
import type { DecodedState, PoolKind } from "./PoolKind.ts";

/** Curve's crypto pools. */

/** Widths of numbers in states. */
const AMOUNT_BITS = 128;
const SMALL_BITS = 64;
const A_MULTIPLIER = 10_000;

const Kind = Schema.Literals(["tri", "triNG", "twoNG"]);

const readCrypto = reader(
  Schema.Struct({
    kind: Kind,
    /** For pools of two tokens; default v2.0.0. */
    version: Schema.optional(Schema.Literals(["v2.0.0", "v2.1.0"])),
    balances: Schema.Array(Unsigned),
    precisions: Schema.Array(Unsigned),
    priceScale: Schema.Array(Unsigned),
    A: Unsigned,
    gamma: Unsigned,
    D: Unsigned,
    midFee: Unsigned,
    outFee: Unsigned,
    feeGamma: Unsigned,
    /** For the oldest contract, by deployment. */
    aMultiplier: Schema.optional(integerText(1, A_MULTIPLIER)),
    /** Without them, the pool counts as one without gains yet (see `sharesAtPar`). */
    totalSupply: Schema.optional(Unsigned),
    virtualPrice: Schema.optional(Unsigned),
  }),
);

type CryptoShape = NonNullable<ReturnType<typeof readCrypto>>;

export const curveCryptoPool: PoolKind = {
  name: "curve-crypto",
  dexId: "CURVE_CRYPTO",
  protocol: "curve-crypto",
  curve: cryptoSwap,
  isNested: true,
  mark: "balances",
  constants: ["kind", "version", "precisions", "aMultiplier"],
  decode: (input, path, faults) => {
    const shape = readCrypto(input, path, faults);
    return shape && decodePool(shape, path, faults);
  },
};

function decodePool(shape: CryptoShape, path: string, faults: Faults): DecodedState | undefined {
  const place = contractOf(shape);
  const contract = CRYPTO_CONTRACTS[place];
  if (contract === undefined) {
    faults.add(`${path}.version`, `no ${shape.kind} pool is of ${shape.version}`);
    return undefined;
  }
  const n = contract.tokenCount;
  for (const [key, count] of [
    ["balances", n],
    ["precisions", n],
    ["priceScale", n - 1],
  ] as const) {
    const found = shape[key].length;
    if (found !== count) faults.add(`${path}.${key}`, `expected ${count} numbers, are ${found}`);
    if (found !== count) return undefined;
  }
  const small = (key: "A" | "gamma" | "midFee" | "outFee" | "feeGamma") =>
    bounded(shape[key], SMALL_BITS, `${path}.${key}`, faults);
  const amounts = (key: "balances" | "priceScale") =>
    shape[key].map((text, at) => bounded(text, AMOUNT_BITS, `${path}.${key}[${at}]`, faults));
  const aMultiplier = BigInt(shape.aMultiplier ?? A_MULTIPLIER);
  const pool = {
    contract,
    aMultiplier,
    precisions: shape.precisions.map((text, at) =>
      bounded(text, SMALL_BITS, `${path}.precisions[${at}]`, faults),
    ),
    balances: amounts("balances"),
    priceScale: amounts("priceScale"),
    a: small("A"),
    gamma: small("gamma"),
    midFee: small("midFee"),
    outFee: small("outFee"),
    feeGamma: small("feeGamma"),
  };
  const d = bounded(shape.D, AMOUNT_BITS, `${path}.D`, faults);
  if (pool.priceScale.includes(0n)) {
    faults.add(`${path}.priceScale`, "a price of nothing");
    return undefined;
  }
  const par = sharesAtPar(pool, d);
  const given = (key: "totalSupply" | "virtualPrice", otherwise: bigint) => {
    const text = shape[key];
    return text === undefined ? otherwise : bounded(text, AMOUNT_BITS, `${path}.${key}`, faults);
  };
  const totalSupply = given("totalSupply", par.totalSupply);
  const virtualPrice = given("virtualPrice", par.virtualPrice);
  return {
    feePips: FEE_IN_STATE,
    parameter: 0,
    constants: encodeCryptoConstants(place, aMultiplier, pool.precisions),
    state: encodeCrypto({ ...pool, d, totalSupply, virtualPrice }),
  };
}

function contractOf({ kind, version }: CryptoShape): number {
  const wanted = kind === "tri" ? undefined : (version ?? "v2.0.0");
  return CRYPTO_CONTRACTS.findLastIndex((each) => each.kind === kind && each.version === wanted);
}

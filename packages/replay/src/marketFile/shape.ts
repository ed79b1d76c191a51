import { TICK_MAX, TICK_MIN } from "@millrace/core";
import { Result, Schema, SchemaIssue } from "effect";
import { type Faults, shown } from "./Faults.ts";

/**
 * The JSON of a market file, each part with a decoder of its own, so that a fault in one does not
 * hide those in others. Keys that are not named here are notes of the recorder and ignored.
 */

const PIPS = 1_000_000;
const DECIMALS_MAX = 255;
/** Numbers of blocks and seconds: far past any real one, and safe to multiply by 12,000. */
const COUNT_MAX = 100_000_000_000;

const Address = text(/^0x[0-9a-fA-F]{40}$/, "an address (0x and 40 hex digits)");
// The length is bounded before BigInt reads the digits: that takes time quadratic in them.
const Unsigned = text(/^(0|[1-9][0-9]{0,77})$/, "a string of at most 78 decimal digits");
const Signed = text(/^(0|-?[1-9][0-9]{0,77})$/, "a signed string of at most 78 decimal digits");
const Count = integer(0, COUNT_MAX);
const Tick = integer(TICK_MIN, TICK_MAX);

const File = Schema.Struct({
  chainId: integer(1, Number.MAX_SAFE_INTEGER),
  block: Schema.optionalKey(Schema.NullOr(Count)),
  blockTimestamp: Schema.optionalKey(Schema.NullOr(Count)),
  tokens: Schema.Array(Schema.Unknown),
  pools: Schema.Array(Schema.Unknown),
  updates: Schema.optionalKey(Schema.Array(Schema.Unknown)),
});

const Token = Schema.Struct({
  address: Address,
  symbol: Schema.String,
  name: Schema.optionalKey(Schema.String),
  decimals: integer(0, DECIMALS_MAX),
});

const Pool = Schema.Struct({
  id: text(/^(0x[0-9a-fA-F]{40}|(?!0x).{1,100})$/i, "an address or a label of 1 to 100 characters"),
  dex: Schema.optionalKey(text(/^[A-Za-z0-9_]{1,64}$/, "a DEX's id (letters, digits, _)")),
  kind: Schema.Literals(["v2", "v3"]),
  token0: Address,
  token1: Address,
  fee: integer(0, PIPS - 1),
  tickSpacing: Schema.optionalKey(Schema.Unknown),
});

const Reserves = Schema.Struct({ reserve0: Unsigned, reserve1: Unsigned });

const Concentrated = Schema.Struct({
  sqrtPriceX96: Unsigned,
  tick: Tick,
  liquidity: Unsigned,
  tickSpacing: integer(1, TICK_MAX),
  ticks: Schema.Array(Schema.Tuple([Tick, Signed])),
});

const Update = Schema.Struct({ block: Count, pools: Schema.Unknown });

export type RecordedPool = typeof Pool.Type;
export type ConcentratedShape = typeof Concentrated.Type;

export const readFileShape = reader(File);
export const readTokenShape = reader(Token);
export const readPoolShape = reader(Pool);
export const readReservesShape = reader(Reserves);
export const readConcentratedShape = reader(Concentrated);
export const readUpdateShape = reader(Update);

/** A function that gives the decoded value, or undefined once all its faults are told. */
function reader<A>(schema: Schema.ConstraintDecoder<A>) {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" });
  return (input: unknown, path: string, faults: Faults): A | undefined => {
    const result = decode(input);
    if (Result.isSuccess(result)) return result.success;
    for (const issue of formatIssue(result.failure.issue).issues) {
      const keys = (issue.path ?? []).map((key) => (typeof key === "object" ? key.key : key));
      const problem = `${issue.message}, is ${shown(valueAt(input, keys))}`;
      faults.add(keys.reduce<string>(joinPath, path), problem);
    }
    return undefined;
  };
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1();

function joinPath(path: string, key: PropertyKey): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return path === "" ? String(key) : `${path}.${String(key)}`;
}

function valueAt(input: unknown, keys: ReadonlyArray<PropertyKey>): unknown {
  let value = input;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function text(pattern: RegExp, expected: string) {
  return Schema.String.check(Schema.isPattern(pattern, { message: `expected ${expected}` }));
}

function integer(minimum: number, maximum: number) {
  const inRange = (value: number) =>
    Number.isInteger(value) && value >= minimum && value <= maximum;
  const message = `expected an integer from ${minimum} to ${maximum}`;
  return Schema.Number.check(Schema.makeFilter((value: number) => inRange(value) || message));
}

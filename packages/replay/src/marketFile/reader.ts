import { Result, Schema, SchemaGetter, SchemaIssue } from "effect";
import { type Faults, shown } from "./Faults.ts";

/** The elements of a market file, and how a part is read. */

export const AddressText = matching(/^0x[0-9a-fA-F]{40}$/, "an address (0x and 40 hex digits)");
// The length is bounded before BigInt reads the digits: that takes time quadratic in them.
export const Unsigned = matching(/^(0|[1-9][0-9]{0,77})$/, "a string of at most 78 decimal digits");
export const Signed = matching(
  /^(0|-?[1-9][0-9]{0,77})$/,
  "a signed string of at most 78 decimal digits",
);

/** A function that returns the decoded value, or undefined after it added all faults. */
export function reader<A>(schema: Schema.ConstraintDecoder<A>) {
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

export function matching(pattern: RegExp, expected: string) {
  return Schema.String.check(Schema.isPattern(pattern, { message: `expected ${expected}` }));
}

export function integerIn(minimum: number, maximum: number) {
  return Schema.Number.check(
    Schema.makeFilter((value: number) => isBetween(value, minimum, maximum)),
  );
}

/** The same, as a number or as its decimal text. */
export function integerText(minimum: number, maximum: number) {
  const inRange = (value: unknown) =>
    isBetween(isDecimal(value) ? Number(value) : value, minimum, maximum);
  return Schema.Unknown.check(Schema.makeFilter(inRange)).pipe(
    Schema.decodeTo(Schema.Number, {
      decode: SchemaGetter.transform(Number),
      encode: SchemaGetter.transform((value: number): unknown => value),
    }),
  );
}

/** True, or a message with what was expected. */
function isBetween(value: unknown, minimum: number, maximum: number): true | string {
  const isIn = Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  return isIn || `expected an integer from ${minimum} to ${maximum}`;
}

const isDecimal = (value: unknown): boolean =>
  typeof value === "string" && /^(0|-?[1-9][0-9]{0,15})$/.test(value);

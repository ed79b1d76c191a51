import { QuoteRequestError } from "./QuoteRequestError.ts";

// Arguments from outside are read once, into a copy: a getter or a proxy may give another value
// each time.

/** Amounts are 1 to 2^256 - 1. */
const AMOUNT_END = 2n ** 256n;

/** `end` is the number of tokens, pools or DEXes. */
export const isIndex = (value: unknown, end: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < end;

export const isSwapAmount = (value: unknown): value is bigint =>
  typeof value === "bigint" && value >= 1n && value < AMOUNT_END;

/** A copy of a list of at most `longest` items; throws a QuoteRequestError for anything else. */
export function listOf(field: string, list: unknown, longest: number): ReadonlyArray<unknown> {
  if (!Array.isArray(list)) throw invalidArgument(field, "a list is expected");
  const { length } = list;
  if (!isIndex(length, longest + 1)) throw invalidArgument(field, `at most ${longest} items`);
  const items: unknown[] = [];
  // By index: an iterator might not end.
  for (let place = 0; place < length; place++) items.push(list[place]);
  return items;
}

/** An object to be read; throws a QuoteRequestError for anything else. */
export function objectOf(field: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw invalidArgument(field, "an object is expected");
}

/** The result of reading an argument; turns any other error into a QuoteRequestError. */
export function readArgument<A>(field: string, read: () => A): A {
  try {
    return read();
  } catch (error) {
    throw asRequestError(field, error);
  }
}

/** An error that was thrown while an argument was read, as a QuoteRequestError. */
export const asRequestError = (field: string, error: unknown): QuoteRequestError =>
  error instanceof QuoteRequestError
    ? error
    : new QuoteRequestError("INVALID_REQUEST", field, "cannot be read", { cause: error });

export const invalidArgument = (field: string, detail: string): QuoteRequestError =>
  new QuoteRequestError("INVALID_REQUEST", field, detail);

export const noSuchToken = (field: string, token: unknown): QuoteRequestError =>
  new QuoteRequestError("UNKNOWN_TOKEN", field, `no token ${shown(token)}`);

export const noSuchPool = (field: string, pool: unknown): QuoteRequestError =>
  new QuoteRequestError("UNKNOWN_POOL", field, `no pool ${shown(pool)}`);

/** Numbers as they are; for others, their type. */
const shown = (value: unknown): string =>
  typeof value === "number" ? String(value) : `of type ${typeof value}`;

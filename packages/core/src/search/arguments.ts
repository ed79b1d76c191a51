import { QuoteRequestError } from "./QuoteRequestError.ts";

// What anybody may pass is read once, into a copy: what a getter or a proxy gives may be another
// thing each time.

/** Amounts are 1 to 2^256 - 1. */
const AMOUNT_END = 2n ** 256n;

/** The end of an index of tokens, pools or DEXes is how many there are. */
export const isIndex = (value: unknown, end: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < end;

export const isSwapAmount = (value: unknown): value is bigint =>
  typeof value === "bigint" && value >= 1n && value < AMOUNT_END;

/** A list of at most `longest` items as they are now; throws a QuoteRequestError for others. */
export function listOf(field: string, list: unknown, longest: number): ReadonlyArray<unknown> {
  if (!Array.isArray(list)) throw invalidArgument(field, "a list is expected");
  const { length } = list;
  if (!isIndex(length, longest + 1)) throw invalidArgument(field, `at most ${longest} items`);
  const items: unknown[] = [];
  // By their places: an iterator need not end.
  for (let place = 0; place < length; place++) items.push(list[place]);
  return items;
}

/** An object, to be read; throws a QuoteRequestError for anything else. */
export function objectOf(field: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw invalidArgument(field, "an object is expected");
}

/** What reading an argument gives; throws a QuoteRequestError where that throws anything else. */
export function readArgument<A>(field: string, read: () => A): A {
  try {
    return read();
  } catch (error) {
    throw asRequestError(field, error);
  }
}

/** What was thrown while an argument was read. */
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

/** Numbers as they are; of all else its kind. */
const shown = (value: unknown): string =>
  typeof value === "number" ? String(value) : `of type ${typeof value}`;

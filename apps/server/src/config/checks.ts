import { Schema } from "effect";

/** Schemas that several parts of the configuration use. */
export const HexAddress = Schema.String.check(
  Schema.isPattern(/^0x[a-fA-F0-9]{40}$/u, { expected: "an address: 0x and 40 hex digits" }),
);

export const NonEmptyText = Schema.String.check(Schema.isMinLength(1, { expected: "a text" }));

export const Sha256 = Schema.String.check(
  Schema.isPattern(/^[a-fA-F0-9]{64}$/u, { expected: "a SHA-256: 64 hex digits" }),
);

export const UsDollars = Schema.Number.check(
  Schema.isBetween({ minimum: 0, maximum: 1e12 }, { expected: "US dollars, 0 to 1000000000000" }),
);

export const PositivePrice = Schema.Number.check(
  Schema.isGreaterThan(0, { expected: "a price above 0" }),
  Schema.isFinite(),
);

/** Where a list is read from: a file, or an https URL. A refusal does not show the URL. */
export const FileOrUrl = NonEmptyText.check(
  Schema.makeFilter(
    (text: string) => !hasScheme(text) || isSecureUrl(text) || `Expected ${FILE_OR_URL}`,
  ),
);

const FILE_OR_URL =
  "the path of a file, or a URL that begins with https://, without user and password";

/** Whether a text is a URL of any kind, not a path. */
export const hasScheme = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//iu.test(text);

function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === "https:" && username === "" && password === "";
}

/** A whole number from 1. */
export function count(maximum: number) {
  return integer(1, maximum);
}

export function integer(minimum: number, maximum: number) {
  return Schema.Number.check(
    Schema.isBetween(
      { minimum, maximum },
      { expected: `an integer from ${minimum} to ${maximum}` },
    ),
    Schema.isInt(),
  );
}

/** One problem for each item whose value of `key` an earlier item has. */
export function repeated<Key extends string>(
  items: ReadonlyArray<Readonly<Partial<Record<Key, string | number>>>>,
  key: Key,
  list: string,
) {
  return items.flatMap((item, index) => {
    if (item[key] === undefined) return [];
    const first = items.findIndex((other) => other[key] === item[key]);
    if (first === index) return [];
    return [{ path: [index, key], issue: `${item[key]} is taken by ${list}[${first}]` }];
  });
}

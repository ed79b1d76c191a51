import { Schema } from "effect";

/** What more than one part of the configuration is made of. */
export const Address = Schema.String.check(
  Schema.isPattern(/^0x[a-fA-F0-9]{40}$/u, { expected: "an address: 0x and 40 hex digits" }),
);

export const NonEmptyText = Schema.String.check(Schema.isMinLength(1, { expected: "a text" }));

export const UsDollars = Schema.Number.check(
  Schema.isBetween({ minimum: 0, maximum: 1e12 }, { expected: "US dollars, 0 to 1000000000000" }),
);

export const Price = Schema.Number.check(
  Schema.isGreaterThan(0, { expected: "a price above 0" }),
  Schema.isFinite(),
);

/** A whole number from 1. */
export function count(maximum: number) {
  return wholeNumber(1, maximum);
}

export function wholeNumber(minimum: number, maximum: number) {
  return Schema.Number.check(
    Schema.isBetween(
      { minimum, maximum },
      { expected: `an integer from ${minimum} to ${maximum}` },
    ),
    Schema.isInt(),
  );
}

/** One problem for each item that takes what an earlier one has. */
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

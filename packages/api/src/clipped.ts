/**
 * These functions shorten a request body to what decoding needs to refuse it. Otherwise a body with
 * ten thousand unknown keys, each with its issue, would stall the process for milliseconds.
 */

/** The object with its known keys and a few unknown ones, its values replaced. */
export function withFewKeys(
  value: unknown,
  fields: object,
  replace: (key: string, value: unknown) => unknown = (_, same) => same,
): unknown {
  return withKeys(value, fields, UNKNOWN_KEYS_SHOWN_MAX, replace);
}

/** The object with its known keys only, its values replaced. */
export function withoutOtherKeys(
  value: unknown,
  fields: object,
  replace: (key: string, value: unknown) => unknown = (_, same) => same,
): unknown {
  return withKeys(value, fields, 0, replace);
}

/** How many unknown keys `withFewKeys` keeps. */
export function unknownKeyCount(value: unknown, fields: object): number {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return 0;
  const unknownKeys = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
  return Math.min(unknownKeys.length, UNKNOWN_KEYS_SHOWN_MAX);
}

export const firstItems = (value: unknown, count: number): unknown =>
  Array.isArray(value) ? value.slice(0, count) : value;

const UNKNOWN_KEYS_SHOWN_MAX = 16;

function withKeys(
  value: unknown,
  fields: object,
  unknownKeysMax: number,
  replace: (key: string, value: unknown) => unknown,
): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  const unknownKeys = keys.filter((key) => !Object.hasOwn(fields, key));
  const known = keys.filter((key) => Object.hasOwn(fields, key));
  return Object.fromEntries(
    [...known, ...unknownKeys.slice(0, unknownKeysMax)].map((key) => [
      key,
      replace(key, Reflect.get(value, key)),
    ]),
  );
}

import { Effect, Schema, SchemaGetter } from "effect";
import { AddressJson } from "./address.ts";
import { type IssueTemplate, issueAnnotation, tooBig, tooSmall } from "./issue.ts";
import { PoolName } from "./poolName.ts";

/** Parameters of paths and queries, decoded strictly from text. */

const LIST_LIMIT_MAX = 500;
const LIST_LIMIT_DEFAULT = 50;
const TEXT_LENGTH_MAX = 128;

/** `page` and `limit` of a list. */
export const pagination = {
  page: wholeNumber(1, 1e9, "The page, from 1; default 1.").pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("1")),
  ),
  limit: limit(),
};

/** The most entries in an answer. */
export function limit(what = "Entries, at most") {
  const description = `${what}; 1…${LIST_LIMIT_MAX}, default ${LIST_LIMIT_DEFAULT}.`;
  return wholeNumber(1, LIST_LIMIT_MAX, description).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(`${LIST_LIMIT_DEFAULT}`)),
  );
}

/** Selects a network other than the primary one, by its id, its chain id, or both. */
export const networkChoice = {
  network: Schema.optionalKey(
    text("Selects another network than the primary one by its id, as `BASE`."),
  ),
  chainId: Schema.optionalKey(
    wholeNumber(
      1,
      Number.MAX_SAFE_INTEGER,
      "Selects another network than the primary one. With `network`, it must be that one's.",
    ),
  ),
};

/** A decimal integer within bounds. */
export function wholeNumber(minimum: number, maximum: number, description: string) {
  return numberText(/^-?(0|[1-9][0-9]{0,15})$/u, "integer", description).pipe(
    Schema.decodeTo(
      Schema.Number.check(
        Schema.isGreaterThanOrEqualTo(minimum, { [issueAnnotation]: tooSmall(minimum) }),
        Schema.isLessThanOrEqualTo(maximum, { [issueAnnotation]: tooBig(maximum) }),
      ),
      { decode: SchemaGetter.transform(Number), encode: SchemaGetter.transform(String) },
    ),
  );
}

/** A non-negative decimal number, such as an amount of US dollars. */
export function amountOfDollars(description: string) {
  return numberText(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?$/u, "number", description).pipe(
    Schema.decodeTo(
      Schema.Number.check(Schema.isGreaterThanOrEqualTo(0, { [issueAnnotation]: tooSmall(0) })),
      { decode: SchemaGetter.transform(Number), encode: SchemaGetter.transform(String) },
    ),
  );
}

/** Short free text. */
export function text(description: string) {
  const shortest: IssueTemplate = {
    origin: "string",
    code: "too_small",
    minimum: 1,
    inclusive: true,
    message: "Too small: at least 1 character",
  };
  const longest: IssueTemplate = {
    origin: "string",
    code: "too_big",
    maximum: TEXT_LENGTH_MAX,
    inclusive: true,
    message: `Too big: at most ${TEXT_LENGTH_MAX} characters`,
  };
  return Schema.String.check(
    Schema.isMinLength(1, { [issueAnnotation]: shortest }),
    Schema.isMaxLength(TEXT_LENGTH_MAX, { [issueAnnotation]: longest }),
  ).annotate({ description });
}

/** A field to sort by, in ascending order; descending with a leading `-`. */
export function sortBy<const Field extends string>(
  fields: ReadonlyArray<Field>,
  first: NoInfer<`-${Field}`>,
) {
  const values = fields.flatMap((field) => [field, `-${field}`] as const);
  const message = "Invalid option: expected a field of the list, or one with - before it";
  return Schema.Literals(values)
    .annotate({
      [issueAnnotation]: { code: "invalid_value", values, message } satisfies IssueTemplate,
      description: `A field, ascending; with - before it, descending. Default ${first}.`,
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(first)));
}

/** The `:address` of a path. */
export const addressParameter = { address: AddressJson };

/** The `:address` of a pool's path. */
export const poolParameter = { address: PoolName };

/** Selects two tokens of a pool that has more. */
export const pairQuery = {
  base: Schema.optionalKey(
    AddressJson.annotate({
      description: "A token of the pool. Default: its first one that is not `quote`.",
    }),
  ),
  quote: Schema.optionalKey(
    AddressJson.annotate({
      description: "Another one. Default: its first one that is not `base`.",
    }),
  ),
};

function numberText(pattern: RegExp, expected: "integer" | "number", description: string) {
  const message = `Invalid input: expected ${expected === "integer" ? "an integer" : "a number"}`;
  return Schema.String.check(
    Schema.isPattern(pattern, {
      [issueAnnotation]: { code: "invalid_type", expected, message } satisfies IssueTemplate,
    }),
  ).annotate({ description, format: expected });
}

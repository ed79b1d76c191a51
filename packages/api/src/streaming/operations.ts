import { Schema } from "effect";
import { AddressJson } from "../address.ts";
import { Amount } from "../amount.ts";
import { candleQuery } from "../candles.ts";
import { type IssueTemplate, issueAnnotation, tooBig, tooSmall } from "../issue.ts";
import { PoolName } from "../poolName.ts";
import { QuoteRequestJson } from "../quoteRequest.ts";

/** Bounds on what a client sends over a WebSocket. */
const OPERATION_ID_LENGTH_MAX = 64;
export const STREAMED_TOKENS_MAX = 100;
export const LADDER_SIZES_MAX = 16;
const SUBSCRIPTION_LENGTH_MAX = 64;

/** The channels of subscriptions. */
export const CHANNELS = [
  "price",
  "quote",
  "pool",
  "block",
  "trades",
  "candles",
  "networks",
] as const;
export type Channel = (typeof CHANNELS)[number];

const wrongId: IssueTemplate = {
  code: "invalid_type",
  message: `Invalid input: expected a whole number, or a text of at most ${OPERATION_ID_LENGTH_MAX} characters`,
};

/** Of these fields a subscription needs exactly one. */
export const EXACTLY_ONE: Readonly<Partial<Record<string, ReadonlyArray<string>>>> = {
  price: ["token", "tokens"],
  quote: ["amountIn", "amountOut", "amounts"],
  trades: ["pool", "token"],
  candles: ["pool", "token"],
};

/** A client's own id for an operation, which its answer repeats. */
export const OperationId = Schema.Union([
  Schema.Number.check(Schema.isInt({ [issueAnnotation]: wrongId })),
  Schema.String.check(Schema.isMaxLength(OPERATION_ID_LENGTH_MAX, { [issueAnnotation]: wrongId })),
]).annotate({
  identifier: "OperationId",
  description:
    "The client's own: a whole number (−2^53 < id < 2^53), or a text of at most 64 characters.",
  examples: [7],
  [issueAnnotation]: wrongId,
});

export type OperationId = typeof OperationId.Type;

const id = OperationId.annotateKey({ description: "Comes back in the answer." });
const network = Schema.String.annotateKey({ description: "As in paths, such as `ETH`." });

/** Fields of quote subscriptions beside those of a quote request. */
const quoteOptions = {
  amounts: Schema.optionalKey(
    listOf(Amount, LADDER_SIZES_MAX).annotateKey({
      description:
        "Instead of `amountIn` and `amountOut`: sizes that go in, up to 16, all of them quoted in " +
        "each message, as a ladder. Any that changed is reason to tell all.",
    }),
  ),
  minChangeBps: Schema.optionalKey(
    Schema.Number.check(
      Schema.isGreaterThanOrEqualTo(0, { [issueAnnotation]: tooSmall(0) }).abort(),
      Schema.isLessThanOrEqualTo(10_000, { [issueAnnotation]: tooBig(10_000) }).abort(),
      // Accepts the same values; without it the document would leave out the bounds.
      Schema.isFinite(),
    ).annotateKey({
      description:
        "Tells only of changes that move the sought amount by as many basis points, at least, from " +
        "what was told last; a quote that becomes a problem, or the other way round, is always told. " +
        "Default 0: of every change.",
    }),
  ),
};

/** The fields that name the subject of trades or candles. */
const subjectFields = {
  pool: Schema.optionalKey(PoolName).annotateKey({
    description:
      "Exactly one of `pool` and `token` is required. Of a pool of more tokens, what its first two " +
      "trade.",
  }),
  token: Schema.optionalKey(AddressJson).annotateKey({ description: "In all pools." }),
};

const { amountIn, amountOut, ...quoteFields } = QuoteRequestJson.fields;

/** Every operation that a client may send, by `op`; subscriptions by `channel`. */
export const OPERATIONS = {
  price: operation("Subscribe to prices", {
    op: Schema.tag("subscribe"),
    id,
    channel: Schema.tag("price"),
    network,
    token: Schema.optionalKey(AddressJson).annotateKey({
      description: "Exactly one of `token` and `tokens` is required.",
    }),
    tokens: Schema.optionalKey(listOf(AddressJson, STREAMED_TOKENS_MAX)).annotateKey({
      description:
        "Up to 100, in one subscription. `data` is a list then: of all in the snapshot, in the order " +
        "asked, and of those that changed since the last message in an update.",
    }),
  }),
  quote: operation("Subscribe to a quote", {
    op: Schema.tag("subscribe"),
    id,
    channel: Schema.tag("quote"),
    network,
    ...quoteFields,
    amountIn: amountIn.annotateKey({
      description:
        "All of it goes in. Exactly one of `amountIn`, `amountOut` and `amounts` is required.",
    }),
    amountOut,
    ...quoteOptions,
  }),
  pool: operation("Subscribe to a pool", {
    op: Schema.tag("subscribe"),
    id,
    channel: Schema.tag("pool"),
    network,
    pool: PoolName,
  }),
  block: operation("Subscribe to blocks", {
    op: Schema.tag("subscribe"),
    id,
    channel: Schema.tag("block"),
    network,
  }),
  trades: operation("Subscribe to trades", {
    op: Schema.tag("subscribe"),
    id,
    channel: Schema.tag("trades"),
    network,
    ...subjectFields,
  }),
  candles: operation("Subscribe to candles", {
    op: Schema.tag("subscribe"),
    id,
    channel: Schema.tag("candles"),
    network,
    ...subjectFields,
    interval: candleQuery.interval,
  }),
  networks: operation("Subscribe to the state of a network", {
    op: Schema.tag("subscribe"),
    id,
    channel: Schema.tag("networks"),
    network,
  }),
  unsubscribe: operation("Unsubscribe", {
    op: Schema.tag("unsubscribe"),
    id,
    subscription: Schema.String.check(Schema.isMaxLength(SUBSCRIPTION_LENGTH_MAX)).annotateKey({
      description: "As `subscribed` named it.",
    }),
  }),
  list: operation("List the subscriptions of the connection", { op: Schema.tag("list"), id }),
  ping: operation("Ask for a pong", {
    op: Schema.tag("ping"),
    id: Schema.optionalKey(OperationId),
  }),
} as const;

function operation<F extends Schema.Struct.Fields>(title: string, fields: F) {
  return Schema.Struct(fields).annotate({ title });
}

function listOf<S extends Schema.Top>(item: S, lengthMax: number) {
  const template = (code: "too_small" | "too_big", bound: object, words: string) => ({
    [issueAnnotation]: { origin: "array", code, ...bound, inclusive: true, message: words },
  });
  return Schema.Array(item).check(
    Schema.isMinLength(1, template("too_small", { minimum: 1 }, "Too small: at least 1 item")),
    Schema.isMaxLength(
      lengthMax,
      template("too_big", { maximum: lengthMax }, `Too big: at most ${lengthMax} items`),
    ),
  );
}

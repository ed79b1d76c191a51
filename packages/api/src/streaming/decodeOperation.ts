import { Result, Schema } from "effect";
import { firstItems, withFewKeys } from "../clipped.ts";
import { type Issue, type IssueTemplate, issueAt, issuesOf } from "../issue.ts";
import { decodeQuoteRequestStrictly } from "../quoteRequest.ts";
import type { Operation, TradedSubject } from "./Operation.ts";
import {
  CHANNELS,
  LADDER_SIZES_MAX,
  OPERATIONS,
  OperationId,
  STREAMED_TOKENS_MAX,
} from "./operations.ts";

/** What is wrong with an operation, and the id for its error, if it has a valid one. */
export interface RefusedOperation {
  readonly id: OperationId | undefined;
  readonly issues: ReadonlyArray<Issue>;
}

/** The operation in a parsed JSON message, or everything that is wrong with it. */
export function decodeOperation(json: unknown): Result.Result<Operation, RefusedOperation> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return Result.fail({ id: undefined, issues: [issueAt(wrongMessage, [])] });
  }
  const message = json as Readonly<Record<string, unknown>>;
  const id = isOperationId(message["id"]) ? message["id"] : undefined;
  return Result.mapError(decodeMessage(message), (issues) => ({ id, issues }));
}

function decodeMessage(
  message: Readonly<Record<string, unknown>>,
): Result.Result<Operation, ReadonlyArray<Issue>> {
  switch (message["op"]) {
    case "subscribe":
      return decodeSubscribe(message);
    case "unsubscribe":
      return decode(OPERATIONS.unsubscribe, message);
    case "list":
      return decode(OPERATIONS.list, message);
    case "ping":
      return decode(OPERATIONS.ping, message);
    default:
      return Result.fail([issueAt(oneOf(OPS), ["op"])]);
  }
}

function decodeSubscribe(
  message: Readonly<Record<string, unknown>>,
): Result.Result<Operation, ReadonlyArray<Issue>> {
  switch (message["channel"]) {
    case "price": {
      const decoded = decode(OPERATIONS.price, message);
      return Result.flatMap(decoded, ({ id, network, token, tokens }) => {
        if ((token === undefined) === (tokens === undefined)) {
          return Result.fail([issueAt(exactlyOneToken, ["token"])]);
        }
        const isList = tokens !== undefined;
        const topic = { channel: "price", network, tokens: tokens ?? [token!], isList } as const;
        return Result.succeed<Operation>({ op: "subscribe", id, topic });
      });
    }
    case "quote":
      return decodeQuoteSubscription(message);
    case "pool":
      return Result.map(decode(OPERATIONS.pool, message), ({ id, network, pool }) => ({
        op: "subscribe",
        id,
        topic: { channel: "pool", network, pool },
      }));
    case "block":
      return Result.map(decode(OPERATIONS.block, message), ({ id, network }) => ({
        op: "subscribe",
        id,
        topic: { channel: "block", network },
      }));
    case "trades":
      return Result.flatMap(decode(OPERATIONS.trades, message), ({ id, network, ...named }) =>
        Result.map(subjectOf(named), (subject) => ({
          op: "subscribe",
          id,
          topic: { channel: "trades", network, subject },
        })),
      );
    case "candles":
      return Result.flatMap(decode(OPERATIONS.candles, message), ({ id, network, ...named }) =>
        Result.map(subjectOf(named), (subject) => ({
          op: "subscribe",
          id,
          topic: { channel: "candles", network, subject, interval: named.interval },
        })),
      );
    case "networks":
      return Result.map(decode(OPERATIONS.networks, message), ({ id, network }) => ({
        op: "subscribe",
        id,
        topic: { channel: "networks", network },
      }));
    default:
      return Result.fail([issueAt(oneOf(CHANNELS), ["channel"])]);
  }
}

function subjectOf({
  pool,
  token,
}: {
  readonly pool?: string;
  readonly token?: string;
}): Result.Result<TradedSubject, ReadonlyArray<Issue>> {
  if (pool !== undefined && token === undefined) return Result.succeed({ pool });
  if (token !== undefined && pool === undefined) return Result.succeed({ token });
  return Result.fail([issueAt(exactlyOneSubject, ["pool"])]);
}

/** Decodes the fields of a quote request like POST /quote, including the rules between them. */
function decodeQuoteSubscription(
  message: Readonly<Record<string, unknown>>,
): Result.Result<Operation, ReadonlyArray<Issue>> {
  const { op, id, channel, network, minChangeBps, amounts, amountIn, amountOut, ...quote } =
    message;
  const own = decode(
    SubscriptionAlone,
    present({ op, id, channel, network, minChangeBps, amounts }),
  );
  const sizes = Result.isSuccess(own) ? own.success.amounts : undefined;
  const given = present({ amountIn, amountOut, amounts });
  const isOne = Object.keys(given).length === 1;
  // A placeholder amount, so that decoding reports nothing about the amount itself.
  const amount = isOne && amounts === undefined ? given : { amountIn: sizes?.[0] ?? "1" };
  const request = decodeQuoteRequestStrictly({ ...quote, ...amount });
  if (isOne && Result.isSuccess(own) && Result.isSuccess(request)) {
    return Result.succeed({
      op: "subscribe",
      id: own.success.id,
      topic: {
        channel: "quote",
        network: own.success.network,
        request: request.success,
        ...(sizes !== undefined && { amounts: sizes }),
        minChangeBps: own.success.minChangeBps ?? 0,
      },
    });
  }
  const amountPath = amounts === undefined ? "amountIn" : "amounts";
  return Result.fail([
    ...(isOne ? [] : [issueAt(exactlyOneAmount, [amountPath])]),
    ...(Result.isFailure(own) ? own.failure : []),
    ...(Result.isFailure(request) ? request.failure : []),
  ]);
}

const { op, id, channel, network, amounts, minChangeBps } = OPERATIONS.quote.fields;
const SubscriptionAlone = Schema.Struct({ op, id, channel, network, amounts, minChangeBps });

function decode<F extends Schema.Struct.Fields>(
  schema: Schema.Struct<F>,
  message: Readonly<Record<string, unknown>>,
): Result.Result<Schema.Struct<F>["Type"], ReadonlyArray<Issue>> {
  const clipped = withFewKeys(message, schema.fields, (_, value) =>
    firstItems(value, Math.max(STREAMED_TOKENS_MAX, LADDER_SIZES_MAX) + 1),
  );
  // The schema needs no services: its fields are all plain.
  const plain = schema as unknown as Schema.Codec<Schema.Struct<F>["Type"], unknown>;
  const decoded = Schema.decodeUnknownResult(plain)(clipped, STRICT);
  return Result.mapError(decoded, ({ issue }) => issuesOf(issue));
}

const STRICT = { errors: "all", onExcessProperty: "error" } as const;
const isOperationId = Schema.is(OperationId);
const OPS = ["subscribe", "unsubscribe", "list", "ping"];

/** Leaves out fields that were not sent. */
const present = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const wrongMessage: IssueTemplate = {
  code: "invalid_type",
  expected: "object",
  message: "Invalid input: expected a JSON object",
};

const oneOf = (values: ReadonlyArray<string>): IssueTemplate => ({
  code: "invalid_value",
  values,
  message: `Invalid option: expected one of ${values.join(", ")}`,
});

const exactlyOneToken: IssueTemplate = {
  code: "invalid_value",
  message: "Exactly one of token and tokens is required",
};

const exactlyOneSubject: IssueTemplate = {
  code: "invalid_value",
  message: "Exactly one of pool and token is required",
};

const exactlyOneAmount: IssueTemplate = {
  code: "invalid_value",
  message: "Exactly one of amountIn, amountOut and amounts is required",
};

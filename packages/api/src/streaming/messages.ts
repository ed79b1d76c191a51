import { Schema } from "effect";
import { CandleJson } from "../candles.ts";
import { Issue } from "../issue.ts";
import { PROBLEMS, type ProblemCode } from "../problems.ts";
import { SwapQuote } from "../swapQuote.ts";
import { Pool } from "../token.ts";
import { TradeJson } from "../trades.ts";
import { CHANNELS, OperationId } from "./operations.ts";

const subscription = Schema.String.annotateKey({
  description: "The server's own name of the subscription, unique within the connection.",
});
const channel = Schema.Literals(CHANNELS);
const id = OperationId.annotateKey({ description: "Of the operation that it answers." });
const sentAt = Schema.Number.annotateKey({
  description: "When the server sent it, in microseconds since the Unix epoch.",
});
const blockNumber = Schema.String.annotateKey({ description: "The block that it is true for." });
const blockHash = Schema.String.annotateKey({ description: "Of that block." });
const timestamp = Schema.Number.annotateKey({
  description: "Of that block; Unix epoch milliseconds.",
});
const stamp = { blockNumber, blockHash, timestamp };

/** Limits on what a client may do, and what it may expect. */
export const StreamLimits = Schema.Struct({
  subscriptionsMax: Schema.Number.annotateKey({ description: "Of one connection." }),
  operationsPerSecond: Schema.Number.annotateKey({
    description: "Of one connection; more are answered `RATE_LIMITED`.",
  }),
  messageBytesMax: Schema.Number.annotateKey({
    description: "Of a client's message; a longer one ends the connection.",
  }),
  bufferedBytesMax: Schema.Number.annotateKey({
    description: "That may wait for a slow reader; past them the connection is closed with 1013.",
  }),
  heartbeatMs: Schema.Number.annotateKey({ description: "Between two heartbeats." }),
}).annotate({ identifier: "StreamLimits" });

/** `data` of the channel `price`; a list of them where the client named `tokens`. */
export const StreamedPrice = Schema.Struct({
  token: Schema.String.annotateKey({ description: "Lower case." }),
  price: Schema.Number.annotateKey({ description: "US dollars; 0 when unknown." }),
  liquidity: Schema.Number.annotateKey({ description: "US dollars in all pools." }),
  volume24h: Schema.Number.annotateKey({ description: "US dollars." }),
}).annotate({ identifier: "StreamedPrice" });

export type StreamedPrice = typeof StreamedPrice.Type;

/** `data` of the channel `block`. */
export const StreamedBlock = Schema.Struct({
  ...stamp,
  poolsChanged: Schema.Number.annotateKey({ description: "Pools whose state the block set." }),
}).annotate({ identifier: "StreamedBlock" });

export type StreamedBlock = typeof StreamedBlock.Type;

/** The most trades in a message: the newest ones. */
export const STREAMED_TRADES_MAX = 50;
/** The most candles in a message: the current one and the one before. */
export const STREAMED_CANDLES_MAX = 2;

/** `data` of the channel `networks`. */
export const StreamedNetwork = Schema.Struct({
  id: Schema.String.annotateKey({ description: "As in paths." }),
  ready: Schema.Boolean.annotateKey({ description: "Whether it answers now." }),
  reason: Schema.optionalKey(Schema.String).annotateKey({
    description: "Why it does not; absent where it does.",
  }),
  ...stamp,
  reorganisations: Schema.Number.annotateKey({
    description: "Since the service was first asked to stream the network.",
  }),
}).annotate({
  identifier: "StreamedNetwork",
  description: "Whether a network answers, its newest block, and reorganisations until that.",
});

export type StreamedNetwork = typeof StreamedNetwork.Type;

/** A problem as data: what prevents a quote now. */
export const StreamedProblem = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Number,
  detail: Schema.String,
  code: Schema.Literals(Object.keys(PROBLEMS) as ReadonlyArray<ProblemCode>),
  issues: Schema.optionalKey(Schema.Array(Issue)),
  explanation: Schema.optionalKey(Schema.Unknown),
}).annotate({
  identifier: "StreamedProblem",
  description: "What stands in the way of a quote now; a later block may take it away.",
});

export type StreamedProblem = typeof StreamedProblem.Type;

/** `data` of the channel `quote` where the client named `amounts`. */
export const QuoteLadder = Schema.Struct({
  quotes: Schema.Array(Schema.Union([SwapQuote, StreamedProblem])).annotateKey({
    description: "One for each of `amounts`, in their order.",
  }),
}).annotate({ identifier: "QuoteLadder" });

export type QuoteLadder = typeof QuoteLadder.Type;

/** Data of a subscription, by channel and by the client's request. */
export const StreamedData = Schema.Union([
  SwapQuote,
  QuoteLadder,
  StreamedProblem,
  Pool,
  StreamedBlock,
  StreamedPrice,
  Schema.Array(StreamedPrice),
  Schema.Array(TradeJson),
  Schema.Array(CandleJson),
  StreamedNetwork,
]);

/**
 * Messages carry the value at the newest block. Where blocks come faster than a value is computed,
 * those in between are skipped and do not count.
 */
const seq = Schema.Number.annotateKey({
  description:
    "How often the value has changed since the snapshot. It grows by one with each change: a gap " +
    "shows values that a slow reader was spared.",
});

const data = StreamedData.annotateKey({
  description:
    "By channel: `price`: a price, or a list where `tokens` were named; `quote`: a quote, a ladder " +
    "where `amounts` were named, or the problem that stands in its way; `pool`: a pool, or the " +
    "problem that it has left the market; `block`: a block; `trades`: a list of trades, the newest " +
    "first, of up to 50: the newest ones in a snapshot and where `reorg` is true, else those that " +
    "were added since the last message; `candles`: a list of candles in ascending order: the last " +
    "two in a snapshot and where `reorg` is true, else those of them that changed; either of a pool " +
    "may be the problem that it has left the market; `networks`: the state of a network.",
});

const NetworkHead = Schema.Struct({
  network: Schema.String,
  ...stamp,
}).annotate({ identifier: "NetworkHead" });

/** Every message that the server may send, by `op`. */
export const MESSAGES = {
  hello: message("hello", "The first message of a connection.", {
    limits: StreamLimits,
    networks: Schema.Array(Schema.String).annotateKey({ description: "Ids, as in paths." }),
    sentAt,
  }),
  subscribed: message("subscribed", "The subscription stands; its snapshot follows.", {
    id,
    subscription,
    channel,
  }),
  snapshot: message("snapshot", "The value as it is. Once for each subscription.", {
    subscription,
    channel,
    seq: Schema.Literal(0),
    ...stamp,
    sentAt,
    data,
  }),
  // A price or a pool may be sent twice for one block: at once, and again when liquidity and
  // volumes, which take longer in a large market, have been computed.
  update: message("update", "A block changed the value.", {
    subscription,
    seq,
    reorg: Schema.optionalKey(Schema.Literal(true)).annotateKey({
      description:
        "Blocks were taken back since the last message of the subscription: earlier values may be of " +
        "blocks that are no longer of the chain.",
    }),
    unpaid: Schema.optionalKey(Schema.Number).annotateKey({
      description:
        "After so many blocks since the last message of the subscription the quote was not worked " +
        "out, though they may have changed it: the budgets of its subscribers were used up.",
    }),
    ...stamp,
    sentAt,
    data,
  }),
  unsubscribed: message("unsubscribed", "Nothing of the subscription follows.", {
    id,
    subscription,
  }),
  subscriptions: message("subscriptions", "Answers `list`.", {
    id,
    subscriptions: Schema.Array(
      Schema.Struct({
        subscription,
        channel,
        network: Schema.String,
        seq,
        parameters: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
          description: "As the client sent them, with defaults.",
        }),
      }),
    ),
  }),
  pong: message("pong", "Answers `ping`.", { id: Schema.optionalKey(OperationId), sentAt }),
  heartbeat: message(
    "heartbeat",
    "All is well, even when nothing changes: the newest block of each network.",
    { networks: Schema.Array(NetworkHead), sentAt },
  ),
  closing: message("closing", "The server is about to close the connection: come back later.", {
    reason: Schema.String.annotateKey({ description: "For people." }),
    retryAfterMs: Schema.Number.annotateKey({ description: "Until it is worth a try, at least." }),
  }),
  error: message("error", "An operation was refused. The connection stays open.", {
    id: Schema.NullOr(OperationId).annotateKey({
      description: "Of the operation; null where it had none that could be read.",
    }),
    code: Schema.Literals(Object.keys(PROBLEMS) as ReadonlyArray<ProblemCode>),
    detail: Schema.String,
    issues: Schema.optionalKey(Schema.Array(Issue)),
  }),
} as const;

/** A message of the server. */
export const ServerMessage = Schema.Union(Object.values(MESSAGES) as unknown as ServerSchemas);
export type ServerMessage = (typeof MESSAGES)[keyof typeof MESSAGES]["Type"];

type ServerSchemas = ReadonlyArray<(typeof MESSAGES)[keyof typeof MESSAGES]>;

function message<const Op extends string, F extends Schema.Struct.Fields>(
  op: Op,
  description: string,
  fields: F,
) {
  return Schema.Struct({ op: Schema.tag(op), ...fields }).annotate({ title: op, description });
}

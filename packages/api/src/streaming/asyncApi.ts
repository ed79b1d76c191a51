import { JsonSchema, Schema } from "effect";
import { openApiDocument } from "../openApi.ts";
import { withPlainNumbers } from "../plainNumbers.ts";
import { MESSAGE_EXAMPLES, OPERATION_EXAMPLES } from "./examples.ts";
import { MESSAGES } from "./messages.ts";
import { CHANNELS, type Channel, EXACTLY_ONE, OPERATIONS } from "./operations.ts";

/** A message of either side in the document. */
export interface AsyncApiMessage {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly correlationId?: Reference;
  /** JSON Schema draft 7, on which AsyncAPI's own schemas are based. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly examples: ReadonlyArray<{ readonly payload: unknown }>;
}

/** What one side sends, and how the other answers. */
export interface StreamOperation {
  /** From the service's side: it receives what clients send. */
  readonly action: "receive" | "send";
  readonly channel: Reference;
  readonly summary: string;
  readonly messages: ReadonlyArray<Reference>;
  readonly reply?: { readonly channel: Reference; readonly messages: ReadonlyArray<Reference> };
}

interface Reference {
  readonly $ref: string;
}

export type AsyncApiDocument = ReturnType<typeof asyncApiDocument>;

/**
 * The AsyncAPI 3.0 document of the WebSocket. Making it takes tens of milliseconds: make it once.
 */
export function asyncApiDocument() {
  const client = describe(OPERATIONS, OPERATION_EXAMPLES, "error");
  // Clients should ignore fields that they do not know.
  const server = describe(MESSAGES, MESSAGE_EXAMPLES, "ignore");
  const messages = [...client.messages.map(asOperation), ...server.messages];
  const { title, version, license } = openApiDocument().info;
  return {
    asyncapi: "3.0.0",
    info: { title, version, license, description: SUMMARY },
    defaultContentType: "application/json",
    channels: {
      stream: {
        address: "/ws",
        description: DESCRIPTION.join("\n\n"),
        messages: keyed(messages.map(({ name }) => [name, inComponents("messages", name)])),
        bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } },
      },
    },
    operations: keyed<StreamOperation>([
      [
        "subscribe",
        answering("A client subscribes; a snapshot follows.", CHANNELS.map(nameOf), "subscribed"),
      ],
      ["unsubscribe", answering("A client ends a subscription.", ["unsubscribe"], "unsubscribed")],
      ["list", answering("A client asks what it subscribed to.", ["list"], "subscriptions")],
      ["ping", answering("A client asks for a sign of life.", ["ping"], "pong")],
      [
        "tell",
        {
          action: "send",
          channel: CHANNEL,
          summary: "The server tells, unasked.",
          messages: ["hello", "snapshot", "update", "heartbeat", "closing"].map(inChannel),
        },
      ],
    ]),
    components: {
      messages: keyed(messages.map((message) => [message.name, message])),
      schemas: { ...client.schemas, ...server.schemas },
      correlationIds: {
        operation: {
          description: "The client's own id of the operation.",
          location: "$message.payload#/id",
        },
      },
    },
  };
}

/** Its JSON text. */
export const asyncApiText = (): string => JSON.stringify(asyncApiDocument());

const SUMMARY =
  "Streams of prices, quotes, pools, blocks, trades and candles over one WebSocket, as JSON text " +
  "frames.";

const DESCRIPTION = [
  `${SUMMARY} A client subscribes; the server acknowledges, tells the value as it is, and then every ` +
    "change of it that a block makes. An operation that is refused is answered `error`, and the " +
    "connection stays open.",
  "Channels and their `data`: `price` gives `StreamedPrice`, or a list where `tokens` were named; " +
    "`quote` gives `SwapQuote`, `QuoteLadder` where `amounts` were named, or the problem that stands " +
    "in its way; `pool` gives `Pool`, or a problem once it has left the market; `block` gives " +
    "`StreamedBlock`; `trades` and `candles` give lists of `Trade` and `Candle`, or a problem once " +
    "their pool has left the market; `networks` gives `StreamedNetwork`.",
  "An update of `trades` has the trades that were added since the last message, of `candles` those " +
    "that changed: the newer one of an `id` or a `timestamp` stands for the older. Where `reorg` is " +
    "true `data` is the whole list once more, and what a reader had is void. An update of 50 trades " +
    "may leave out older ones, which `/pools/:address/trades?before=` has.",
  "What is told is the value at the newest block. Where blocks come faster than values are worked " +
    "out, or than a reader reads, values in between are not told. `seq` grows by one with each " +
    "change of the value, so a reader who was spared some sees a gap. Prices and pools of a large " +
    "market may be told twice for one block: at once, and again when liquidity and volumes have been " +
    "worked out.",
  "The server closes with a code: 1003 after a binary message, 1008 after too many refused messages " +
    "in a row, 1009 after a message that is too long, 1011 when something went wrong on our side, " +
    "1012 when it restarts (`closing` says so before), 1013 when the reader is too slow. Frames that " +
    "break RFC 6455 end the connection without a code.",
];

type Group = Readonly<Record<string, Schema.Top>>;
type Examples = Readonly<Record<string, ReadonlyArray<unknown>>>;

/** The messages of one side, and separately the JSON Schemas that they share. */
function describe(group: Group, examples: Examples, onExcessProperty: "error" | "ignore") {
  const document = JsonSchema.toDocumentDraft07(
    Schema.toJsonSchemaDocument(Schema.Struct(group), { onExcessProperty }),
  );
  const { properties, schemas } = withPlainNumbers(
    JSON.parse(
      JSON.stringify({
        properties: document.schema["properties"],
        schemas: document.definitions,
      }).replaceAll("#/definitions/", "#/components/schemas/"),
    ) as { properties: Record<string, Described>; schemas: Record<string, object> },
  );
  const messages = Object.keys(group).map((name): AsyncApiMessage => {
    const { title = name, description = title, ...payload } = properties[name]!;
    return {
      ...{ name, title, summary: description },
      ...(isObject(payload["properties"]) &&
        "id" in payload["properties"] && {
          correlationId: inComponents("correlationIds", "operation"),
        }),
      payload,
      examples: examples[name]!.map((example) => ({ payload: example })),
    };
  });
  return { messages, schemas };
}

interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly [key: string]: unknown;
}

/** Adds the rules between fields, which the fields' schemas cannot express. */
function asOperation(message: AsyncApiMessage): AsyncApiMessage {
  const alternatives = EXACTLY_ONE[message.name as Channel];
  return {
    ...message,
    name: nameOf(message.name),
    payload: {
      ...message.payload,
      ...(alternatives !== undefined && {
        oneOf: alternatives.map((field) => ({ required: [field] })),
      }),
    },
  };
}

/** Subscriptions are named after their channel. */
const nameOf = (key: string): string =>
  CHANNELS.some((channel) => channel === key) ? `subscribe_${key}` : key;

const CHANNEL = { $ref: "#/channels/stream" };

const inChannel = (name: string) => ({ $ref: `#/channels/stream/messages/${name}` });

const inComponents = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** A client's operation and its answers. */
const answering = (
  summary: string,
  names: ReadonlyArray<string>,
  answer: string,
): StreamOperation => ({
  action: "receive",
  channel: CHANNEL,
  summary,
  messages: names.map(inChannel),
  reply: { channel: CHANNEL, messages: [answer, "error"].map(inChannel) },
});

const keyed = <A>(entries: ReadonlyArray<readonly [string, A]>): Readonly<Record<string, A>> =>
  Object.fromEntries(entries);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

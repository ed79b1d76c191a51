import { Schema } from "effect";
import { openApiDocument } from "../openApi.ts";
import { withPlainNumbers } from "../plainNumbers.ts";
import { MESSAGES } from "./messages.ts";
import { OPERATIONS } from "./operations.ts";

/** A message of either side as the document tells it. */
export interface AsyncApiMessage {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** JSON Schema. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The AsyncAPI 3.0 document of the WebSocket. Takes tens of milliseconds: make it once. */
export function asyncApiDocument() {
  const { schemas, messagesOf } = describe();
  const fromClient = messagesOf(OPERATIONS);
  const fromServer = messagesOf(MESSAGES);
  const { title, version, license } = openApiDocument().info;
  return {
    asyncapi: "3.0.0",
    info: { title, version, license, description: DESCRIPTION },
    defaultContentType: "application/json",
    channels: {
      stream: {
        address: "/ws",
        description: DESCRIPTION,
        messages: Object.fromEntries(
          [...fromClient, ...fromServer].map(({ name }) => [
            name,
            { $ref: `#/components/messages/${name}` },
          ]),
        ),
        bindings: { ws: { method: "GET" } },
      },
    },
    operations: {
      // As the application sees it: it receives what clients send.
      receive: operation("receive", fromClient),
      send: operation("send", fromServer),
    },
    components: {
      messages: Object.fromEntries(
        [...fromClient, ...fromServer].map((message) => [message.name, message]),
      ),
      schemas,
    },
  };
}

/** Its JSON text. */
export const asyncApiText = (): string => JSON.stringify(asyncApiDocument());

const DESCRIPTION =
  "Streams of prices, quotes, pools and blocks over one WebSocket, as JSON text frames. A client " +
  "subscribes; the server acknowledges, tells the value as it is, and then every change of it.";

/** JSON Schemas of all messages, with what they share apart. */
function describe() {
  const all = Schema.Struct({ ...prefixed("client", OPERATIONS), ...prefixed("server", MESSAGES) });
  const { schema, definitions } = withPlainNumbers(Schema.toJsonSchemaDocument(all));
  const { properties, schemas } = JSON.parse(
    JSON.stringify({ properties: schema["properties"], schemas: definitions }).replaceAll(
      "#/$defs/",
      "#/components/schemas/",
    ),
  ) as { properties: Record<string, Described>; schemas: Record<string, object> };
  const messagesOf = (group: Group): AsyncApiMessage[] =>
    Object.keys(group).map((key) => {
      const side = group === OPERATIONS ? "client" : "server";
      const { title = key, description = "", ...payload } = properties[`${side}:${key}`]!;
      const name = side === "client" ? nameOf(key) : key;
      // What the server does not know it refuses; clients should look past what they do not know.
      if (side === "client") payload["additionalProperties"] = false;
      return { name, title, summary: description === "" ? title : description, payload };
    });
  return { schemas, messagesOf };
}

/** Subscriptions are told apart by their channel. */
const nameOf = (key: string): string =>
  key in { price: 0, quote: 0, pool: 0, block: 0 } ? `subscribe_${key}` : key;

type Group = Readonly<Record<string, Schema.Top>>;

interface Described {
  readonly title?: string;
  readonly description?: string;
  [key: string]: unknown;
}

const prefixed = (prefix: string, group: Group): Group =>
  Object.fromEntries(Object.entries(group).map(([key, schema]) => [`${prefix}:${key}`, schema]));

const operation = (action: "receive" | "send", messages: ReadonlyArray<AsyncApiMessage>) => ({
  action,
  channel: { $ref: "#/channels/stream" },
  messages: messages.map(({ name }) => ({ $ref: `#/channels/stream/messages/${name}` })),
});

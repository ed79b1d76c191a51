import { MESSAGES, type ServerMessage } from "@millrace/api";
import { Schema } from "effect";

/** A snapshot or an update, its data not yet checked against the channel. */
export type StateMessage = (typeof Snapshot)["Type"] | (typeof Update)["Type"];

export type Message = Exclude<ServerMessage, { readonly op: "snapshot" | "update" }> | StateMessage;

const Snapshot = Schema.Struct({ ...MESSAGES.snapshot.fields, data: Schema.Unknown });
const Update = Schema.Struct({ ...MESSAGES.update.fields, data: Schema.Unknown });

/** Longer than any message of a service. */
const LENGTH_MAX = 4 * 1_048_576;

/**
 * The message in a WebSocket's data. Undefined for an unknown `op`, which a later version of the
 * service may send. Throws for anything that is not a message.
 */
export function readMessage(data: unknown): Message | undefined {
  if (typeof data !== "string") throw new Error("a message that is no text");
  if (data.length > LENGTH_MAX) throw new Error("a message that is too long");
  const message: unknown = JSON.parse(data);
  if (typeof message !== "object" || message === null || !("op" in message)) {
    throw new Error("a message without an operation");
  }
  const isSound = CHECKS.get(message.op);
  if (isSound === undefined) return undefined;
  if (!isSound(message)) throw new Error(`a malformed message: ${message.op}`);
  return message;
}

const CHECKS: ReadonlyMap<unknown, (message: unknown) => message is Message> = new Map(
  Object.entries({ ...MESSAGES, snapshot: Snapshot, update: Update }).map(([op, schema]) => [
    op,
    Schema.is(schema as Schema.Codec<Message>),
  ]),
);

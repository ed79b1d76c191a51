import { ServerMessage } from "@millrace/api";
import { eventually } from "@millrace/testing";
import { Schema } from "effect";

export type StateMessage = Extract<ServerMessage, { readonly op: "snapshot" | "update" }>;

const decode = Schema.decodeUnknownSync(ServerMessage);

/** A client over the platform's own `WebSocket`, which keeps every message. */
export interface StreamReader {
  readonly messages: ReadonlyArray<ServerMessage>;
  /** The subscription's name. */
  readonly subscribe: (parameters: object) => Promise<string>;
  readonly send: (operation: object | string) => void;
  /** The answer to the operation with the id. */
  readonly answered: (id: number | string) => Promise<ServerMessage>;
  /** Snapshot and updates of a subscription, in their order. */
  readonly told: (subscription: string) => ReadonlyArray<StateMessage>;
  /** Code and reason, once it is closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly close: () => Promise<unknown>;
}

/** Opens a reader, which checks every message against the interface. */
export async function openReader(url: string): Promise<StreamReader> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
  const messages: ServerMessage[] = [];
  const told = new Map<string, StateMessage[]>();
  const answers = new Map<number | string | null, ServerMessage>();
  let failure: unknown;
  let operationCount = 0;
  socket.onmessage = ({ data }) => {
    try {
      const message = decode(JSON.parse(String(data)));
      messages.push(message);
      if ("id" in message && message.id !== undefined) answers.set(message.id, message);
      if (message.op !== "snapshot" && message.op !== "update") return;
      const earlier = told.get(message.subscription);
      if (earlier === undefined) told.set(message.subscription, [message]);
      else earlier.push(message);
    } catch (cause) {
      failure = cause;
    }
  };
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  const send = (operation: object | string): void =>
    socket.send(typeof operation === "string" ? operation : JSON.stringify(operation));
  const answered = (id: number | string) =>
    eventually(() => {
      if (failure !== undefined) throw failure;
      return answers.get(id);
    });
  await eventually(() => messages[0]?.op === "hello");
  return {
    ...{ messages, send, answered, closed },
    subscribe: async (parameters) => {
      const id = `subscribe ${++operationCount}`;
      send({ op: "subscribe", id, ...parameters });
      const answer = await answered(id);
      if (answer.op !== "subscribed") throw new Error(JSON.stringify(answer));
      return answer.subscription;
    },
    told: (subscription) => told.get(subscription) ?? [],
    close: () => {
      socket.close();
      return closed;
    },
  };
}

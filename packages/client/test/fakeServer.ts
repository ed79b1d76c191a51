import { vi } from "vitest";
import { Client, type ClientOptions, type WebSocketLike } from "../src/index.ts";

/** An operation as a client sent it. */
export interface Sent {
  readonly op: string;
  readonly id: number;
  readonly subscription?: string;
  readonly token?: string;
  readonly [key: string]: unknown;
}

export const HASH_A = `0x${"a".repeat(64)}`;
export const HASH_B = `0x${"b".repeat(64)}`;

export const LIMITS = {
  subscriptionsMax: 100,
  operationsPerSecond: 20,
  messageBytesMax: 16_384,
  bufferedBytesMax: 262_144,
  heartbeatMs: 15_000,
};

export const price = (value: number, token = "0x01") => ({
  ...{ token, price: value, liquidity: 1, volume24h: 0 },
});

/** One socket, as the server sees it. */
export class FakeSocket implements WebSocketLike {
  onmessage: WebSocketLike["onmessage"] = null;
  onclose: WebSocketLike["onclose"] = null;
  onerror: WebSocketLike["onerror"] = null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: Sent[] = [];
  isClosed = false;
  /** Called with every operation. */
  onSent: (operation: Sent) => void = () => {};

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.url = url;
    this.headers = headers;
  }

  send(text: string): void {
    const operation = JSON.parse(text) as Sent;
    this.sent.push(operation);
    this.onSent(operation);
  }

  /** By the client. */
  close(): void {
    this.isClosed = true;
  }

  /** The server sends a message, or whatever a text is. */
  say(message: unknown): void {
    this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }

  hello(limits: Partial<typeof LIMITS> = {}): void {
    this.say({ op: "hello", limits: { ...LIMITS, ...limits }, networks: ["ETH"], sentAt: 1 });
  }

  heartbeat(): void {
    this.say({ op: "heartbeat", networks: [], sentAt: 1 });
  }

  /** Acknowledges a subscription, under a name. */
  accept({ id, channel }: Sent, subscription: string): void {
    this.say({ op: "subscribed", id, subscription, channel });
  }

  refuse({ id }: Pick<Sent, "id">, code: string): void {
    this.say({ op: "error", id, code, detail: "no" });
  }

  snapshot(subscription: string, data: unknown, block: Partial<Stamp> = {}): void {
    this.say({ op: "snapshot", subscription, channel: "price", seq: 0, ...stampOf(block), data });
  }

  update(subscription: string, seq: number, data: unknown, block: Partial<Stamp> = {}): void {
    this.say({ op: "update", subscription, seq, ...stampOf(block), data });
  }

  /** By the server, or by whatever is between. */
  drop(code = 1006, reason = ""): void {
    this.isClosed = true;
    this.onclose?.({ code, reason });
  }
}

interface Stamp {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly reorg: true;
  readonly unpaid?: number;
}

const stampOf = (block: Partial<Stamp>) => ({
  ...{ blockNumber: "7", blockHash: HASH_A, timestamp: 5, sentAt: 9 },
  ...block,
});

/** A client whose sockets are at hand, newest last. */
export function connectClient(options: ClientOptions = {}) {
  const sockets: FakeSocket[] = [];
  const openSocket = vi.fn((url: string, headers: Readonly<Record<string, string>>) => {
    const socket = new FakeSocket(url, headers);
    sockets.push(socket);
    return socket;
  });
  const client = new Client("http://service.test", { openSocket, ...options });
  return { client, sockets, openSocket, socket: () => sockets.at(-1)! };
}

/** Acknowledges subscriptions by themselves, as `s1`, `s2`, …, and unsubscriptions. */
export function answersAll(socket: FakeSocket): ReadonlyMap<string, Sent> {
  const held = new Map<string, Sent>();
  let count = 0;
  socket.onSent = (operation) => {
    if (operation.op === "subscribe") {
      const name = `s${++count}`;
      held.set(name, operation);
      socket.accept(operation, name);
    } else if (operation.op === "unsubscribe") {
      held.delete(operation.subscription!);
      socket.say({ op: "unsubscribed", id: operation.id, subscription: operation.subscription });
    }
  };
  return held;
}

/** Fakes the clock and all timers but those that Effect's own scheduler needs. */
export const fakeTime = (): void => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"],
  });
};

/** Lets promises and fibers that can go on do so. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(0);
}

/** Reads everything there is, until it ends; `failure` is what it failed with. */
export function collect<A>(iterable: AsyncIterable<A>) {
  const collected = { items: [] as A[], isDone: false, failure: undefined as unknown };
  void (async () => {
    try {
      for await (const item of iterable) collected.items.push(item);
    } catch (failure) {
      collected.failure = failure;
    }
    collected.isDone = true;
  })();
  return collected;
}

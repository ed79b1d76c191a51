import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startConfigured, UNIVERSE_A, USDC, WETH } from "../kit/service.ts";
import { faultsOf, type JsonSchema, resolve } from "./jsonSchema.ts";

interface Reference {
  readonly $ref: string;
}

interface Described {
  readonly name: string;
  readonly payload: JsonSchema;
  readonly examples: ReadonlyArray<{ readonly payload: Readonly<Record<string, unknown>> }>;
}

interface StreamOperation {
  readonly action: "send" | "receive";
  readonly channel: Reference;
  readonly messages: ReadonlyArray<Reference>;
  readonly reply?: { readonly channel: Reference; readonly messages: ReadonlyArray<Reference> };
}

interface Document {
  readonly asyncapi: string;
  readonly channels: Readonly<Record<string, { readonly messages: Record<string, Reference> }>>;
  readonly operations: Readonly<Record<string, StreamOperation>>;
  readonly components: { readonly messages: Readonly<Record<string, Described>> };
}

const POOL = "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc";
const quote = { channel: "quote", network: "ETH", tokenA: WETH, tokenB: USDC };

let service: Service;
let document: Document;

/** Starts a service that replays a block of a recording every `replayMs`. */
function start(replayMs: number): Promise<Service> {
  const streams = { heartbeatMs: 1_000, connectionsPerAddress: 64 };
  const market = { MILLRACE_MARKET_FILE: UNIVERSE_A, MILLRACE_REPLAY_MS: String(replayMs) };
  return startConfigured({ streams }, market);
}

beforeAll(async () => {
  service = await start(10);
  document = (await service.get("/asyncapi.json")).json;
});
afterAll(() => service.stop());

/** A connection that keeps every received message. */
async function connect({ url } = service) {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
  const messages: Array<Readonly<Record<string, unknown>>> = [];
  socket.onmessage = ({ data }) => messages.push(JSON.parse(String(data)));
  const closed = new Promise<number>((done) => {
    socket.onclose = ({ code }) => done(code);
  });
  await eventually(() => messages.length > 0);
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  const until = <A>(attempt: () => A) =>
    eventually(() => {
      const found = attempt();
      if (!found && isClosed) throw new Error(`closed: ${JSON.stringify(messages.slice(-5))}`);
      return found;
    });
  const send = (operation: unknown): void =>
    socket.send(typeof operation === "string" ? operation : JSON.stringify(operation));
  return { messages, closed, send, until, close: () => socket.close() };
}

/** The names of one side's messages that a value is valid for. */
const namesOf = (value: unknown, action: "send" | "receive"): string[] =>
  messagesOf(action)
    .filter(
      ({ payload }) => faultsOf(payload, value, document as unknown as JsonSchema).length === 0,
    )
    .map(({ name }) => name);

/** The messages that the service sends, answers included, or receives. */
function messagesOf(action: "send" | "receive"): Described[] {
  const operations = Object.values(document.operations);
  const own = operations.filter((one) => one.action === action).flatMap(({ messages }) => messages);
  const answers = operations.flatMap(({ reply }) => reply?.messages ?? []);
  const references = new Set(
    [...own, ...(action === "send" ? answers : [])].map(({ $ref }) => $ref),
  );
  return [...references].map((reference) => {
    const inChannel = resolve(reference, document as unknown as JsonSchema);
    return resolve(
      String(inChannel["$ref"]),
      document as unknown as JsonSchema,
    ) as unknown as Described;
  });
}

describe("the AsyncAPI document", () => {
  it("is served as JSON, to pages of any origin, and to nobody who would write", async () => {
    const init = { headers: { origin: "https://app.example" } };
    const { status, headers } = await service.request("/asyncapi.json", init);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect((await service.request("/asyncapi.json", { method: "HEAD" })).status).toBe(200);
    const written = await service.post("/asyncapi.json", {});
    expect([written.status, written.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("is of a path that says what it needs to who does not upgrade", async () => {
    const plain = await service.get("/ws");
    expect([plain.status, plain.json.status, plain.json.code]).toEqual([
      426,
      426,
      "INVALID_REQUEST",
    ]);
    expect(plain.headers.get("upgrade")).toBe("websocket");
    const written = await service.post("/ws", {});
    expect([written.status, written.headers.get("allow")]).toEqual([405, "GET"]);
  });

  it("lets operations refer to messages of their channel only, each of them used", () => {
    const { messages } = document.channels["stream"]!;
    const used = Object.values(document.operations).flatMap((operation) => [
      ...operation.messages,
      ...(operation.reply?.messages ?? []),
    ]);
    const inChannel = Object.keys(messages).map((name) => `#/channels/stream/messages/${name}`);
    expect(new Set(used.map(({ $ref }) => $ref))).toEqual(new Set(inChannel));
    expect(Object.keys(messages)).toEqual(Object.keys(document.components.messages));
    for (const { channel } of Object.values(document.operations)) {
      expect(channel).toEqual({ $ref: "#/channels/stream" });
    }
  });

  it("gives examples of every message, which are that message and no other", () => {
    for (const action of ["send", "receive"] as const) {
      for (const { name, examples } of messagesOf(action)) {
        expect(examples.length).toBeGreaterThan(0);
        for (const { payload } of examples) expect(namesOf(payload, action)).toEqual([name]);
      }
    }
  });

  it("gives examples of operations that the service takes", async () => {
    const client = await connect();
    for (const { examples } of messagesOf("receive")) {
      for (const { payload } of examples) {
        const before = client.messages.length;
        client.send(payload);
        const answer = await client.until(() =>
          client.messages
            .slice(before)
            .find((message) => message["id"] === payload["id"] && message["op"] !== "hello"),
        );
        expect(answer, JSON.stringify([payload, answer])).not.toMatchObject({ op: "error" });
      }
    }
    client.close();
    await client.closed;
  });

  it("refuses operations that the service refuses as malformed", async () => {
    const subscribe = { op: "subscribe", id: 1 };
    const wrong = [
      ...[{}, [], null, 7, "x", { op: "evict", id: 1 }, { op: "list" }, { op: "list", id: null }],
      ...[
        { op: "list", id: 1.5 },
        { op: "list", id: "x".repeat(65) },
        { op: "list", id: 1, a: 1 },
      ],
      ...[
        { op: "ping", id: {} },
        { op: "unsubscribe", id: 1 },
        { ...subscribe, network: "ETH" },
      ],
      { ...subscribe, channel: "block" },
      { ...subscribe, channel: "orders", network: "ETH" },
      { ...subscribe, channel: "trades", network: "ETH" },
      { ...subscribe, channel: "trades", network: "ETH", token: WETH, pool: POOL },
      { ...subscribe, channel: "trades", network: "ETH", tokens: [WETH] },
      { ...subscribe, channel: "candles", network: "ETH", interval: "1h" },
      { ...subscribe, channel: "candles", network: "ETH", token: WETH, pool: POOL },
      { ...subscribe, channel: "candles", network: "ETH", token: WETH, interval: "2m" },
      { ...subscribe, channel: "networks", network: "ETH", token: WETH },
      { ...subscribe, channel: "block", network: "ETH", token: WETH },
      { ...subscribe, channel: "pool", network: "ETH", pool: "0x12" },
      { ...subscribe, channel: "price", network: "ETH" },
      { ...subscribe, channel: "price", network: "ETH", token: WETH, tokens: [WETH] },
      { ...subscribe, channel: "price", network: "ETH", tokens: [] },
      { ...subscribe, channel: "price", network: "ETH", tokens: Array(101).fill(WETH) },
      { ...subscribe, ...quote },
      { ...subscribe, ...quote, amountIn: "1", amountOut: "1" },
      { ...subscribe, ...quote, amountIn: "1", amounts: ["1"] },
      { ...subscribe, ...quote, amounts: [] },
      { ...subscribe, ...quote, amounts: Array(17).fill("1") },
      { ...subscribe, ...quote, amountIn: "01" },
      { ...subscribe, ...quote, amountIn: "1", maxHops: 5 },
      { ...subscribe, ...quote, amountIn: "1", minChangeBps: -1 },
      { ...subscribe, ...quote, amountIn: "1", slippage: 1 },
      { ...subscribe, ...quote, amountIn: "1", assume: [{ addPool: POOL }] },
      { ...subscribe, ...quote, amountIn: "1", assume: [{ routePlan: [{}] }] },
    ];
    for (const operation of wrong) {
      expect(namesOf(operation, "receive"), JSON.stringify(operation)).toEqual([]);
    }
    for (let at = 0; at < wrong.length; at += 10) {
      const client = await connect();
      for (const operation of wrong.slice(at, at + 10)) client.send(operation);
      const errors = () => client.messages.filter(({ op }) => op === "error");
      await client.until(() => errors().length === Math.min(10, wrong.length - at));
      for (const { code } of errors()) expect(code).toBe("INVALID_REQUEST");
      client.close();
      await client.closed;
    }
  });
});

describe("every message that the service sends", () => {
  it("is one of the document's, with nothing that it does not tell, until the last", async () => {
    const moving = await start(500);
    const client = await connect(moving);
    const operations = [
      { channel: "price", network: "ETH", token: USDC },
      { channel: "price", network: "ETH", tokens: [WETH, USDC] },
      { channel: "block", network: "ETH" },
      { channel: "pool", network: "ETH", pool: POOL },
      { channel: "trades", network: "ETH", token: WETH },
      { channel: "trades", network: "ETH", pool: POOL },
      { channel: "candles", network: "ETH", token: WETH, interval: "1m" },
      { channel: "candles", network: "ETH", pool: POOL, interval: "1d" },
      { channel: "networks", network: "ETH" },
      { ...quote, amountIn: "1000000000000000000", explain: true, maxSplits: 4 },
      { ...quote, amountOut: "1000000", minChangeBps: 1, gasPriceWei: "1" },
      { ...quote, amounts: ["1", "1000000000000000000", "9".repeat(70)], explain: true },
      { ...quote, amountIn: "1", excludeDexIds: ["UNISWAP_V2", "UNISWAP_V3"], maxHops: 1 },
      { channel: "price", network: "NOWHERE", token: WETH },
      { channel: "price", network: "ETH", token: `0x${"1".repeat(40)}` },
      { channel: "pool", network: "ETH", pool: WETH },
      { channel: "trades", network: "ETH", pool: WETH },
      { channel: "candles", network: "ETH", token: `0x${"1".repeat(40)}` },
      { channel: "quote", network: "ETH" },
    ].map((parameters, id) => ({ op: "subscribe", id, ...parameters }));
    for (const operation of operations) client.send(operation);
    for (const operation of [{ op: "list", id: "list" }, { op: "ping" }, "{", "[".repeat(5_000)]) {
      client.send(operation);
    }
    const seen = (op: string) => client.messages.filter((message) => message["op"] === op);
    await client.until(() => seen("subscribed").length === 13);
    const { subscription } = seen("subscribed")[0]!;
    // The budget of operations may be used up: refused operations are repeated slowly.
    for (const [operation, answer] of [
      [{ op: "ping", id: "again" }, "pong"],
      [{ op: "unsubscribe", id: "end", subscription }, "unsubscribed"],
    ] as const) {
      while (seen(answer).length === 0) {
        client.send(operation);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    await client.until(() => {
      for (let count = 0; count < 5; count++) client.send({ op: "ping", id: count });
      return seen("error").some(({ code }) => code === "RATE_LIMITED");
    });
    const channelOf = ({ subscription }: Record<string, unknown>) =>
      seen("subscribed").find((message) => message["subscription"] === subscription)?.["channel"];
    const channels = () => new Set(seen("update").map(channelOf));
    await client.until(() => channels().size === 5 && seen("heartbeat").length > 0);
    await moving.stop();
    expect(await client.closed).toBe(1012);
    const closed = closedDocument();
    const faults = client.messages.flatMap((message) => {
      const schema = closed.components.messages[String(message["op"])]!.payload;
      const found = faultsOf(schema, message, closed as unknown as JsonSchema);
      return found.length === 0 ? [] : [{ message, found }];
    });
    expect(faults).toEqual([]);
    for (const message of client.messages) {
      expect(namesOf(message, "send")).toEqual([message["op"]]);
    }
    const expected = messagesOf("send").map(({ name }) => name);
    expect(new Set(client.messages.map(({ op }) => op))).toEqual(new Set(expected));
    const blocks = seen("update").filter((message) => channelOf(message) === "block");
    expect(blocks[0]!["data"]).toMatchObject({
      poolsChanged: expect.toSatisfy((count) => count > 0),
    });
    expect(seen("error").map(({ code }) => code)).toEqual(
      expect.arrayContaining(["UNKNOWN_NETWORK", "UNKNOWN_TOKEN", "UNKNOWN_POOL", "RATE_LIMITED"]),
    );
  });

  /** The document with objects that allow only its named fields. */
  const closedDocument = (): Document =>
    JSON.parse(JSON.stringify(document), (_, value: unknown) =>
      typeof value === "object" && value !== null && "properties" in value
        ? { ...value, additionalProperties: false }
        : value,
    );
});

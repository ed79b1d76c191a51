import { Result, Schema } from "effect";
import { describe, expect, it } from "vitest";
import {
  asyncApiText,
  decodeOperation,
  encodeSnapshotMessage,
  encodeUpdateMessage,
  MESSAGES,
  messageTail,
  ServerMessage,
} from "../src/index.ts";

const token = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const other = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

const subscribe = (channel: string, parameters: object) => ({
  ...{ op: "subscribe", id: 7, channel, network: "ETH" },
  ...parameters,
});

const decoded = (json: unknown) => Result.getOrThrow(decodeOperation(json));

describe("an operation", () => {
  it("is decoded, with defaults filled in", () => {
    expect(decoded(subscribe("price", { token }))).toEqual({
      op: "subscribe",
      id: 7,
      topic: { channel: "price", network: "ETH", tokens: [token], isList: false },
    });
    expect(decoded(subscribe("price", { tokens: [token, other] }))).toMatchObject({
      topic: { tokens: [token, other], isList: true },
    });
    expect(decoded(subscribe("pool", { pool: token }))).toMatchObject({
      topic: { channel: "pool", pool: token },
    });
    expect(decoded(subscribe("block", {}))).toMatchObject({ topic: { channel: "block" } });
    expect(decoded(subscribe("trades", { pool: token }))).toMatchObject({
      topic: { channel: "trades", subject: { pool: token } },
    });
    expect(decoded(subscribe("candles", { token }))).toEqual({
      ...{ op: "subscribe", id: 7 },
      topic: { channel: "candles", network: "ETH", subject: { token }, interval: "1h" },
    });
    expect(decoded(subscribe("candles", { pool: token, interval: "5m" }))).toMatchObject({
      topic: { subject: { pool: token }, interval: "5m" },
    });
    expect(decoded(subscribe("networks", {}))).toMatchObject({ topic: { channel: "networks" } });
    const quote = { tokenA: token, tokenB: other };
    expect(decoded(subscribe("quote", { ...quote, amountIn: "5" }))).toEqual({
      op: "subscribe",
      id: 7,
      topic: {
        channel: "quote",
        network: "ETH",
        request: { ...quote, amountIn: "5", dexId: "ALL", maxHops: 3, maxSplits: 1 },
        minChangeBps: 0,
      },
    });
    const ladder = decoded(
      subscribe("quote", { ...quote, amounts: ["5", "6"], minChangeBps: 2.5 }),
    );
    expect(ladder).toMatchObject({
      topic: { request: { amountIn: "5" }, amounts: ["5", "6"], minChangeBps: 2.5 },
    });
    expect(decoded({ op: "ping" })).toEqual({ op: "ping" });
    expect(decoded({ op: "list", id: "a" })).toEqual({ op: "list", id: "a" });
    expect(decoded({ op: "unsubscribe", id: 1, subscription: "s1" })).toEqual({
      ...{ op: "unsubscribe", id: 1, subscription: "s1" },
    });
  });

  const quote = { tokenA: token, tokenB: other, amountIn: "5" };
  const sizes = (count: number) => Array.from({ length: count }, () => "1");
  for (const [what, json, path] of [
    ["a list", [], []],
    ["null", null, []],
    ["a text", "subscribe", []],
    ["a number", 7, []],
    ["nothing", {}, ["op"]],
    ["an unknown op", { op: "evict", id: 1 }, ["op"]],
    ["an op of another type", { op: ["subscribe"], id: 1 }, ["op"]],
    ["an inherited op", { op: "constructor", id: 1 }, ["op"]],
    ["no id", { op: "list" }, ["id"]],
    ["an id that is null", { op: "list", id: null }, ["id"]],
    ["an id that is a fraction", { op: "list", id: 1.5 }, ["id"]],
    ["an id beyond 2^53", { op: "list", id: 2 ** 53 }, ["id"]],
    ["an id of 65 characters", { op: "list", id: "x".repeat(65) }, ["id"]],
    ["an id that is an object", { op: "list", id: {} }, ["id"]],
    ["an unknown key", { op: "list", id: 1, what: 1 }, ["what"]],
    ["no channel", { op: "subscribe", id: 1, network: "ETH" }, ["channel"]],
    ["an unknown channel", subscribe("orders", {}), ["channel"]],
    ["trades of nothing", subscribe("trades", {}), ["pool"]],
    ["trades of two things", subscribe("trades", { pool: token, token }), ["pool"]],
    ["trades of a malformed token", subscribe("trades", { token: "0x12" }), ["token"]],
    ["trades of an interval", subscribe("trades", { token, interval: "1h" }), ["interval"]],
    ["candles of nothing", subscribe("candles", { interval: "1h" }), ["pool"]],
    ["candles of two things", subscribe("candles", { pool: token, token }), ["pool"]],
    ["an unknown interval", subscribe("candles", { token, interval: "2m" }), ["interval"]],
    ["a token of a network", subscribe("networks", { token }), ["token"]],
    ["no network", { op: "subscribe", id: 1, channel: "block" }, ["network"]],
    ["a network that is a number", subscribe("block", { network: 1 }), ["network"]],
    ["no token", subscribe("price", {}), ["token"]],
    ["a token and tokens", subscribe("price", { token, tokens: [token] }), ["token"]],
    ["a malformed token", subscribe("price", { token: "0x12" }), ["token"]],
    ["no tokens at all", subscribe("price", { tokens: [] }), ["tokens"]],
    ["101 tokens", subscribe("price", { tokens: Array(101).fill(token) }), ["tokens"]],
    ["a malformed token of many", subscribe("price", { tokens: [token, "x"] }), ["tokens", 1]],
    ["no pool", subscribe("pool", {}), ["pool"]],
    ["a parameter of another channel", subscribe("block", { token }), ["token"]],
    ["no amount", subscribe("quote", { ...quote, amountIn: undefined }), ["amountIn"]],
    ["two amounts", subscribe("quote", { ...quote, amountOut: "5" }), ["amountIn"]],
    ["an amount and a ladder", subscribe("quote", { ...quote, amounts: ["5"] }), ["amounts"]],
    ["an empty ladder", subscribe("quote", { ...quote, ...ladder([]) }), ["amounts"]],
    ["a ladder of 17", subscribe("quote", { ...quote, ...ladder(sizes(17)) }), ["amounts"]],
    ["a ladder of numbers", subscribe("quote", { ...quote, ...ladder([5]) }), ["amounts", 0]],
    ["a negative change", subscribe("quote", { ...quote, minChangeBps: -1 }), ["minChangeBps"]],
    [
      "a change of more than all",
      subscribe("quote", { ...quote, minChangeBps: 10_001 }),
      ["minChangeBps"],
    ],
    ["equal tokens", subscribe("quote", { ...quote, tokenB: token }), ["tokenB"]],
    ["five hops", subscribe("quote", { ...quote, maxHops: 5 }), ["maxHops"]],
    ["an unknown key of a quote", subscribe("quote", { ...quote, slippage: 1 }), ["slippage"]],
    ["no subscription", { op: "unsubscribe", id: 1 }, ["subscription"]],
    [
      "a subscription of 65 characters",
      { op: "unsubscribe", id: 1, subscription: "s".repeat(65) },
      ["subscription"],
    ],
  ] as const) {
    it(`with ${what} is refused, with an issue that says where`, () => {
      const wrong = Result.getOrThrow(Result.flip(decodeOperation(json)));
      expect(wrong.issues.map(({ path }) => path)).toContainEqual(path);
      const id = typeof json === "object" && json !== null && "id" in json ? json.id : undefined;
      const isSound = Number.isSafeInteger(id) || (typeof id === "string" && id.length <= 64);
      expect(wrong.id).toBe(isSound ? id : undefined);
    });
  }

  it("is told all that is wrong with it at once", () => {
    const wrong = {
      network: 1,
      tokenA: "x",
      amountIn: "1",
      amountOut: "2",
      minChangeBps: -1,
      a: 0,
    };
    const json = subscribe("quote", { ...quote, ...wrong, ...{ amounts: ["x"] } });
    const { issues } = Result.getOrThrow(Result.flip(decodeOperation(json)));
    expect(new Set(issues.map(({ path }) => path.join(".")))).toEqual(
      new Set(["amounts", "network", "amounts.0", "minChangeBps", "tokenA", "a"]),
    );
  });

  it("of thousands of unknown keys is refused with few issues", () => {
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, key) => [`k${key}`, key]));
    for (const base of [{ op: "list", id: 1 }, subscribe("quote", quote)]) {
      const wrong = Result.getOrThrow(Result.flip(decodeOperation({ ...base, ...keys })));
      expect(wrong.issues.length).toBeLessThanOrEqual(32);
    }
  });

  it("of thousands of wrong assumed steps is refused after a look at a few of them", () => {
    let looks = 0;
    const step = () => ({
      get poolAddress() {
        looks++;
        return "0x12";
      },
    });
    const assume = Array.from({ length: 20 }, () => ({
      routePlan: Array.from({ length: 256 }, step),
    }));
    const { issues } = Result.getOrThrow(
      Result.flip(decodeOperation(subscribe("quote", { ...quote, assume }))),
    );
    expect(issues).toHaveLength(64);
    expect(issues[0]!.path).toEqual(["assume", 0, "routePlan", 0, "poolAddress"]);
    expect(looks).toBeLessThanOrEqual(2 * 64);
  });

  function ladder(amounts: ReadonlyArray<unknown>) {
    return { amountIn: undefined, amounts };
  }
});

describe("a message of the server", () => {
  const stamp = {
    blockNumber: "7",
    blockHash: `0x${"ab".repeat(32)}`,
    timestamp: 1_773_948_443_000,
  };
  const data = { token: other, price: 1.5, liquidity: 2e21, volume24h: 0 };
  const tail = messageTail(stamp, 1_773_948_443_000_123, JSON.stringify(data));

  it("is written by hand as the schema encodes it", () => {
    const rest = { ...stamp, sentAt: 1_773_948_443_000_123, data };
    expect(encodeSnapshotMessage("s1", "price", tail)).toBe(
      JSON.stringify(
        encode(MESSAGES.snapshot, {
          ...{ op: "snapshot", subscription: "s1", channel: "price", seq: 0 },
          ...rest,
        }),
      ),
    );
    for (const marks of [{}, { reorg: true }, { unpaid: 2 }, { reorg: true, unpaid: 1 }]) {
      const message = { op: "update", subscription: "s1", seq: 3, ...marks, ...rest };
      const told = { reorg: false, unpaid: 0, ...marks };
      expect(encodeUpdateMessage("s1", 3, told, tail)).toBe(
        JSON.stringify(encode(MESSAGES.update, message as never)),
      );
    }
  });

  it("is told from the others when it is read", () => {
    const read = Schema.decodeUnknownSync(ServerMessage);
    expect(
      read(JSON.parse(encodeUpdateMessage("s1", 3, { reorg: true, unpaid: 0 }, tail))),
    ).toMatchObject({
      op: "update",
      seq: 3,
      reorg: true,
      data: { price: 1.5 },
    });
    expect(read({ op: "pong", sentAt: 1 })).toEqual({ op: "pong", sentAt: 1 });
    expect(() => read({ op: "pang", sentAt: 1 })).toThrow();
  });

  const encode = <S extends Schema.Codec<unknown, unknown>>(schema: S, message: S["Type"]) =>
    Schema.encodeSync(schema)(message);
});

describe("the AsyncAPI document", () => {
  const text = asyncApiText();
  const document = JSON.parse(text);

  it("tells every message of both sides, and refers to nothing that is not there", () => {
    expect(document.asyncapi).toBe("3.0.0");
    expect(Object.keys(document.components.messages)).toEqual(
      expect.arrayContaining([
        ...Object.keys(MESSAGES),
        ...["subscribe_price", "subscribe_quote", "subscribe_pool", "subscribe_block"],
        ...["subscribe_trades", "subscribe_candles", "subscribe_networks"],
        ...["unsubscribe", "list", "ping"],
      ]),
    );
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) {
      const found = reference
        .split("/")
        .reduce((node, key) => node?.[key.replaceAll("~1", "/")], document);
      expect(found, reference).toBeDefined();
    }
    expect(text).not.toMatch(/"NaN"|\$defs|prefixItems/);
  });

  it("gives examples that are what they are of", () => {
    const { messages } = document.components;
    for (const [name, { examples }] of Object.entries<{ examples: { payload: object }[] }>(
      messages,
    )) {
      expect(examples.length).toBeGreaterThan(0);
      for (const { payload } of examples) {
        if (name in MESSAGES) expect(payload).toMatchObject({ op: name });
        else decoded(payload);
      }
    }
    const read = Schema.decodeUnknownSync(ServerMessage, { onExcessProperty: "error" });
    for (const name of Object.keys(MESSAGES)) {
      for (const { payload } of messages[name].examples) read(payload);
    }
  });

  it("says of every field of a server's message what it is", () => {
    const { update, subscribe_quote } = document.components.messages;
    expect(update.payload.properties.seq.allOf[0].description).toMatch(/grows by one/);
    expect(update.payload.required).toContain("blockHash");
    expect(subscribe_quote.payload.properties.op.enum).toEqual(["subscribe"]);
    expect(subscribe_quote.payload.additionalProperties).toBe(false);
  });
});

import { eventually } from "@millrace/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  configOf,
  type Service,
  startConfigured,
  startService,
  UNIVERSE_A,
  USDC,
  WETH,
} from "../kit/service.ts";
import { badOperations } from "./badOperations.ts";
import { frame, OPCODES, openRawStream, type RawStream } from "./rawStream.ts";

const PING = JSON.stringify({ op: "ping", id: "still here" });
const SUBSCRIBE = { op: "subscribe", id: 7, channel: "price", network: "ETH", token: WETH };
const QUOTE = {
  ...{ op: "subscribe", id: 8, channel: "quote", network: "ETH", tokenA: WETH, tokenB: USDC },
  amountIn: "1000000",
};

let service: Service;
/** A client that none of this may harm. */
let bystander: RawStream;

const clients: RawStream[] = [];

beforeAll(async () => {
  service = await startService(await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A }));
  bystander = await openRawStream(service.url);
  bystander.send(JSON.stringify(SUBSCRIBE));
  await eventually(() => bystander.messages().length === 2);
});

afterAll(async () => {
  bystander?.socket.destroy();
  await service?.stop();
});

afterEach(() => {
  for (const client of clients.splice(0)) client.socket.destroy();
});

/** A connection that ends with its test. */
async function connect(): Promise<RawStream> {
  const client = await openRawStream(service.url);
  clients.push(client);
  return client;
}

/** The service answers others, and has forgotten the clients that left and their subscriptions. */
async function expectUnharmed(): Promise<void> {
  await expectAnswering();
  await eventually(() => service.streams.counts().connections === 1);
  expect(service.streams.counts()).toMatchObject({ subscriptions: 1, distinctQuotes: 0 });
}

/** Checks that the service answers others, and refuses clients that ask too often. */
async function expectAnswering(): Promise<void> {
  const before = bystander.messages().length;
  bystander.send(JSON.stringify({ op: "list", id: before }));
  const answer = await bystander.message(before);
  if (answer.op === "error") expect(answer.code).toBe("RATE_LIMITED");
  else expect(answer.subscriptions.length).toBe(1);
}

async function gone(client: RawStream): Promise<void> {
  client.socket.destroy();
  await client.closed;
}

describe("operations that cannot be done", () => {
  it("are many", () => {
    expect(badOperations.length).toBeGreaterThan(300);
    expect(badOperations.filter(({ text }) => Buffer.byteLength(text) > 16_384)).toEqual([]);
  });

  // Each connection sends several, but fewer than would close it.
  const perConnection = 18;
  for (let from = 0; from < badOperations.length; from += perConnection) {
    const some = badOperations.slice(from, from + perConnection);
    it(`are each answered with one error: ${some[0]!.what} and the next`, async () => {
      const client = await connect();
      for (const { text } of some) client.send(text);
      client.send(PING);
      const answer = await client.message(some.length);
      expect(answer).toMatchObject({ op: "pong", id: "still here" });
      for (const [at, { what, code, id }] of some.entries()) {
        const refusal = client.messages()[at];
        expect(refusal, what).toMatchObject({ op: "error", code, id });
        expect(refusal.detail.length, what).toBeLessThan(300);
        expect(JSON.stringify(refusal).length, what).toBeLessThan(8_000);
      }
      await gone(client);
      await expectUnharmed();
    });
  }
});

describe("operations that are odd", () => {
  const odd: ReadonlyArray<readonly [what: string, text: string, answer: object]> = [
    ["a key twice", '{"op":"nothing","op":"list","id":1,"id":2}', { op: "subscriptions", id: 2 }],
    ["keys with escapes", '{"\\u006fp":"p\\u0069ng","id":1}', { op: "pong", id: 1 }],
    ["space between", ' \t\r\n{ "op" : "ping" , "id" : 1 } \n', { op: "pong", id: 1 }],
    ["an id of a lone surrogate", '{"op":"ping","id":"\\ud800"}', { op: "pong", id: "\ud800" }],
    ["an id of NUL", '{"op":"ping","id":"\\u0000"}', { op: "pong", id: "\0" }],
    ["an empty id", '{"op":"ping","id":""}', { op: "pong", id: "" }],
    ["an id of a property", '{"op":"ping","id":"__proto__"}', { op: "pong", id: "__proto__" }],
    ["an id of quotes", '{"op":"ping","id":"\\",\\"op\\":\\""}', { op: "pong", id: '","op":"' }],
    ["the largest id", '{"op":"ping","id":9007199254740991}', { id: 2 ** 53 - 1 }],
    ["the smallest id", '{"op":"ping","id":-9007199254740991}', { id: 1 - 2 ** 53 }],
    ["an id of minus nothing", '{"op":"ping","id":-0}', { op: "pong", id: 0 }],
    ["an id as a float", '{"op":"ping","id":1e3}', { op: "pong", id: 1_000 }],
    ["an id of 64 letters", JSON.stringify({ op: "ping", id: "x".repeat(64) }), { op: "pong" }],
    ["no id for a ping", '{"op":"ping"}', { op: "pong" }],
    ["16,384 bytes", `{"op":"ping"${" ".repeat(16_371)}}`, { op: "pong" }],
  ];
  for (const [what, text, expected] of odd) {
    it(`are done: ${what}`, async () => {
      const client = await connect();
      client.send(text);
      expect(await client.message(0)).toMatchObject(expected);
      await gone(client);
      await expectUnharmed();
    });
  }
});

describe("a client that keeps to no rule", () => {
  const { binary, close, continuation, ping, pong, text } = OPCODES;
  const wholes: ReadonlyArray<
    readonly [what: string, bytes: ReadonlyArray<Buffer>, code: number | undefined]
  > = [
    ["a message of 16,385 bytes", [frame(text, " ".repeat(16_385))], 1009],
    [
      "16,385 bytes in fragments",
      [frame(text, " ".repeat(16_384), false), frame(continuation, " ")],
      1009,
    ],
    ["a message of 32,769 bytes", [frame(text, " ".repeat(32_769))], undefined],
    ["an operation in bytes", [frame(binary, PING)], 1003],
    ["bytes that are no text", [frame(text, Uint8Array.of(0x22, 0xff, 0x22))], undefined],
    ["half a character", [frame(text, Uint8Array.of(0x22, 0xe2, 0x82))], undefined],
    ["a surrogate in UTF-8", [frame(text, Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))], undefined],
    ["an operation within an operation", [frame(text, "{", false), frame(text, PING)], undefined],
    ["an end of nothing", [frame(continuation, PING)], undefined],
    ["an operation behind the end", [frame(close, Uint8Array.of(3, 232)), frame(text, PING)], 1000],
    ["a code that nobody may send", [frame(close, Uint8Array.of(3, 237))], undefined],
    ["33 messages of nonsense", Array.from({ length: 33 }, () => frame(text, "?")), 1008],
    ["a thousand pings at once", Array.from({ length: 1_000 }, () => frame(text, PING)), 1008],
    [
      "a thousand subscriptions at once",
      Array.from({ length: 1_000 }, () => frame(text, JSON.stringify(SUBSCRIBE))),
      1008,
    ],
  ];
  for (const [what, bytes, code] of wholes) {
    it(`is closed, and nobody else is harmed: ${what}`, async () => {
      const client = await connect();
      client.write(...bytes);
      await client.closed;
      // A breach of the protocol itself closes the connection without a message.
      expect(client.closeCode()).toBe(code);
      if (code !== 1008) expect(client.messages()).toEqual([]);
      await expectUnharmed();
    });
  }

  const cuts = [1, 2, 5, 6, 7, 20, 60, -1];
  for (const cut of cuts) {
    it(`goes, and is forgotten: within a subscription, at byte ${cut}`, async () => {
      const client = await connect();
      client.send(JSON.stringify(SUBSCRIBE));
      client.write(frame(text, JSON.stringify(QUOTE)).subarray(0, cut));
      await eventually(() => client.messages().length === 2);
      client.socket.destroy();
      await expectUnharmed();
    });
  }

  it("may send an operation byte by byte, or a byte a fragment, with pings between", async () => {
    const client = await connect();
    client.socket.setNoDelay(true);
    for (const byte of frame(text, PING)) {
      client.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await client.message(0)).toMatchObject({ op: "pong" });
    const bytes = [...Buffer.from(PING)];
    client.write(
      ...bytes.flatMap((byte, at) => [
        frame(at === 0 ? text : continuation, Uint8Array.of(byte), at === bytes.length - 1),
        frame(at % 2 === 0 ? ping : pong, "between"),
      ]),
    );
    expect(await client.message(1)).toMatchObject({ op: "pong" });
    await gone(client);
    await expectUnharmed();
  });

  it("may ping without end, and others are answered meanwhile", async () => {
    const client = await connect();
    client.write(...Array.from({ length: 20_000 }, () => frame(ping, "x")));
    await expectAnswering();
    client.send(PING);
    await eventually(() => client.messages().length === 1);
    expect(client.opcodes().filter((opcode) => opcode === pong).length).toBe(20_000);
    await gone(client);
    await expectUnharmed();
  });

  it("may hold a hundred subscriptions, and not one more, nor anybody else's", async () => {
    const streams = { operationsPerSecond: 1_000 };
    const roomy = await startConfigured({ streams }, { MILLRACE_MARKET_FILE: UNIVERSE_A });
    const [one, other] = await Promise.all([openRawStream(roomy.url), openRawStream(roomy.url)]);
    other.send(JSON.stringify(SUBSCRIBE));
    await eventually(() => other.messages().length === 2);
    for (let id = 0; id < 101; id++) {
      one.send(JSON.stringify({ ...(id % 2 === 0 ? SUBSCRIBE : QUOTE), id }));
    }
    await eventually(() => one.messages().length === 201);
    expect(one.messages()[200]).toMatchObject({ op: "error", id: 100, code: "RATE_LIMITED" });
    expect(roomy.streams.counts()).toMatchObject({ subscriptions: 101, distinctQuotes: 1 });
    // Subscription names belong to a connection.
    other.send(JSON.stringify({ op: "unsubscribe", id: 1, subscription: "s50" }));
    other.send(JSON.stringify({ op: "unsubscribe", id: 2, subscription: "s1" }));
    other.send(JSON.stringify({ op: "unsubscribe", id: 3, subscription: "s1" }));
    await eventually(() => other.messages().length === 5);
    expect(
      other
        .messages()
        .slice(2)
        .map(({ op }) => op),
    ).toEqual(["error", "unsubscribed", "error"]);
    expect(roomy.streams.counts()).toMatchObject({ subscriptions: 100 });
    // The end of one makes room for another.
    one.send(JSON.stringify({ op: "unsubscribe", id: 4, subscription: "s2" }));
    one.send(JSON.stringify({ ...QUOTE, id: 5 }));
    await eventually(() => one.messages().length === 204);
    expect(one.messages()[202]).toMatchObject({ op: "subscribed", id: 5, subscription: "s101" });
    await Promise.all([gone(one), gone(other)]);
    await eventually(() => roomy.streams.counts().connections === 0);
    expect(roomy.streams.counts()).toMatchObject({ subscriptions: 0, distinctQuotes: 0 });
    await roomy.stop();
  });

  it("may come and go with subscriptions a hundred times, and leaves nothing behind", async () => {
    for (let round = 0; round < 25; round++) {
      const four = await Promise.all(Array.from({ length: 4 }, connect));
      for (const client of four) {
        client.send(JSON.stringify(QUOTE));
        client.send(JSON.stringify({ ...QUOTE, maxSplits: 2, minChangeBps: 1 }));
        client.socket.destroySoon();
      }
      await Promise.all(four.map(({ closed }) => closed));
    }
    await expectUnharmed();
  });

  it("is one of eight of its address: the ninth is refused, until one goes", async () => {
    const seven = await Promise.all(Array.from({ length: 7 }, connect));
    await expect(openRawStream(service.url)).rejects.toThrow("429");
    await gone(seven.pop()!);
    await eventually(() => service.streams.counts().connections === 7);
    seven.push(await connect());
    await Promise.all(seven.map(gone));
    await expectUnharmed();
  });
});

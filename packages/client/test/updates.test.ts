import { Effect, Exit, Fiber, Stream } from "effect";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import {
  isProblem,
  type PoolOrProblem,
  type QuoteOrProblem,
  type StreamError,
  type StreamedPrice,
  type StreamedProblem,
  StreamMalformed,
  type Update,
  type Updates,
  type WebSocketLike,
} from "../src/index.ts";
import {
  answersAll,
  collect,
  connectClient,
  fakeTime,
  HASH_A,
  HASH_B,
  price,
  settled,
} from "./fakeServer.ts";

beforeEach(() => fakeTime());
afterEach(() => void vi.useRealTimers());

/** One reading, and the socket that its values come from. */
function open<A>(pick: (client: ReturnType<typeof connectClient>["client"]) => Updates<A>) {
  const connected = connectClient({ reconnectMaxMs: 100 });
  const reading = pick(connected.client)[Symbol.asyncIterator]();
  const first = reading.next();
  const begin = () => {
    answersAll(connected.socket());
    connected.socket().hello();
  };
  begin();
  const next = async (): Promise<Update<A>> => {
    const result = await reading.next();
    if (result.done === true) throw new Error("it has ended");
    return result.value;
  };
  const reconnect = async () => {
    connected.socket().drop();
    await vi.advanceTimersByTimeAsync(100);
    begin();
  };
  return { ...connected, reading, first, next, reconnect };
}

const openPrice = () => open((client) => client.price("ETH", "0x01"));

describe("updates", () => {
  it("come with their block, its time and the server's", async () => {
    const { client, socket, first } = openPrice();
    socket().snapshot("s1", price(1));
    expect(await first).toEqual({
      done: false,
      value: {
        data: price(1),
        ...{ blockNumber: "7", blockHash: HASH_A, timestamp: 5, sentAt: 9 },
        ...{ reorg: false, missed: 0, unpaid: 0 },
      },
    });
    client.close();
  });

  it("are the newest when they are read, with what was missed and a reorganisation", async () => {
    const { client, socket, first, next } = openPrice();
    socket().snapshot("s1", price(1));
    await first;
    socket().update("s1", 1, price(2));
    socket().update("s1", 2, price(3), { reorg: true, unpaid: 2 });
    socket().update("s1", 5, price(4));
    expect(await next()).toMatchObject({ data: price(4), missed: 4, reorg: true, unpaid: 2 });
    socket().update("s1", 6, price(5));
    expect(await next()).toMatchObject({ data: price(5), missed: 0, reorg: false, unpaid: 0 });
    client.close();
  });

  it("of lists are joined: the newest of each token, in place", async () => {
    const { client, socket, first, next } = open((client) => client.prices("ETH", ["0x1", "0x2"]));
    socket().snapshot("s1", [price(1, "0x1"), price(2, "0x2")]);
    await first;
    socket().update("s1", 1, [price(3, "0x2")]);
    socket().update("s1", 2, [price(4, "0x1")]);
    socket().update("s1", 3, [price(5, "0x2")]);
    expect((await next()).data).toEqual([price(5, "0x2"), price(4, "0x1")]);
    client.close();
  });

  it("asked for again before there is one are the same one: nothing is queued", async () => {
    const { client, socket, reading, first } = openPrice();
    const again = reading.next();
    expect(again).toBe(first);
    socket().snapshot("s1", price(1));
    expect(await again).toMatchObject({ value: { data: price(1) } });
    client.close();
  });

  it("after a lost connection tell what can be told of a reorganisation and of gaps", async () => {
    const { client, socket, first, next, reconnect } = openPrice();
    const at = (blockNumber: string, blockHash = HASH_A) => ({ blockNumber, blockHash });
    socket().snapshot("s1", price(1), at("7"));
    await first;
    await reconnect();
    socket().snapshot("s1", price(2), at("7"));
    // The same block: what was told before is of the chain.
    expect(await next()).toMatchObject({ data: price(2), reorg: false, missed: "unknown" });
    await reconnect();
    socket().snapshot("s1", price(3), at("7", HASH_B));
    expect(await next()).toMatchObject({ reorg: true, missed: "unknown" });
    await reconnect();
    socket().snapshot("s1", price(4), at("9", HASH_B));
    expect(await next()).toMatchObject({ reorg: "unknown", missed: "unknown" });
    await reconnect();
    // Another server may only be behind.
    socket().snapshot("s1", price(5), at("8", HASH_A));
    expect(await next()).toMatchObject({ reorg: "unknown", missed: "unknown" });
    socket().update("s1", 1, price(6), at("9", HASH_A));
    expect(await next()).toMatchObject({ reorg: false, missed: 0 });
    client.close();
  });

  it("that are joined over a lost connection keep what is certain, and what is not known", async () => {
    const { client, socket, first, next, reconnect } = openPrice();
    socket().snapshot("s1", price(1));
    await first;
    await reconnect();
    socket().snapshot("s1", price(2), { blockNumber: "9" });
    socket().update("s1", 1, price(3));
    expect(await next()).toMatchObject({ data: price(3), reorg: "unknown", missed: "unknown" });
    await reconnect();
    socket().snapshot("s1", price(4), { blockNumber: "9" });
    socket().update("s1", 1, price(5), { reorg: true });
    expect(await next()).toMatchObject({ data: price(5), reorg: true, missed: "unknown" });
    client.close();
  });

  it("know of no gap where nothing had been told before the connection was lost", async () => {
    const { client, socket, first, reconnect } = openPrice();
    await reconnect();
    await reconnect();
    socket().snapshot("s1", price(1));
    expect(await first).toMatchObject({ value: { reorg: false, missed: 0 } });
    client.close();
  });

  it("that were not read stay readable when the client is closed, and then it is over", async () => {
    const { client, socket, first, reading } = openPrice();
    socket().snapshot("s1", price(1));
    await first;
    socket().update("s1", 1, price(2));
    client.close();
    expect(await reading.next()).toMatchObject({ value: { data: price(2) } });
    expect(await reading.next()).toEqual({ done: true, value: undefined });
    expect(await reading.next()).toEqual({ done: true, value: undefined });
  });

  it("that are no values of the channel end the reading, and no other", async () => {
    const { client, socket, first } = openPrice();
    const blocks = collect(client.blocks("ETH"));
    socket().snapshot("s1", { token: "0x01", price: "1", liquidity: 1, volume24h: 0 });
    await expect(first).rejects.toBeInstanceOf(StreamMalformed);
    expect(socket().sent.at(-1)).toMatchObject({ op: "unsubscribe", subscription: "s1" });
    expect(blocks.isDone).toBe(false);
    expect(client.state).toBe("open");
    client.close();
  });

  it("keep what a later server adds to a value", async () => {
    const { client, socket, first } = openPrice();
    socket().snapshot("s1", { ...price(1), confidence: 0.5 });
    expect(await first).toMatchObject({ value: { data: { confidence: 0.5 } } });
    client.close();
  });
});

describe("an Effect stream", () => {
  it("gives the updates, and unsubscribes when it has enough or is interrupted", async () => {
    const { client, socket } = connectClient();
    collect(client.blocks("ETH"));
    const held = answersAll(socket());
    socket().hello();
    const { stream } = client.price("ETH", "0x01");
    const two = Effect.runPromise(stream.pipe(Stream.take(2), Stream.runCollect));
    await settled();
    socket().snapshot("s2", price(1));
    await settled();
    socket().update("s2", 1, price(2));
    expect((await two).map(({ data }) => data.price)).toEqual([1, 2]);
    expect([...held.keys()]).toEqual(["s1"]);
    const fiber = Effect.runFork(Stream.runDrain(stream));
    await settled();
    expect([...held.keys()]).toEqual(["s1", "s3"]);
    await Effect.runPromise(Fiber.interrupt(fiber));
    expect([...held.keys()]).toEqual(["s1"]);
    client.close();
  });

  it("fails with the refusal, and ends when the client is closed", async () => {
    const { client, socket } = connectClient();
    const refused = Effect.runPromise(
      client.price("ETH", "0x01").stream.pipe(
        Stream.runDrain,
        Effect.catchTag("StreamRefused", ({ code }) => Effect.succeed(code)),
        Effect.exit,
      ),
    );
    await settled();
    socket().hello();
    socket().refuse(socket().sent[0]!, "UNKNOWN_TOKEN");
    expect(await refused).toEqual(Exit.succeed("UNKNOWN_TOKEN"));
    const ended = Effect.runPromise(Stream.runCollect(client.blocks("ETH").stream));
    await settled();
    client.close();
    expect(await ended).toEqual([]);
  });
});

describe("types", () => {
  it("are those of the channel, and a problem is told apart", () => {
    const { client } = connectClient();
    const request = { tokenA: "0x01", tokenB: "0x02", amountIn: "1" };
    expectTypeOf(client.price("ETH", "0x01")).toEqualTypeOf<Updates<StreamedPrice>>();
    expectTypeOf(client.pool("ETH", "0x01")).toEqualTypeOf<Updates<PoolOrProblem>>();
    expectTypeOf(client.quotes("ETH", request)).toEqualTypeOf<Updates<QuoteOrProblem>>();
    expectTypeOf<WebSocket>().toExtend<WebSocketLike>();
    expectTypeOf(client.blocks("ETH").stream).toExtend<Stream.Stream<unknown, StreamError>>();
    const amountOut = (data: QuoteOrProblem): string => {
      if (isProblem(data)) {
        expectTypeOf(data).toEqualTypeOf<StreamedProblem>();
        return data.code;
      }
      return data.amountOut;
    };
    const problem = { type: "/docs#NO_ROUTE", title: "No route", status: 404, detail: "none" };
    expect(amountOut({ ...problem, code: "NO_ROUTE" })).toBe("NO_ROUTE");
    client.close();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isProblem, StreamMalformed } from "../src/index.ts";
import { answersAll, collect, connectClient, fakeTime, HASH_A, HASH_B } from "./fakeServer.ts";

beforeEach(() => fakeTime());
afterEach(() => void vi.useRealTimers());

const trade = (block: number, logIndex = 0, blockHash = HASH_A) => ({
  ...{ id: `${block}-${logIndex}`, poolAddress: "0xP", tokenIn: "0x1", tokenOut: "0x2" },
  ...{
    amountIn: "1",
    amountOut: "2",
    valueUsd: 3,
    side: "buy",
    price: 2,
    chainId: "1",
    transactionHash: "0x",
  },
  ...{ logIndex, blockNumber: String(block), blockHash, timestamp: block },
});
const candle = (timestamp: number, close = 1) => ({
  ...{ timestamp, open: 1, high: 1, low: 1, close, volume: 2 },
});
const gone = {
  ...{ type: "/docs#UNKNOWN_POOL", title: "Unknown pool", status: 422, detail: "gone" },
  code: "UNKNOWN_POOL",
};

/** A reading of what the client subscribes to, which is told a snapshot. */
async function open<A>(
  pick: (client: ReturnType<typeof connectClient>["client"]) => AsyncIterable<A>,
  snapshot: unknown,
) {
  const connected = connectClient({ reconnectMaxMs: 100 });
  const reading = pick(connected.client)[Symbol.asyncIterator]();
  const first = reading.next();
  const begin = () => {
    answersAll(connected.socket());
    connected.socket().hello();
  };
  begin();
  connected.socket().snapshot("s1", snapshot);
  const next = async (): Promise<A> => {
    const result = await reading.next();
    if (result.done === true) throw new Error("it has ended");
    return result.value;
  };
  const reconnect = async () => {
    connected.socket().drop();
    await vi.advanceTimersByTimeAsync(100);
    begin();
  };
  return { ...connected, first: (await first).value as A, next, reconnect };
}

const openTrades = (snapshot: unknown) =>
  open((client) => client.trades("ETH", { token: "0x1" }), snapshot);

describe("trades", () => {
  it("that were not read yet are joined with newer ones: each once, the newest first", async () => {
    const { client, socket, first, next } = await openTrades([trade(2), trade(1)]);
    expect(first.data).toEqual([trade(2), trade(1)]);
    socket().update("s1", 1, [trade(9, 10), trade(9, 9)]);
    socket().update("s1", 2, [trade(10), trade(8)]);
    socket().update("s1", 3, [trade(8, 0, HASH_B)]);
    const { data, missed, reorg } = await next();
    expect(data).toEqual([trade(10), trade(9, 10), trade(9, 9), trade(8, 0, HASH_B)]);
    expect([missed, reorg]).toEqual([2, false]);
    client.close();
  });

  it("of a reorganisation, and of a new connection, stand for all that came before", async () => {
    const { client, socket, next, reconnect } = await openTrades([trade(1)]);
    socket().update("s1", 1, [trade(2), trade(3)]);
    socket().update("s1", 2, [trade(2, 0, HASH_B), trade(1)], { reorg: true });
    socket().update("s1", 3, [trade(3, 0, HASH_B)]);
    const reorganised = await next();
    expect(reorganised.reorg).toBe(true);
    expect(reorganised.data).toEqual([trade(3, 0, HASH_B), trade(2, 0, HASH_B), trade(1)]);
    socket().update("s1", 4, [trade(4)]);
    await reconnect();
    socket().snapshot("s1", [trade(5), trade(1)]);
    expect((await next()).data).toEqual([trade(5), trade(1)]);
    client.close();
  });

  it("are as many as a message has, however long nobody reads", async () => {
    const { client, socket, next } = await openTrades([]);
    for (let block = 1; block <= 200; block++) socket().update("s1", block, [trade(block)]);
    const { data } = await next();
    expect(data).toEqual(Array.from({ length: 50 }, (_, at) => trade(200 - at)));
    client.close();
  });

  it("give way to the problem that their pool has left, and come back whole", async () => {
    const { client, socket, next } = await open(
      (client) => client.trades("ETH", { pool: "0x1" }),
      [trade(1)],
    );
    socket().update("s1", 1, [trade(2)]);
    socket().update("s1", 2, gone);
    const { data } = await next();
    expect(isProblem(data) && data.code).toBe("UNKNOWN_POOL");
    socket().update("s1", 3, gone);
    socket().update("s1", 4, [trade(3), trade(1)]);
    expect((await next()).data).toEqual([trade(3), trade(1)]);
    client.close();
  });
});

describe("candles", () => {
  it("that were not read yet are joined with newer ones: the last two, ascending", async () => {
    const { client, socket, first, next } = await open(
      (client) => client.candles("ETH", { pool: "0x1" }, "1m"),
      [candle(60), candle(120)],
    );
    expect(first.data).toEqual([candle(60), candle(120)]);
    socket().update("s1", 1, [candle(120, 5), candle(180)]);
    socket().update("s1", 2, [candle(180, 6), candle(240)]);
    expect((await next()).data).toEqual([candle(180, 6), candle(240)]);
    socket().update("s1", 3, [candle(300)]);
    socket().update("s1", 4, [candle(120, 5), candle(180, 4)], { reorg: true });
    expect((await next()).data).toEqual([candle(120, 5), candle(180, 4)]);
    client.close();
  });
});

describe("what is none of the channel", () => {
  it("ends the reading: of trades, of candles, and of the state of a network", async () => {
    const state = { id: "ETH", ready: true, blockNumber: "7", blockHash: HASH_A, timestamp: 5 };
    for (const [pick, data] of [
      [(client) => client.trades("ETH", { token: "0x1" }), [candle(60)]],
      [(client) => client.candles("ETH", { token: "0x1" }), [trade(1)]],
      [(client) => client.networkState("ETH"), state],
    ] as ReadonlyArray<
      [(client: ReturnType<typeof connectClient>["client"]) => AsyncIterable<unknown>, unknown]
    >) {
      const { client, socket } = connectClient();
      const reading = collect(pick(client));
      answersAll(socket());
      socket().hello();
      socket().snapshot("s1", data);
      await vi.waitFor(() => expect(reading.isDone).toBe(true), 10_000);
      expect(reading.failure).toBeInstanceOf(StreamMalformed);
      client.close();
    }
    const { client, first } = await open((client) => client.networkState("ETH"), {
      ...{ ...state, ready: false, reason: "starting", reorganisations: 0 },
    });
    expect(first.data).toMatchObject({ ready: false, reason: "starting" });
    client.close();
  });
});

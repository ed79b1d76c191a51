import type { Address, PoolIndex, SwapEvent } from "@millrace/core";
import { eventually } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";
import { type FeedGround, openFeedGround } from "./feedGround.ts";
import { type Held, hold, told, truth } from "./heldTopics.ts";

let ground: FeedGround;
afterEach(() => ground?.close());

/** The most liquid pool, and the token that is sold to it. */
function liquid() {
  const { engine, data } = ground.market;
  const { index, token0, token1 } = data.pools({ page: 1, limit: 1, sort: "-liquidityUsd" })
    .items[0]!;
  const [tokenIn, tokenOut] = [token0, token1].map((one) => engine.graph.tokenAddress(one));
  return {
    index,
    address: engine.graph.poolAddress(index),
    tokenIn: tokenIn!,
    tokenOut: tokenOut!,
  };
}

/** Swaps of a block in that pool, in the order of the chain. */
function swaps(count: number): ReadonlyArray<SwapEvent> {
  const { index, address, tokenIn, tokenOut } = liquid();
  const [held, paid] = ground.market.engine.familyOf(index as PoolIndex).tokenAmounts(index);
  return Array.from({ length: count }, (_, at) => ({
    ...{ pool: address, transactionHash: `0x${"ab".repeat(32)}`, logIndex: at },
    ...{ tokenIn, tokenOut, amountIn: held! / 1_000n, amountOut: paid! / 1_000n },
    priceAfter: Number(paid) / Number(held),
  }));
}

const holdAll = () => {
  const { address, tokenIn } = liquid();
  return [
    { channel: "trades", pool: address },
    { channel: "trades", token: tokenIn },
    { channel: "candles", pool: address, interval: "1m" },
    { channel: "candles", token: tokenIn, interval: "1d" },
  ].map((parameters) => hold(ground, { network: "ETH", ...parameters }));
};

const isTrue = (held: Held): boolean => told(held) === truth(ground, held);

/** Waits until everything of the newest block is in the market data and was published. */
const settled = (held: ReadonlyArray<Held>) =>
  eventually(() => ground.market.data.hasAllTrades() && held.every(isTrue));

/** The new items since a version. */
const news = ({ topic }: Held, version: number): ReadonlyArray<unknown> =>
  JSON.parse(topic.dataSince(version));

describe("lists of what trades", () => {
  it("are what market data has, and an update has what is new; equal ones are one topic", async () => {
    ground = await openFeedGround(60, 21);
    const held = holdAll();
    const { address, tokenIn } = liquid();
    for (const one of held) expect(told(one)).toBe("[]");
    expect(
      ground.acquire({
        channel: "candles",
        network: "ETH",
        token: tokenIn.toUpperCase().replace("X", "x"),
        interval: "1d",
      }),
    ).toBe(held[3]!.topic);
    expect(ground.acquire({ channel: "trades", network: "ETH", pool: address })).toBe(
      held[0]!.topic,
    );
    for (const count of [1, 3, 0, 2]) {
      const before = held.map(({ topic }) => topic.version);
      await ground.apply({ swaps: swaps(count) });
      await settled(held);
      for (const [at, one] of held.entries()) {
        const told = at < 2 ? count : Math.min(1, count);
        expect([at, count, one.topic.version > before[at]!]).toEqual([at, count, count > 0]);
        expect(news(one, before[at]!)).toHaveLength(told);
      }
    }
    const [trades] = held;
    expect(news(trades!, 1)).toHaveLength(6);
    await ground.apply({ swaps: swaps(70) });
    await settled(held);
    expect(news(trades!, 1)).toHaveLength(50);
    expect(JSON.parse(trades!.topic.dataSince(1))[0].logIndex).toBe(69);
    expect(ground.failures).toEqual([]);
  });

  it("are looked at for nobody but who subscribes, and only when market data is new", async () => {
    ground = await openFeedGround(60, 22);
    const { data } = ground.market;
    const { tokenIn } = liquid();
    const looks = { trades: 0, tokenTrades: 0, poolCandles: 0, tokenCandles: 0 };
    for (const name of Object.keys(looks) as ReadonlyArray<keyof typeof looks>) {
      const look = data[name] as (...args: ReadonlyArray<unknown>) => unknown;
      Object.assign(data, {
        [name]: (...args: ReadonlyArray<unknown>) => {
          looks[name]++;
          return look(...args);
        },
      });
    }
    await ground.apply({ swaps: swaps(2) });
    await ground.told();
    expect(looks).toEqual({ trades: 0, tokenTrades: 0, poolCandles: 0, tokenCandles: 0 });
    const topic = ground.acquire({ channel: "trades", network: "ETH", token: tokenIn });
    expect(looks).toEqual({ trades: 0, tokenTrades: 1, poolCandles: 0, tokenCandles: 0 });
    await ground.apply({ swaps: swaps(1) });
    await ground.told();
    expect(looks.tokenTrades).toBeGreaterThan(1);
    expect(looks.trades + looks.poolCandles + looks.tokenCandles).toBe(0);
    ground.feed.release("trades", topic, "");
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { tokenTrades } = looks;
    await ground.apply({ swaps: swaps(1) });
    await ground.told();
    expect(looks.tokenTrades).toBe(tokenTrades);
  });

  it("tell who subscribes to a pool that it has left the market", async () => {
    ground = await openFeedGround(60, 23);
    const { address } = liquid();
    const held = holdAll();
    await ground.apply({ swaps: swaps(2) });
    await settled(held);
    await ground.apply({ removedPools: [address as Address] });
    const codes = () => held.map((one) => JSON.parse(told(one)).code);
    await eventually(() => codes()[0] !== undefined && codes()[2] !== undefined);
    expect(codes()).toEqual(["UNKNOWN_POOL", undefined, "UNKNOWN_POOL", undefined]);
    expect(ground.failures).toEqual([]);
  });
});

describe("the state of a network", () => {
  it("is another with every block and when it is ready or not, and is looked at for its holders", async () => {
    ground = await openFeedGround(20, 24);
    let reason: string | undefined;
    let looks = 0;
    Object.assign(ground.network, {
      lastingObstacle: () => {
        looks++;
        return reason;
      },
    });
    await ground.apply({});
    expect(looks).toBe(0);
    const topic = ground.acquire({ channel: "networks", network: "ETH" });
    const state = () => JSON.parse(topic.dataSince(0));
    const { stamp } = ground.market.engine.graph;
    expect(state()).toEqual({
      ...{ id: "ETH", ready: true, blockNumber: String(stamp.number), blockHash: stamp.hash },
      ...{ timestamp: stamp.timestampMs, reorganisations: 0 },
    });
    await ground.apply({ orphaned: [stamp.hash] });
    expect(state().reorganisations).toBe(1);
    const { version } = topic;
    reason = "the newest block is older than 5 ms";
    await eventually(() => topic.version === version + 1);
    expect(state()).toMatchObject({ ready: false, reason });
    const seen = looks;
    await eventually(() => looks > seen + 2);
    expect(topic.version).toBe(version + 1);
    reason = undefined;
    await eventually(() => state().ready);
    expect(state()).not.toHaveProperty("reason");
    ground.feed.release("networks", topic, "");
    const last = looks;
    await ground.apply({});
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(looks).toBe(last);
    expect(ground.failures).toEqual([]);
  });
});

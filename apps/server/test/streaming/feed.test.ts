import type { Address, QuoteRequest as MarketRequest, TokenIndex } from "@millrace/core";
import { afterEach, describe, expect, it } from "vitest";
import type { Topic } from "../../src/streaming/Topic.ts";
import { eventually } from "../localChain.ts";
import { type FeedGround, openFeedGround } from "./feedGround.ts";
import type { Parameters } from "./mixedSubscriptions.ts";
import { recomputed } from "./recomputed.ts";
import { textOf } from "./StreamTruth.ts";

let ground: FeedGround;
afterEach(() => ground?.close());

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/** A topic, with how its value is worked out from nothing but the market as it is. */
interface Held {
  readonly topic: Topic;
  readonly parameters: Parameters;
}

const hold = (parameters: Parameters): Held => ({ topic: ground.acquire(parameters), parameters });

const told = ({ topic, parameters }: Held): string =>
  textOf(parameters, JSON.parse(topic.dataSince(0)));

const truth = ({ parameters }: Held): string =>
  textOf(parameters, recomputed(ground.network, parameters, 0));

const token = (index: number): string => {
  const { graph } = ground.market.engine;
  return graph.tokenAddress((index % graph.tokenCount) as never);
};

const pool = (index: number): string => {
  const { graph } = ground.market.engine;
  return graph.poolAddress((index % graph.poolCount) as never);
};

/** Quotes with all options, of tokens that are near each other, and of ones that are not. */
function quotes(count: number): ReadonlyArray<Parameters> {
  const { graph } = ground.market.engine;
  return Array.from({ length: count }, (_, index) => {
    const maxHops = 1 + (index % 4);
    const amountIn = `1${"0".repeat(12 + (index % 8))}`;
    const tokenA = token(index * 5);
    const [one, other] = [graph.poolToken((index % graph.poolCount) as never, 0), index * 3 + 1];
    const tokenB = token(token(one) === tokenA ? other : one);
    const shared = { channel: "quote", network: "ETH", tokenA, tokenB };
    if (tokenA === tokenB) return { ...shared, tokenB: NATIVE, amountIn };
    switch (index % 12) {
      case 0:
        return { ...shared, amountOut: amountIn.slice(0, -6), maxHops };
      case 1:
        return { ...shared, amounts: [amountIn, `${amountIn}0`, `${amountIn}00`], maxHops };
      case 2:
        return { ...shared, amountIn, maxHops, gasPriceWei: "20000000000" };
      case 3:
        return { ...shared, amountIn, maxHops, explain: true };
      case 4:
        return { ...shared, amountIn, maxHops, assume: [{ removePool: pool(index) }] };
      case 5:
        return { ...shared, amountIn, maxHops, excludePools: [pool(index)] };
      case 6:
        return { ...shared, amountIn, maxHops, maxSplits: 3 };
      case 7:
        return { ...shared, tokenA: NATIVE, amountIn, maxHops };
      case 8:
        return { ...shared, amountIn: `${amountIn}${"0".repeat(20)}`, maxHops, explain: true };
      case 9:
        return { ...shared, amounts: [amountIn, `${amountIn}0`], maxHops, explain: true };
      default:
        return { ...shared, amountIn, maxHops };
    }
  });
}

describe("a feed", () => {
  it("holds, after each block, what working every quote out anew gives: of that block", async () => {
    ground = await openFeedGround(120, 3);
    const held = quotes(180).map(hold);
    await ground.apply({});
    await ground.told();
    let spared = 0;
    let changes = 0;
    for (let block = 0; block < 25; block++) {
      const before = held.map((one) => ({ text: told(one), version: one.topic.version }));
      const asked = countQuestions();
      await ground.apply({ states: ground.moves(1 + (block % 3)) });
      await ground.told();
      spared += held.length - asked();
      for (const [index, one] of held.entries()) {
        expect(told(one), JSON.stringify(one.parameters)).toBe(truth(one));
        // Told when it changed, and only then.
        const isChanged = told(one) !== before[index]!.text;
        expect(one.topic.version - before[index]!.version).toBe(isChanged ? 1 : 0);
        if (isChanged) changes++;
        expect(one.topic.moment.stamp).toBe(ground.market.engine.graph.stamp);
      }
    }
    expect(changes).toBeGreaterThan(100);
    expect(spared).toBeGreaterThan(100);
    expect(ground.failures).toEqual([]);
  });

  it("tells only the truth of the block that it names, however fast blocks come", async () => {
    ground = await openFeedGround(150, 4, 1);
    const { engine } = ground.market;
    const heavy = { maxSplits: 64, maxHops: 4, gasPriceWei: "1000" };
    const held = quotes(48).map((parameters, index) =>
      hold(
        index % 3 === 0 && !("explain" in parameters) ? { ...parameters, ...heavy } : parameters,
      ),
    );
    const truths = held.map(() => new Map<string, string>());
    /** What a value was in the block that its topic names, noted while that was the newest. */
    const truthAt = (index: number): string | undefined => {
      const { hash } = held[index]!.topic.moment.stamp;
      // The feed tells of a block before others hear of it.
      if (hash === engine.graph.stamp.hash) return truth(held[index]!);
      return truths[index]!.get(hash);
    };
    const note = () => {
      for (const [index, one] of held.entries()) {
        truths[index]!.set(engine.graph.stamp.hash, truth(one));
      }
    };
    note();
    let changes = 0;
    for (const [index, one] of held.entries()) {
      let { version } = one.topic;
      one.topic.onChange(() => {
        changes++;
        expect(one.topic.version).toBe(++version);
        if (told(one) !== truthAt(index)) ground.failures.push(told(one));
      });
    }
    const unsubscribe = engine.onApplied(note);
    for (let block = 0; block < 40; block++) {
      await ground.apply({ states: ground.moves(4) });
      await new Promise((resolve) => setTimeout(resolve, block % 8));
      for (const [index, one] of held.entries()) {
        if (one.topic.version > 0) expect(told(one)).toBe(truthAt(index));
      }
    }
    await ground.told();
    unsubscribe();
    expect(engine.workers!.counts().answered).toBeGreaterThan(0);
    for (const one of held) {
      expect(told(one)).toBe(truth(one));
      expect(one.topic.moment.stamp).toBe(engine.graph.stamp);
    }
    expect(changes).toBeGreaterThan(held.length);
    expect(ground.failures).toEqual([]);
  });

  it("goes on with the others where one cannot be worked out, and comes back to it", async () => {
    ground = await openFeedGround(60, 5);
    const [bad, good] = [0, 1].map((index) => hold(quotes(12)[10 + index]!));
    const { engine } = ground.market;
    const { quoteUnsafe } = engine;
    const amount = BigInt(String(bad!.parameters["amountIn"]));
    const fault = (request: MarketRequest) => {
      if (request.amount === amount) throw new Error("a fault of ours");
      return quoteUnsafe(request);
    };
    Object.assign(engine, { quoteUnsafe: fault });
    const before = engine.graph.stamp;
    const text = told(bad!);
    const everywhere = () => ({ states: ground.moves(50) });
    await ground.apply(everywhere());
    await ground.told();
    expect(ground.failures).toMatchObject([{ message: "a fault of ours" }]);
    expect(told(good!)).toBe(truth(good!));
    // It is known of the block before, and says so.
    expect([bad!.topic.moment.stamp, told(bad!)]).toEqual([before, text]);
    Object.assign(engine, { quoteUnsafe });
    await ground.apply({});
    await ground.told();
    expect(told(bad!)).toBe(truth(bad!));
    expect(bad!.topic.moment.stamp).toBe(engine.graph.stamp);
  });

  it("lets what was told stand while the network is not ready, as of its block", async () => {
    ground = await openFeedGround(60, 6);
    const quote = hold(quotes(12)[11]!);
    const { stamp } = ground.market.engine.graph;
    const text = told(quote);
    Object.assign(ground.network, { obstacle: () => "stale" });
    await ground.apply({ states: ground.moves(50) });
    await ground.told();
    expect([quote.topic.version, told(quote), quote.topic.moment.stamp]).toEqual([1, text, stamp]);
    Object.assign(ground.network, { obstacle: () => undefined });
    await ground.apply({});
    await ground.told();
    expect(told(quote)).toBe(truth(quote));
    expect(quote.topic.moment.stamp).toBe(ground.market.engine.graph.stamp);
  });

  it("asks everything anew after what is no block's doing: bars, and what is known of tokens", async () => {
    ground = await openFeedGround(60, 7);
    const held = quotes(120)
      .filter(({ maxHops }) => maxHops === 3)
      .map(hold);
    const { engine, labels } = ground.market;
    await ground.apply({});
    await ground.told();
    const before = held.map(told);
    engine.barFromTransit(new Set([token(0), token(1), token(2)] as Address[]));
    expect(held.map(told)).toEqual(before);
    await ground.apply({});
    await ground.told();
    expect(held.map(told)).toEqual(held.map(truth));
    expect(held.map(told)).not.toEqual(before);
    let verdicts = 0;
    Object.assign(ground.market, { verdicts: { version: () => verdicts } });
    Object.assign(labels, { unverified: () => [token(0)] });
    await ground.apply({});
    await ground.told();
    expect(held.map(told)).not.toEqual(held.map(truth));
    verdicts++;
    await ground.apply({});
    await ground.told();
    expect(held.map(told)).toEqual(held.map(truth));
  });

  it("follows pools that come and go", async () => {
    ground = await openFeedGround(60, 8);
    const held = quotes(60).map(hold);
    const { graph } = ground.market.engine;
    const gone = hold({ channel: "pool", network: "ETH", pool: pool(3) });
    const prices = hold({ channel: "price", network: "ETH", tokens: [token(0), token(5), NATIVE] });
    for (let round = 0; round < 5; round++) {
      const removedPools = [pool(3 + 7 * round) as Address];
      await ground.apply({ removedPools });
      await ground.told();
      for (const one of held) expect(told(one)).toBe(truth(one));
      expect(told(prices)).toBe(truth(prices));
    }
    expect(JSON.parse(told(gone)).code).toBe("UNKNOWN_POOL");
    expect(graph.findPool(String(gone.parameters["pool"]))).toBe(undefined);
  });

  it("tells of each block, also of those that the next follows at once", async () => {
    ground = await openFeedGround(60, 9);
    const block = hold({ channel: "block", network: "ETH" });
    const seen: string[] = [];
    block.topic.onChange(() => seen.push(JSON.parse(block.topic.dataSince(0)).poolsChanged));
    for (const parameters of quotes(60)) hold(parameters);
    const counts = Array.from({ length: 20 }, (_, index) => index % 5);
    await Promise.all(counts.map((count) => ground.apply({ states: ground.moves(count) })));
    expect(seen).toEqual(counts);
  });

  it("works a price out once, in however many lists it stands, and tells those that changed", async () => {
    ground = await openFeedGround(80, 10);
    const { data, engine } = ground.market;
    const tokens = Array.from({ length: 20 }, (_, index) => token(index));
    const lists = [tokens, tokens.slice(0, 10), tokens.slice(5)].map((list) =>
      hold({ channel: "price", network: "ETH", tokens: list }),
    );
    const single = hold({ channel: "price", network: "ETH", token: token(0) });
    const { token: look } = data;
    let looks = 0;
    Object.assign(data, {
      token: (index: TokenIndex) => {
        looks++;
        return look(index);
      },
    });
    for (let block = 0; block < 10; block++) {
      looks = 0;
      const before = lists.map(({ topic }) => ({
        version: topic.version,
        data: JSON.parse(topic.dataSince(0)) as ReadonlyArray<{ readonly token: string }>,
      }));
      await ground.apply({ states: ground.moves(3) });
      await ground.told();
      expect(looks).toBe(tokens.length);
      for (const one of [...lists, single]) {
        expect(told(one)).toBe(truth(one));
        expect(one.topic.moment.stamp).toBe(engine.graph.stamp);
      }
      for (const [index, { topic }] of lists.entries()) {
        const { version, data: old } = before[index]!;
        const now = JSON.parse(topic.dataSince(0)) as typeof old;
        const changed = now.filter((one, at) => JSON.stringify(one) !== JSON.stringify(old[at]));
        expect(topic.version).toBe(version + (changed.length > 0 ? 1 : 0));
        if (changed.length > 0) expect(JSON.parse(topic.dataSince(version))).toEqual(changed);
      }
      looks = 0;
    }
  });

  it("tells volumes anew when the past is told, at the block that is the newest", async () => {
    ground = await openFeedGround(60, 13);
    const { engine, data } = ground.market;
    const { stamp } = engine.graph;
    const block = hold({ channel: "block", network: "ETH" });
    // The pool of a token that has a price.
    const { index, token0, token1 } = data.pools({ page: 1, limit: 1, sort: "-liquidityUsd" })
      .items[0]!;
    const [tokenIn, tokenOut] = [token0, token1].map((one) => engine.graph.tokenAddress(one));
    const price = hold({ channel: "price", network: "ETH", token: tokenIn });
    const [amountIn, amountOut] = engine.familyOf(index).tokenAmounts(index);
    const swap = {
      ...{ pool: engine.graph.poolAddress(index), transactionHash: `0x${"ab".repeat(32)}` },
      ...{ logIndex: 0, tokenIn: tokenIn!, tokenOut: tokenOut!, amountIn: amountIn! / 10n },
      ...{ amountOut: amountOut! / 10n, priceAfter: Number(amountOut) / Number(amountIn) },
    };
    const past = {
      number: stamp.number - 1,
      hash: `0x${"cd".repeat(32)}` as const,
      timestampMs: stamp.timestampMs - 60_000,
    };
    await ground.apply({ stamp, history: [{ stamp: past, swaps: [swap] }] });
    await eventually(() => price.topic.version === 2);
    expect(told(price)).toBe(truth(price));
    expect(JSON.parse(told(price)).volume24h).toBeGreaterThan(0);
    expect(price.topic.moment.stamp).toBe(stamp);
    expect(block.topic.version).toBe(1);
  });

  it("drops what is under way for subscribers who have gone, and gives their places to others", async () => {
    ground = await openFeedGround(60, 11);
    const asked = quotes(12)[11]!;
    const many = Array.from({ length: 100 }, (_, index) =>
      hold({ ...asked, amountIn: String(10 ** 12 + index), explain: true }),
    );
    expect(many.some(({ topic }) => topic.version > 0)).toBe(false);
    for (const { topic } of many.slice(0, 90)) ground.feed.release("quote", topic);
    await ground.apply({});
    await ground.told();
    for (const one of many.slice(90)) expect(told(one)).toBe(truth(one));
    expect(many.slice(0, 90).some(({ topic }) => topic.version > 0)).toBe(false);
    expect(ground.feed.quotes.size).toBe(10);
    expect(ground.failures).toEqual([]);
  });

  it("refuses what no block can ever answer", async () => {
    ground = await openFeedGround(60, 12);
    const asked = quotes(12)[11]!;
    const unknown = `0x${"77".repeat(20)}`;
    const codes = [
      { tokenA: unknown },
      { tokenB: unknown, explain: true },
      { dexId: "NO_SUCH" },
      { excludePools: [unknown] },
      { gasAware: true },
    ].map((more) => {
      try {
        hold({ ...asked, ...more });
        return "";
      } catch (cause) {
        return String(cause).match(/[A-Z]+_[A-Z]+/u)?.[0];
      }
    });
    expect(codes).toEqual([
      ...["UNKNOWN_TOKEN", "UNKNOWN_TOKEN", "UNKNOWN_DEX", "UNKNOWN_POOL", "INVALID_REQUEST"],
    ]);
    expect(ground.feed.quotes.size).toBe(0);
  });
});

/** Counts requests that are answered, from now on. */
function countQuestions(): () => number {
  const { network } = ground;
  let count = 0;
  Object.assign(network, {
    obstacle: () => {
      count++;
      return undefined;
    },
  });
  return () => count;
}

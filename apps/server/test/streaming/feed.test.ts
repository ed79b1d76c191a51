import type { Address, TokenIndex } from "@millrace/core";
import { eventually, surely } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";
import { NATIVE } from "../kit/service.ts";
import { type FeedGround, openFeedGround } from "./feedGround.ts";
import { hold, pool, quotes, token, told, truth } from "./heldTopics.ts";

let ground: FeedGround;
afterEach(() => ground?.close());

describe("a feed", () => {
  it("holds, after each block, what working every quote out anew gives: of that block", async () => {
    ground = await openFeedGround(120, 3);
    const held = quotes(ground, 180).map((one) => hold(ground, one));
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
        expect(told(one), JSON.stringify(one.parameters)).toBe(truth(ground, one));
        // Its version grows when it changed, and only then.
        const isChanged = told(one) !== before[index]!.text;
        expect(one.topic.version - before[index]!.version).toBe(isChanged ? 1 : 0);
        if (isChanged) changes++;
        expect(one.topic.validAt.stamp).toBe(ground.market.engine.graph.stamp);
      }
    }
    expect(changes).toBeGreaterThanOrEqual(surely(100));
    expect(spared).toBeGreaterThanOrEqual(surely(100));
    expect(ground.failures).toEqual([]);
  });

  it("tells only the truth of the block that it names, however fast blocks come", async () => {
    ground = await openFeedGround(150, 4, 1);
    const { engine } = ground.market;
    const heavy = { maxSplits: 64, maxHops: 4, gasPriceWei: "1000" };
    const held = quotes(ground, 48).map((parameters, index) =>
      hold(
        ground,
        index % 3 === 0 && !("explain" in parameters) ? { ...parameters, ...heavy } : parameters,
      ),
    );
    const truths = held.map(() => new Map<string, string>());
    /** The value at the block that its topic names, kept while that block was the newest. */
    const truthAt = (index: number): string | undefined => {
      const { hash } = held[index]!.topic.validAt.stamp;
      // The feed publishes a block before other listeners hear of it.
      if (hash === engine.graph.stamp.hash) return truth(ground, held[index]!);
      return truths[index]!.get(hash);
    };
    const note = () => {
      for (const [index, one] of held.entries()) {
        truths[index]!.set(engine.graph.stamp.hash, truth(ground, one));
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
    const unsubscribe = engine.onPart(note);
    for (let block = 0; block < 40; block++) {
      await ground.apply({ states: ground.moves(4) });
      await new Promise((resolve) => setTimeout(resolve, block % 8));
      for (const [index, one] of held.entries()) {
        if (one.topic.version > 0) expect(told(one)).toBe(truthAt(index));
      }
    }
    await ground.told();
    // A thread that hardly ran while blocks came fast has answered nothing by now.
    while (engine.workers!.counts().answered === 0) {
      await ground.apply({ states: ground.moves(4) });
      await ground.told();
    }
    unsubscribe();
    for (const one of held) {
      expect(told(one)).toBe(truth(ground, one));
      expect(one.topic.validAt.stamp).toBe(engine.graph.stamp);
    }
    expect(changes).toBeGreaterThan(held.length);
    expect(ground.failures).toEqual([]);
  });

  it("follows pools that come and go", async () => {
    ground = await openFeedGround(60, 8);
    const held = quotes(ground, 60).map((one) => hold(ground, one));
    const { data, engine } = ground.market;
    const { graph } = engine;
    const isSettled = () => data.settledHash() === graph.stamp.hash && data.hasAllTrades();
    const gone = hold(ground, { channel: "pool", network: "ETH", pool: pool(ground, 3) });
    const prices = hold(ground, {
      channel: "price",
      network: "ETH",
      tokens: [token(ground, 0), token(ground, 5), NATIVE],
    });
    for (let round = 0; round < 5; round++) {
      const removedPools = [pool(ground, 3 + 7 * round) as Address];
      await ground.apply({ removedPools });
      await ground.told();
      for (const one of held) expect(told(one)).toBe(truth(ground, one));
      // Liquidity may be settled, and then told, some time after the block.
      await eventually(() => isSettled() && told(prices) === truth(ground, prices));
    }
    expect(JSON.parse(told(gone)).code).toBe("UNKNOWN_POOL");
    expect(graph.findPool(String(gone.parameters["pool"]))).toBe(undefined);
  });

  it("tells of each block, also of those that the next follows at once, and counts a pool once", async () => {
    ground = await openFeedGround(60, 9);
    const block = hold(ground, { channel: "block", network: "ETH" });
    const seen: string[] = [];
    block.topic.onChange(() => seen.push(JSON.parse(block.topic.dataSince(0)).poolsChanged));
    for (const parameters of quotes(ground, 60)) hold(ground, parameters);
    const counts = Array.from({ length: 20 }, (_, index) => index % 5);
    const twice = (count: number) => {
      const moves = ground.moves(count);
      return [...moves, ...moves];
    };
    await Promise.all(counts.map((count) => ground.apply({ states: twice(count) })));
    expect(seen).toEqual(counts);
  });

  it("works a price out once, in however many lists it stands, and tells those that changed", async () => {
    ground = await openFeedGround(80, 10);
    const { data, engine } = ground.market;
    const tokens = Array.from({ length: 20 }, (_, index) => token(ground, index));
    const lists = [tokens, tokens.slice(0, 10), tokens.slice(5)].map((list) =>
      hold(ground, { channel: "price", network: "ETH", tokens: list }),
    );
    const single = hold(ground, { channel: "price", network: "ETH", token: token(ground, 0) });
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
      // Again where liquidity was settled some time after the block; this may still go on.
      expect(looks).toBeGreaterThanOrEqual(tokens.length);
      expect(looks).toBeLessThanOrEqual(2 * tokens.length);
      const all = [...lists, single];
      await eventually(() => all.every((one) => told(one) === truth(ground, one)));
      for (const one of all) {
        expect(one.topic.validAt.stamp).toBe(engine.graph.stamp);
      }
      for (const [index, { topic }] of lists.entries()) {
        const { version, data: old } = before[index]!;
        const now = JSON.parse(topic.dataSince(0)) as typeof old;
        const changed = now.filter((one, at) => JSON.stringify(one) !== JSON.stringify(old[at]));
        const tellings = topic.version - version;
        expect(changed.length > 0 ? [1, 2] : [0]).toContain(tellings);
        if (changed.length > 0) expect(JSON.parse(topic.dataSince(version))).toEqual(changed);
      }
      looks = 0;
    }
  });

  it("tells volumes anew when the past is told, at the block that is the newest", async () => {
    ground = await openFeedGround(60, 13);
    const { engine, data } = ground.market;
    const { stamp } = engine.graph;
    const block = hold(ground, { channel: "block", network: "ETH" });
    // The pool of a token that has a price.
    const { index, token0, token1 } = data.pools({ page: 1, limit: 1, sort: "-liquidityUsd" })
      .items[0]!;
    const [tokenIn, tokenOut] = [token0, token1].map((one) => engine.graph.tokenAddress(one));
    const price = hold(ground, { channel: "price", network: "ETH", token: tokenIn });
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
    expect(told(price)).toBe(truth(ground, price));
    expect(JSON.parse(told(price)).volume24h).toBeGreaterThan(0);
    expect(price.topic.validAt.stamp).toBe(stamp);
    expect(block.topic.version).toBe(1);
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

import type { Address, QuoteRequest as MarketRequest } from "@millrace/core";
import { eventually } from "@millrace/testing";
import { Effect } from "effect";
import { afterEach, describe, expect, it } from "vitest";
import { CLIENT, type FeedGround, openFeedGround } from "./feedGround.ts";
import { hold, quotes, token, told, truth } from "./heldTopics.ts";

let ground: FeedGround;
afterEach(() => ground?.close());

describe("a feed, when something stands in the way,", () => {
  it("goes on with the others where one cannot be worked out, and comes back to it", async () => {
    ground = await openFeedGround(60, 5);
    const [bad, good] = [0, 1].map((index) => hold(ground, quotes(ground, 12)[10 + index]!));
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
    expect(told(good!)).toBe(truth(ground, good!));
    // The topic keeps the value of the block before, and names that block.
    expect([bad!.topic.validAt.stamp, told(bad!)]).toEqual([before, text]);
    Object.assign(engine, { quoteUnsafe });
    await ground.apply({});
    await ground.told();
    expect(told(bad!)).toBe(truth(ground, bad!));
    expect(bad!.topic.validAt.stamp).toBe(engine.graph.stamp);
  });

  it("lets what was told stand while the network is not ready, as of its block", async () => {
    ground = await openFeedGround(60, 6);
    const quote = hold(ground, quotes(ground, 12)[11]!);
    const { stamp } = ground.market.engine.graph;
    const text = told(quote);
    Object.assign(ground.network, { obstacle: () => "stale" });
    await ground.apply({ states: ground.moves(50) });
    await ground.told();
    expect([quote.topic.version, told(quote), quote.topic.validAt.stamp]).toEqual([1, text, stamp]);
    Object.assign(ground.network, { obstacle: () => undefined });
    await ground.apply({});
    await ground.told();
    expect(told(quote)).toBe(truth(ground, quote));
    expect(quote.topic.validAt.stamp).toBe(ground.market.engine.graph.stamp);
  });

  it("asks again for the price of gas that no node told, before another block comes", async () => {
    ground = await openFeedGround(60, 13);
    const { engine } = ground.market;
    let isSilent = false;
    const current = Effect.suspend(() =>
      isSilent ? Effect.fail("silence") : Effect.succeed({ weiPerGas: 0n, dataFeeWeiPerByte: 0n }),
    );
    Object.assign(ground.market, { gasPrices: { current } });
    const quote = hold(ground, { ...quotes(ground, 12)[11]!, gasAware: true });
    const isOfNewest = () => quote.topic.validAt.stamp === engine.graph.stamp;
    await eventually(() => quote.topic.version > 0 && isOfNewest());
    const [before, text] = [engine.graph.stamp, told(quote)];
    isSilent = true;
    await ground.apply({ states: ground.moves(50) });
    await ground.told();
    expect([quote.topic.validAt.stamp, told(quote)]).toEqual([before, text]);
    isSilent = false;
    await eventually(isOfNewest);
    expect(told(quote)).toBe(truth(ground, quote));
  });

  it("asks everything anew after what is no block's doing: exclusions, and what is known of tokens", async () => {
    ground = await openFeedGround(60, 7);
    const held = quotes(ground, 120)
      .filter(({ maxHops }) => maxHops === 3)
      .map((one) => hold(ground, one));
    const { engine, labels } = ground.market;
    await ground.apply({});
    await ground.told();
    const before = held.map(told);
    engine.excludeFromTransit(
      new Set([token(ground, 0), token(ground, 1), token(ground, 2)] as Address[]),
    );
    expect(held.map(told)).toEqual(before);
    await ground.apply({});
    await ground.told();
    expect(held.map(told)).toEqual(held.map((one) => truth(ground, one)));
    expect(held.map(told)).not.toEqual(before);
    let verdicts = 0;
    Object.assign(ground.market, { verdicts: { version: () => verdicts } });
    Object.assign(labels, { unverified: () => [token(ground, 0)] });
    await ground.apply({});
    await ground.told();
    expect(held.map(told)).not.toEqual(held.map((one) => truth(ground, one)));
    verdicts++;
    await ground.apply({});
    await ground.told();
    expect(held.map(told)).toEqual(held.map((one) => truth(ground, one)));
  });

  it("drops what is under way for subscribers who have gone, and gives their places to others", async () => {
    ground = await openFeedGround(60, 11);
    const asked = quotes(ground, 12)[11]!;
    const many = Array.from({ length: 100 }, (_, index) =>
      hold(ground, { ...asked, amountIn: String(10 ** 12 + index), explain: true }),
    );
    expect(many.some(({ topic }) => topic.version > 0)).toBe(false);
    for (const { topic } of many.slice(0, 90)) ground.feed.release("quote", topic, CLIENT);
    await ground.apply({});
    await ground.told();
    for (const one of many.slice(90)) expect(told(one)).toBe(truth(ground, one));
    expect(many.slice(0, 90).some(({ topic }) => topic.version > 0)).toBe(false);
    expect(ground.feed.quotes.size).toBe(10);
    expect(ground.failures).toEqual([]);
  });

  it("refuses what no block can ever answer", async () => {
    ground = await openFeedGround(60, 12);
    const asked = quotes(ground, 12)[11]!;
    const unknown = `0x${"77".repeat(20)}`;
    const codes = [
      { tokenA: unknown },
      { tokenB: unknown, explain: true },
      { dexId: "NO_SUCH" },
      { excludePools: [unknown] },
      { gasAware: true },
    ].map((more) => {
      try {
        hold(ground, { ...asked, ...more });
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

import { afterEach, describe, expect, it } from "vitest";
import { isWorthPublishing, type QuoteValue } from "../../src/streaming/quoteValue.ts";
import { CLIENT, type FeedGround, openFeedGround } from "./feedGround.ts";
import { recomputed } from "./recomputed.ts";
import { textOf } from "./StreamTruth.ts";

let ground: FeedGround | undefined;
afterEach(() => ground?.close());

const value = (sought: string): QuoteValue => ({ before: sought, after: "}", sought });
const problem = (text: string): QuoteValue => ({ before: text, after: "", sought: undefined });

describe("a threshold", () => {
  it("is of what was told last, to the unit, and is reached by as much", () => {
    const told = value("1000000000000");
    const isTold = (sought: string, bps: number) => isWorthPublishing(told, value(sought), bps);
    expect(isTold("1000100000000", 1)).toBe(true);
    expect(isTold("1000099999999", 1)).toBe(false);
    expect(isTold("999900000000", 1)).toBe(true);
    expect(isTold("999900000001", 1)).toBe(false);
    expect(isTold("1000050000000", 0.5)).toBe(true);
    expect(isTold("2000000000000", 10_000)).toBe(true);
    expect(isTold("1999999999999", 10_000)).toBe(false);
    expect(isTold("0", 10_000)).toBe(true);
    expect(isTold("1000000000000", 0)).toBe(false);
    expect(isTold("1000000000001", 0)).toBe(true);
  });

  it("is none for what is no amount", () => {
    expect(isWorthPublishing(value("1"), problem("none"), 10_000)).toBe(true);
    expect(isWorthPublishing(problem("none"), value("1"), 10_000)).toBe(true);
    expect(isWorthPublishing(problem("none"), problem("another"), 10_000)).toBe(true);
    expect(isWorthPublishing(problem("none"), problem("none"), 10_000)).toBe(false);
  });

  it("is each reader's own: who joins is told the newest value, and who stays what is of its block", async () => {
    ground = await openFeedGround(60, 5);
    const { network, feed } = ground;
    const { graph } = ground.market.engine;
    const [tokenA, tokenB] = [0, 1].map((at) =>
      graph.tokenAddress(graph.poolToken(0 as never, at)),
    );
    const parameters = {
      ...{ channel: "quote", network: "ETH", tokenA, tokenB, amountIn: `1${"0".repeat(15)}` },
      ...{ maxHops: 4, minChangeBps: 10_000 },
    };
    const newest = () => textOf(parameters, recomputed(network, parameters, 0));
    const first = ground.acquire(parameters);
    const firstText = newest();
    let changes = 0;
    for (let block = 0; block < 20; block++) {
      await ground.apply({ states: ground.moves(12) });
      await ground.told();
      const joined = ground.acquire(parameters);
      expect(textOf(parameters, JSON.parse(joined.dataSince(0)))).toBe(newest());
      expect(joined.validAt.stamp).toBe(graph.stamp);
      expect(textOf(parameters, JSON.parse(first.dataSince(0)))).toBe(firstText);
      // The text is valid for a later block only where nothing has moved at all.
      if (newest() !== firstText) {
        changes++;
        expect(first.validAt.stamp.number).toBeLessThan(graph.stamp.number);
      } else if (changes === 0) {
        expect(first.validAt.stamp).toBe(graph.stamp);
      }
      feed.release("quote", joined, CLIENT);
    }
    expect(changes).toBeGreaterThan(5);
    expect(first.version).toBe(1);
  });
});

describe("a ladder of one size", () => {
  it("is told as a ladder, beside a subscription to that size", async () => {
    ground = await openFeedGround(20, 1);
    const { graph } = ground.market.engine;
    const [tokenA, tokenB] = [0, 1].map((at) =>
      graph.tokenAddress(graph.poolToken(0 as never, at)),
    );
    const shared = { channel: "quote", network: "ETH", tokenA, tokenB };
    const single = ground.acquire({ ...shared, amountIn: "1000000" });
    const ladder = ground.acquire({ ...shared, amounts: ["1000000"] });
    expect(JSON.parse(ladder.dataSince(0))).toEqual({ quotes: [JSON.parse(single.dataSince(0))] });
  });
});

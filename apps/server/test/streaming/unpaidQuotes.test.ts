import { eventually, surely } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";
import { costOfQuote } from "../../src/limits/costs.ts";
import { type FeedGround, openFeedGround } from "./feedGround.ts";
import { hold, quotes, told, truth } from "./heldTopics.ts";

let ground: FeedGround;
afterEach(() => ground?.close());

const PLAIN = costOfQuote({ maxHops: 3, maxSplits: 1 } as never);

describe("streamed quotes that are paid as they are worked out", () => {
  it("are not worked out while their client has nothing, and told again once it has", async () => {
    const budgets = new Map([
      ["poor", 0],
      ["rich", Number.POSITIVE_INFINITY],
    ]);
    const charged = new Map<string, number>();
    ground = await openFeedGround(60, 5, 0, {}, (client, cost) => {
      const left = budgets.get(client)! - cost;
      if (left < 0) return false;
      budgets.set(client, left);
      charged.set(client, (charged.get(client) ?? 0) + cost);
      return true;
    });
    const asked = quotes(ground, 40).filter(
      (one) => !["amounts", "explain", "gasPriceWei", "assume"].some((option) => option in one),
    );
    const plain = asked.filter(
      ({ maxSplits = 1, maxHops = 3 }) => maxSplits === 1 && maxHops !== 4,
    );
    const half = Math.floor(plain.length / 2);
    const rich = plain.slice(0, half).map((one) => hold(ground, one, "rich"));
    const poor = plain.slice(half).map((one) => hold(ground, one, "poor"));
    await ground.told();
    // The subscription itself pays for the first value.
    expect(charged.size).toBe(0);
    const before = poor.map((one) => [told(one), one.topic.version]);
    const blocks = 6;
    for (let block = 0; block < blocks; block++) {
      await ground.apply({ states: ground.moves(20) });
      await ground.told();
      for (const one of rich) expect(told(one)).toBe(truth(ground, one));
    }
    // The last message stays valid for the block that it names.
    expect(poor.map((one) => [told(one), one.topic.version])).toEqual(before);
    expect(charged.get("poor")).toBeUndefined();
    expect(charged.get("rich")! % PLAIN).toBe(0);
    expect(charged.get("rich")!).toBeGreaterThanOrEqual(surely(blocks * PLAIN));
    const unpaid = poor.map(({ topic }) => topic.unpaidCount!);
    expect(Math.max(...unpaid)).toBe(blocks);
    for (const { topic } of rich) expect(topic.unpaidCount).toBe(0);
    // Without another block.
    budgets.set("poor", 10 * PLAIN * poor.length);
    await eventually(() => poor.every((one) => told(one) === truth(ground, one)));
    expect(poor.map(({ topic }) => topic.unpaidCount)).toEqual(unpaid);
    expect(ground.failures).toEqual([]);
  });

  it("are paid by those who share them in turn, and by who can", async () => {
    const charged = new Map<string, number>();
    ground = await openFeedGround(60, 5, 0, {}, (client, cost) => {
      if (client === "broke") return false;
      charged.set(client, (charged.get(client) ?? 0) + cost);
      return true;
    });
    const [one] = quotes(ground, 40).filter((each) => !("amounts" in each));
    for (const client of ["broke", "a", "b"]) hold(ground, { ...one!, gasAware: false }, client);
    // A new or removed pool may matter to any route.
    const all = ground.market.engine.graph.poolCount;
    for (let block = 0; block < 10; block++) {
      await ground.apply({ states: ground.moves(Math.floor(all / 2)) });
      await ground.told();
    }
    const [a, b] = [charged.get("a")!, charged.get("b")!];
    expect(a + b).toBeGreaterThan(0);
    expect(Math.abs(a - b)).toBeLessThanOrEqual((a + b) / 2);
    expect(charged.size).toBeLessThanOrEqual(2);
  });
});

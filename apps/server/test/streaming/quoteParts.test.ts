import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { QuoteWork } from "../../src/streaming/QuoteWork.ts";
import { CLIENT, type FeedGround, openFeedGround } from "./feedGround.ts";
import type { Parameters } from "./mixedSubscriptions.ts";
import { recomputed } from "./recomputed.ts";
import { textOf } from "./StreamTruth.ts";

const SIZES = 8;
const BLOCKS = 20;

let ground: FeedGround;
beforeEach(async () => {
  ground = await openFeedGround(60, 7);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await ground.close();
});

/** Every look at the clock finds that a millisecond has passed. */
function slowClock(): void {
  const now = performance.now.bind(performance);
  let lateMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + ++lateMs);
}

function ladder(): Parameters {
  const { graph } = ground.market.engine;
  const [tokenA, tokenB] = [0, 1].map((token) => graph.tokenAddress(token as never));
  const amounts = Array.from({ length: SIZES }, (_, index) => `${index + 1}${"0".repeat(17)}`);
  return { channel: "quote", network: "ETH", tokenA: tokenA!, tokenB: tokenB!, amounts };
}

describe("a ladder of quotes that takes long", () => {
  it("is computed size by size, in turn with others, and holds for one block", async () => {
    const parameters = ladder();
    slowClock();
    const evaluate = vi.spyOn(QuoteWork.prototype, "evaluate");
    const topic = ground.acquire(parameters);
    expect(evaluate).toHaveBeenCalledOnce();
    await ground.apply({ states: ground.moves(5) });
    await ground.told();
    let parts = 0;
    for (let block = 0; block < BLOCKS; block++) {
      evaluate.mockClear();
      await ground.apply({ states: ground.moves(5) });
      // Where it is under way, it begins anew.
      if (block % 2 === 0) await ground.apply({ states: ground.moves(5) });
      await ground.told();
      parts = Math.max(parts, evaluate.mock.calls.length);
      const expected = textOf(parameters, recomputed(ground.network, parameters, 0));
      expect(textOf(parameters, JSON.parse(topic.dataSince(0)))).toBe(expected);
    }
    expect(parts).toBeGreaterThanOrEqual(SIZES);
    expect(ground.failures).toEqual([]);
  });

  it("is computed no further once nobody wants it", async () => {
    const parameters = ladder();
    slowClock();
    const evaluate = vi.spyOn(QuoteWork.prototype, "evaluate");
    ground.feed.release("quote", ground.acquire(parameters), CLIENT);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(evaluate).toHaveBeenCalledOnce();
  });
});

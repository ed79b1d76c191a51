import { describe, expect, it } from "vitest";
import { type Curve, type PoolFamily, REFUSED } from "../src/Curve.ts";
import type { RouteExplanation } from "../src/explain/Explanation.ts";
import { explainQuote } from "../src/explain/explainQuote.ts";
import type { MarketBlock } from "../src/graph/MarketBlock.ts";
import type { PoolIndex } from "../src/graph/PoolGraph.ts";
import { type MarketOptions, type OpenMarket, openMarket } from "../src/openMarket.ts";
import type { Quote, QuoteRequest } from "../src/search/quote.ts";
import { address, fixedRate, marketOf, token } from "./markets.ts";

const PIPS = 1_000_000n;

/**
 * As `fixedRate`, with a fee, and as if it had moved the price at once: its price is a quarter
 * better than its rate. A swap needs 100,000 gas and 100 for each unit of input.
 */
const charging: Curve = {
  ...fixedRate,
  open: (graph): PoolFamily => {
    const family = fixedRate.open(graph);
    const rate = (pool: PoolIndex) => BigInt(graph.poolParameter[pool]!);
    const left = (pool: PoolIndex) => PIPS - BigInt(graph.poolFeePips[pool]!);
    return {
      ...family,
      quoteExactIn: (pool, own, other, amountIn) => {
        const amountOut = family.quoteExactIn(pool, own, other, amountIn);
        return amountOut === REFUSED ? REFUSED : (amountOut * left(pool)) / PIPS;
      },
      quoteExactOut: (pool, own, other, amountOut) => {
        const worth = rate(pool) * left(pool);
        const amountIn = (amountOut * PIPS + worth - 1n) / worth;
        return family.quoteExactIn(pool, own, other, amountIn) === REFUSED ? REFUSED : amountIn;
      },
      pieceAt: (pool, own, other, amount, into, at) => {
        family.pieceAt(pool, own, other, amount, into, at);
        into[at + 1]! *= (1.25 * Number(left(pool))) / Number(PIPS);
      },
      feePips: (pool) => graph.poolFeePips[pool]!,
      midPrice: (pool) => 1.25 * Number(rate(pool)),
      gas: (_pool, _own, _other, amountIn) => 100_000 + 100 * Number(amountIn),
      typicalGas: () => 100_000,
      leastGas: 100_000,
    };
  },
};

interface TestPool {
  readonly tokens: ReadonlyArray<number>;
  readonly rate?: number;
  readonly capacity?: bigint;
  readonly feePips?: number;
}

const NO_LIMIT: MarketOptions = { gasLimit: Number.POSITIVE_INFINITY };

function open(pools: ReadonlyArray<TestPool>, options = NO_LIMIT, protocol = charging): OpenMarket {
  const market = openMarket(1, [protocol], options);
  const block = marketOf(Math.max(...pools.flatMap(({ tokens }) => tokens)), pools);
  const listings = block.pools.map((pool, n) => ({ ...pool, feePips: pools[n]!.feePips ?? 0 }));
  market.writer.applyBlock({ ...block, pools: listings } satisfies MarketBlock);
  return market;
}

function pool(market: OpenMarket, n: number): PoolIndex {
  return market.graph.findPool(address(100 + n))!;
}

function ask(market: OpenMarket, from: number, to: number, more: Partial<QuoteRequest> = {}) {
  const ends = { tokenIn: token(market, from), tokenOut: token(market, to) };
  return { ...ends, kind: "exactIn", amount: 100n, maxHops: 3, ...more } satisfies QuoteRequest;
}

function explain(market: OpenMarket, request: QuoteRequest) {
  return explainQuote(market, request, market.router.quote(request));
}

function explainFound(market: OpenMarket, request: QuoteRequest): RouteExplanation {
  const explanation = explain(market, request);
  if (explanation.kind !== "route") throw new Error(explanation.reason);
  return explanation;
}

function isBetween(least: bigint, most: bigint): (amount: bigint) => boolean {
  return (amount) => least <= amount && amount <= most;
}

function limitOf(market: OpenMarket, request: QuoteRequest) {
  const explanation = explain(market, request);
  if (explanation.kind !== "refusal") throw new Error("a quote was found");
  return explanation.limit;
}

describe("where the output went", () => {
  it("of one pool: the fee on what goes in, and what else is missing from the mid price", () => {
    // 100 at a price of 10 would be 1,000; a fifth is fee; at a rate of 8 the rest gives 640.
    const market = open([{ tokens: [1, 2], rate: 8, feePips: 200_000 }]);
    const explained = explainFound(market, ask(market, 1, 2));
    expect(explained.midPrice).toBeCloseTo(10, 9);
    expect(explained.feesBps).toBeCloseTo(2000, 9);
    expect(explained.curveBps).toBeCloseTo(1600, 9);
    expect(explained.totalBps).toBeCloseTo(3600, 9);
    expect(explained.runnerUp).toBe(undefined);
  });

  it("of two pools: what the second loses counts for the part that the first left", () => {
    const market = open([
      { tokens: [1, 2], rate: 8, feePips: 200_000 },
      { tokens: [2, 3], rate: 1, feePips: 100_000 },
    ]);
    // 640 arrive, worth 800 of what would have been 1,250: 64 %. Of these 10 % fee, and 18 %.
    const explained = explainFound(market, ask(market, 1, 3));
    expect(explained.midPrice).toBeCloseTo(12.5, 9);
    expect(explained.steps.map((step) => step.pool)).toEqual([pool(market, 0), pool(market, 1)]);
    expect(explained.steps[0]!.feeBps).toBeCloseTo(2000, 9);
    expect(explained.steps[0]!.curveBps).toBeCloseTo(1600, 9);
    expect(explained.steps[1]!.feeBps).toBeCloseTo(640, 9);
    expect(explained.steps[1]!.curveBps).toBeCloseTo(1152, 9);
    expect(explained.totalBps).toBeCloseTo(10_000 * (1 - 576 / 1250), 9);
  });

  it("of an exact output likewise", () => {
    const market = open([{ tokens: [1, 2], rate: 8, feePips: 200_000 }]);
    const request = ask(market, 1, 2, { kind: "exactOut", amount: 640n });
    const explained = explainFound(market, request);
    expect([explained.feesBps, explained.curveBps, explained.totalBps]).toEqual([
      expect.closeTo(2000, 9),
      expect.closeTo(1600, 9),
      expect.closeTo(3600, 9),
    ]);
  });

  it("of several paths: each weighs what it would give at mid prices", () => {
    const market = open([
      { tokens: [1, 2], rate: 8, feePips: 200_000 },
      { tokens: [1, 2], rate: 4 },
    ]);
    const [tokenIn, tokenOut] = [token(market, 1), token(market, 2)];
    const step = (n: number, amountIn: bigint, amountOut: bigint) => {
      return { pool: pool(market, n), tokenIn, tokenOut, amountIn, amountOut };
    };
    const split: Quote = {
      found: true,
      amountIn: 400n,
      amountOut: 1840n,
      steps: [step(0, 100n, 640n), step(1, 300n, 1200n)],
      gas: 0,
      priceImpact: 0,
      stamp: market.graph.stamp,
    };
    // At mid prices 1,000 and 1,500: 360 of the one are missing, and 300 of the other.
    const request = ask(market, 1, 2, { amount: 400n, maxSplits: 2 });
    const explained = explainQuote(market, request, split) as RouteExplanation;
    expect(explained.midPrice).toBeCloseTo(6.25, 9);
    expect(explained.steps[0]!.feeBps).toBeCloseTo(800, 9);
    expect(explained.steps[0]!.curveBps).toBeCloseTo(640, 9);
    expect(explained.steps[1]!.feeBps).toBe(0);
    expect(explained.steps[1]!.curveBps).toBeCloseTo(1200, 9);
    expect(explained.totalBps).toBeCloseTo(10_000 * (1 - 1840 / 2500), 9);
    // Most of the input goes through the second pool: without it the first gives 400 × 8 × 80 %.
    expect(explained.runnerUp).toMatchObject({
      amountOut: 2560n,
      steps: [{ pool: split.steps[0]!.pool }],
    });
  });

  it("is measured against the price where liquidity begins, wherever the pool's own stands", () => {
    const astray: Curve = {
      ...charging,
      open: (graph) => ({ ...charging.open(graph), midPrice: () => 1e30 }),
    };
    const market = open([{ tokens: [1, 2], rate: 8 }], NO_LIMIT, astray);
    expect(explainFound(market, ask(market, 1, 2)).totalBps).toBeCloseTo(2000, 9);
  });

  it("counts the fee alone where a pool tells no price at all", () => {
    const silent: Curve = {
      ...charging,
      open: (graph) => ({
        ...charging.open(graph),
        pieceAt: (_pool, _own, _other, _amount, into, at) =>
          into.set([1, 0, Number.POSITIVE_INFINITY, 0, 0], at),
        midPrice: () => 0,
      }),
    };
    const market = open([{ tokens: [1, 2], rate: 8, feePips: 200_000 }], NO_LIMIT, silent);
    const explained = explainFound(market, ask(market, 1, 2));
    expect(explained.feesBps).toBeCloseTo(2000, 9);
    expect(explained.curveBps).toBeCloseTo(0, 9);
  });
});

describe("the runner-up", () => {
  it("is the best route that lacks one of the pools, whichever that is", () => {
    const market = open([
      { tokens: [1, 2], rate: 9 },
      { tokens: [1, 2], rate: 5 },
      { tokens: [2, 3], rate: 9 },
      { tokens: [2, 3], rate: 7 },
      { tokens: [1, 3], rate: 50 },
    ]);
    const runnerUp = explainFound(market, ask(market, 1, 3)).runnerUp;
    expect(runnerUp?.amountOut).toBe(6300n);
    expect(runnerUp?.steps.map((step) => step.pool)).toEqual([pool(market, 0), pool(market, 3)]);
  });

  it("of an exact output costs the least", () => {
    const market = open([2, 9, 5].map((rate) => ({ tokens: [1, 2], rate })));
    const request = ask(market, 1, 2, { kind: "exactOut", amount: 90n });
    expect(explainFound(market, request).runnerUp?.amountIn).toBe(18n);
  });

  it("keeps to the request's own filter", () => {
    const market = open([2, 9, 5].map((rate) => ({ tokens: [1, 2], rate })));
    const request = ask(market, 1, 2, { filter: { withoutPools: [pool(market, 2)] } });
    expect(explainFound(market, request).runnerUp?.amountOut).toBe(200n);
  });
});

describe("what stood in the way", () => {
  const chain = [1, 2, 3, 4, 5].map((n) => ({ tokens: [n, n + 1] }));

  it("is the number of hops where more of them link the tokens", () => {
    const market = open(chain);
    expect(limitOf(market, ask(market, 1, 4, { maxHops: 2 }))).toEqual({
      kind: "hops",
      maxHops: 2,
      neededHops: 3,
    });
  });

  it("is so too where it takes more than any request may ask for", () => {
    const market = open(chain);
    expect(limitOf(market, ask(market, 1, 6))).toMatchObject({ kind: "hops", neededHops: 5 });
  });

  it("is no number of hops where nothing links the tokens", () => {
    const market = open([...chain, { tokens: [7, 8] }]);
    expect(limitOf(market, ask(market, 1, 8))).toEqual({
      kind: "hops",
      maxHops: 3,
      neededHops: undefined,
    });
  });

  it("is the filter where only it leaves no path short enough for any request", () => {
    const market = open([...chain, { tokens: [1, 6] }, { tokens: [7, 1] }]);
    const filter = { withoutPools: [pool(market, 5)] };
    const kind = "filter";
    expect(limitOf(market, ask(market, 1, 6, { filter }))).toEqual({ kind, neededHops: 1 });
    // One hop is not enough for this, with the filter or without.
    expect(limitOf(market, ask(market, 7, 6, { filter, maxHops: 1 }))).toEqual({
      kind,
      neededHops: 2,
    });
  });

  it("is the hops where more of them do with the filter", () => {
    const market = open([...chain, { tokens: [1, 3] }]);
    const request = ask(market, 1, 3, { maxHops: 1, filter: { withoutPools: [pool(market, 5)] } });
    expect(limitOf(market, request)).toMatchObject({ kind: "hops", neededHops: 2 });
  });

  it("is the least amount that gives anything", () => {
    // A tenth of the input, rounded down, and then a fifth of that.
    const market = open([
      { tokens: [1, 2], feePips: 900_000 },
      { tokens: [2, 3], feePips: 800_000 },
    ]);
    expect(limitOf(market, ask(market, 1, 3, { amount: 1n }))).toEqual({
      kind: "leastAmount",
      amount: 50n,
    });
  });

  it("is the least amount of the path that begins first, not of the one that gives the most", () => {
    const market = open([
      { tokens: [1, 2], rate: 10, feePips: 999_000 },
      { tokens: [1, 2], rate: 1, feePips: 900_000 },
    ]);
    expect(limitOf(market, ask(market, 1, 2, { amount: 3n }))).toMatchObject({ amount: 10n });
  });

  it("is the most that a path can fill, the second pool's capacity counted too", () => {
    const market = open([
      { tokens: [1, 2], rate: 10 },
      { tokens: [2, 3], capacity: 5000n },
      { tokens: [1, 3], capacity: 300n },
    ]);
    const kind = "capacity";
    const amount = 10n ** 30n;
    expect(limitOf(market, ask(market, 1, 3, { amount }))).toEqual({ kind, amount: 500n });
    const exactOut = limitOf(market, ask(market, 1, 3, { kind: "exactOut", amount }));
    // To a part in 2^10: 5,000 can be had.
    expect(exactOut).toEqual({ kind, amount: expect.toSatisfy(isBetween(4995n, 5000n)) });
  });

  it("is a capacity of nothing where the pools are empty", () => {
    const market = open([{ tokens: [1, 2], capacity: 0n }]);
    for (const kind of ["exactIn", "exactOut"] as const) {
      expect(limitOf(market, ask(market, 1, 2, { kind }))).toEqual({
        kind: "capacity",
        amount: 0n,
      });
    }
  });

  it("is the gas of a transaction where a path could fill the amount but for that", () => {
    // 100,000 are the transaction's own; a swap of 1,000 units needs the other 200,000.
    const market = open([{ tokens: [1, 2] }], { gasLimit: 300_000 });
    const request = ask(market, 1, 2, { amount: 5000n });
    expect(limitOf(market, request)).toEqual({ kind: "gas", gasLimit: 300_000, amount: 1000n });
    expect(market.router.quote({ ...request, amount: 1000n }).found).toBe(true);
  });
});

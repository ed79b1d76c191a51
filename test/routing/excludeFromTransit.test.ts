import { assert, describe, it as effectIt } from "@effect/vitest";
import {
  type Address,
  Cycles,
  type OpenMarket,
  openMarket,
  openOverlay,
  openSearchWorkers,
  type QuoteRequest,
  type QuoteResult,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { law, type RandomSource, surely } from "@millrace/testing";
import {
  type BruteRequest,
  engineMarket,
  limitsOf,
  type PlainPool,
  type PlainRequest,
  poolAfter,
  poolIndexOf,
  requestsOn,
  tinyMarket,
} from "@millrace/testing/reference";
import { Effect } from "effect";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sensibleMarket } from "../markets/sensibleMarkets.ts";
import { BruteForce } from "../reference/bruteForce.ts";
import { NO_GAS_LIMIT, SplitJudge } from "../reference/SplitJudge.ts";
import { oracleSplit } from "../reference/splitOracle.ts";

type Pools = ReadonlyArray<PlainPool>;

const tokensOf = (pools: Pools): ReadonlyArray<string> => [
  ...new Set(pools.flatMap(({ token0, token1 }) => [token0, token1])),
];

const addressesOf = (tokens: ReadonlyArray<string>) => new Set(tokens as ReadonlyArray<Address>);

/**
 * The pools without those of excluded tokens, except the request's own two: then no path passes an
 * excluded token.
 */
const without = (pools: Pools, excluded: ReadonlyArray<string>, request: BruteRequest): Pools => {
  const isOpen = (token: string) =>
    !excluded.includes(token) || token === request.tokenIn || token === request.tokenOut;
  return pools.filter(({ token0, token1 }) => isOpen(token0) && isOpen(token1));
};

function requestOf({ graph }: OpenMarket, request: BruteRequest): QuoteRequest {
  const { kind, amount, maxHops } = request;
  const [tokenIn, tokenOut] = [request.tokenIn, request.tokenOut].map(
    (token) => graph.findToken(token)!,
  );
  return { tokenIn: tokenIn!, tokenOut: tokenOut!, kind, amount, maxHops };
}

/** Markets with two sets of tokens to exclude one after the other, and requests. */
const cases = tinyMarket.chain((pools) =>
  fc.record({
    pools: fc.constant(pools),
    excluded: fc.subarray([...tokensOf(pools)]),
    excludedLater: fc.subarray([...tokensOf(pools)]),
    requests: requestsOn(pools, 6).map((requests) => requests.map(unfiltered)),
  }),
);

function unfiltered({ tokenIn, tokenOut, kind, amount, maxHops }: PlainRequest): BruteRequest {
  return { tokenIn, tokenOut, kind, amount, maxHops };
}

/** The fault of an answer, compared with brute force over the allowed pools. */
function fault(pools: Pools, request: BruteRequest, result: QuoteResult): string | undefined {
  const truth = new BruteForce({ pools }).best(request);
  if (!result.found) {
    if (truth.best !== undefined) return `${result.reason}, but ${truth.best.amount} is there`;
    return (result.reason === "NoRoute") === truth.linked ? `${result.reason}` : undefined;
  }
  const amount = request.kind === "exactIn" ? result.amountOut : result.amountIn;
  if (amount !== truth.best?.amount) return `gives ${amount}, not ${truth.best?.amount}`;
  const hops = result.steps.length;
  return hops === truth.best.hops ? undefined : `takes ${hops} pools, not ${truth.best.hops}`;
}

describe("on tiny markets, tokens excluded from transit", () => {
  it("leave the best path that brute force finds around them", () => {
    const { cases: count, options } = law("excluded tokens: the best path around them", 50);
    let around = 0;
    fc.assert(
      fc.property(cases, ({ pools, excluded, excludedLater, requests }) => {
        const market = engineMarket({ chainId: 1, block: 1, pools }, NO_GAS_LIMIT);
        for (const tokens of [excluded, excludedLater]) {
          market.writer.excludeFromTransit(addressesOf(tokens));
          for (const request of requests) {
            const result = market.router.quote(requestOf(market, request));
            const allowed = without(pools, tokens, request);
            expect(fault(allowed, request, result)).toBe(undefined);
            if (fault(pools, request, result) !== undefined) around++;
          }
        }
      }),
      options,
    );
    // The exclusions made a difference, often enough.
    expect(around).toBeGreaterThanOrEqual(surely(0.2 * count));
  });

  it("leave an overlay the best path around them, whichever came first", () => {
    const { cases: count, options } = law("excluded tokens: overlays around them", 30);
    let swapped = 0;
    fc.assert(
      fc.property(cases, fc.nat(), fc.boolean(), (market, place, isExcludedFirst) => {
        const { pools, excluded, requests } = market;
        const open = engineMarket({ chainId: 1, block: 1, pools }, NO_GAS_LIMIT);
        const pool = pools[place % pools.length]!;
        const amountIn = (pool.family === "constantProduct" ? pool.reserve0 / 50n : 1_000n) + 1n;
        const after = poolAfter(pool, true, "exactIn", amountIn)?.after;
        if (after === undefined) return;
        if (isExcludedFirst) open.writer.excludeFromTransit(addressesOf(excluded));
        const overlay = openOverlay(open, [
          {
            kind: "swapped",
            pool: poolIndexOf(open, pool),
            tokenIn: open.graph.findToken(pool.token0)!,
            tokenOut: open.graph.findToken(pool.token1)!,
            amountIn,
          },
        ]);
        if (overlay.refused) return;
        swapped++;
        if (!isExcludedFirst) open.writer.excludeFromTransit(addressesOf(excluded));
        const changed = pools.map((each) => (each === pool ? after : each));
        for (const request of requests) {
          const result = overlay.quoteUnsafe(requestOf(open, request));
          expect(fault(without(changed, excluded, request), request, result)).toBe(undefined);
        }
      }),
      options,
    );
    expect(swapped).toBeGreaterThanOrEqual(surely(0.25 * count));
  });

  it("are passed by no round trip, and all others are found as in a market without them", () => {
    const { cases: count, options } = law("excluded tokens: round trips around them", 30);
    let found = 0;
    fc.assert(
      fc.property(cases, fc.nat(), ({ pools, excluded, excludedLater }, place) => {
        const market = engineMarket({ chainId: 1, block: 1, pools }, NO_GAS_LIMIT);
        const cycles = new Cycles(market);
        const first = tokensOf(pools)[place % tokensOf(pools).length]!;
        const profits = (of: OpenMarket, search: Cycles) =>
          search.find(of.graph.findToken(first)!, 4).map(({ profit, steps }) => ({
            profit,
            pools: steps.map(({ pool }) => of.graph.poolAddress(pool)).join(),
          }));
        for (const tokens of [excluded, excludedLater, []]) {
          market.writer.excludeFromTransit(addressesOf(tokens));
          const request = { tokenIn: first, tokenOut: first } as BruteRequest;
          const rest = without(pools, tokens, request);
          const other = engineMarket({ chainId: 1, block: 1, pools: rest }, NO_GAS_LIMIT);
          const isThere = other.graph.findToken(first) !== undefined;
          const expected = isThere ? profits(other, new Cycles(other)) : [];
          found += expected.length;
          expect(new Set(profits(market, cycles))).toEqual(new Set(expected));
        }
      }),
      options,
    );
    expect(found).toBeGreaterThanOrEqual(surely(0.5 * count));
  });
});

/** An answer that fills a pool beyond this part counts as near a capacity. */
const FULL = 1 / 4;

describe("routes around excluded tokens", () => {
  it.each(["exactIn", "exactOut"] as const)(
    "splits of %s pass no excluded token, and hardly more is found around them",
    (kind) => {
      const markets = law(`excluded tokens: splits of ${kind} around them`, 24);
      let compared = 0;
      let around = 0;
      for (const [seed, random] of markets.sources()) {
        const pools = sensibleMarket(random);
        const judge = new SplitJudge({ chainId: 1, block: 1, pools }, NO_GAS_LIMIT);
        const { token0: tokenIn, token1: tokenOut } = pools[0]!;
        const most = limitsOf(pools[0]!, true)[kind === "exactIn" ? 0 : 1]!;
        const first = pools[0]!;
        const isPair = kind === "exactIn" && first.family === "constantProduct";
        const amount = 1n + (isPair ? first.reserve0 : most) / random.pick([3n, 10n, 100n]);
        const request = { tokenIn, tokenOut, kind, amount, maxHops: 3, maxSplits: 8 };
        const free = judge.quote(request);
        const excluded = tokensOf(pools).filter(() => random.integer(3) > 0);
        judge.open.writer.excludeFromTransit(addressesOf(excluded));
        expect(judge.fault(request), `${seed}`).toBe(undefined);
        const result = judge.quote(request);
        const oracle = oracleSplit(without(pools, excluded, request), request, 8);
        if (oracle === undefined) continue;
        assert(result.found, `${seed}`);
        const passed = result.steps.flatMap((step) => [step.tokenIn, step.tokenOut]);
        for (const token of excluded) {
          if (token === tokenIn || token === tokenOut) continue;
          expect(passed).not.toContain(judge.open.graph.findToken(token));
        }
        const gain = (quote: QuoteResult & { found: true }) =>
          kind === "exactIn" ? quote.amountOut : -quote.amountIn;
        if (free.found && gain(free) > gain(result)) around++;
        if (oracle.fullness >= FULL) continue;
        compared++;
        const least = Math.min(
          ...result.steps.flatMap((step) => [step.amountIn, step.amountOut].map(Number)),
        );
        const missing = Number(
          (kind === "exactIn" ? oracle.amount : -oracle.amount) - gain(result),
        );
        expect(missing / Number(oracle.amount), `${seed}`).toBeLessThanOrEqual(
          1e-4 + 4 / least + oracle.rounding,
        );
      }
      expect(compared).toBeGreaterThanOrEqual(surely(0.4 * markets.cases));
      expect(around).toBeGreaterThanOrEqual(surely(0.08 * markets.cases));
    },
  );
});

describe("on a market of thousands of pools", () => {
  effectIt.live("threads and the caller's own search agree on routes around excluded hubs", () =>
    Effect.gen(function* () {
      const market = openMarket(1, curves);
      market.writer.applyBlock(generateMarketBlock({ seed: 43, poolCount: 3_000 }));
      const curvesModule = new URL(import.meta.resolve("@millrace/protocols/curves"));
      const workers = yield* openSearchWorkers(market, { count: 2, curvesModule });
      yield* workers.ready;
      const { graph } = market;
      const rounds = law("excluded tokens: threads agree", 3);
      const random = rounds.random();
      const degree = (token: number) => graph.slotEnd[token]! - graph.slotStart[token]!;
      const byDegree = Array.from({ length: graph.tokenCount }, (_, token) => token as TokenIndex);
      byDegree.sort((a, b) => degree(b) - degree(a));
      let passedBefore = 0;
      for (let round = 0; round < rounds.cases; round++) {
        const hubs = byDegree.slice(0, 12).filter(() => random.integer(2) === 0);
        const requests = Array.from({ length: 20 }, () => randomRequest(byDegree, random));
        const passes = (result: QuoteResult, { tokenIn, tokenOut }: QuoteRequest) =>
          result.found &&
          result.steps.some(
            (step) =>
              (hubs.includes(step.tokenIn) && step.tokenIn !== tokenIn) ||
              (hubs.includes(step.tokenOut) && step.tokenOut !== tokenOut),
          );
        market.writer.excludeFromTransit(new Set());
        passedBefore += requests.filter((each) => passes(market.router.quote(each), each)).length;
        market.writer.excludeFromTransit(new Set(hubs.map((hub) => graph.tokenAddress(hub))));
        const answers = yield* Effect.forEach(requests, workers.quote, { concurrency: 4 });
        for (const [place, request] of requests.entries()) {
          assert.deepStrictEqual(answers[place], market.router.quote(request));
          assert.isFalse(passes(answers[place]!, request));
        }
      }
      assert.isAtLeast(passedBefore, surely(2.5 * rounds.cases));
      assert.deepInclude(workers.counts(), { searchedHere: 0 });
    }),
  );
});

function randomRequest(byDegree: ReadonlyArray<TokenIndex>, random: RandomSource): QuoteRequest {
  const token = () => byDegree[random.integer(random.integer(2) === 0 ? 60 : byDegree.length)]!;
  const tokenIn = token();
  let tokenOut = token();
  while (tokenOut === tokenIn) tokenOut = token();
  const kind = random.pick(["exactIn", "exactOut"] as const);
  const maxSplits = random.pick([1, 4]);
  const amount = 10n ** BigInt(5 + random.integer(12));
  return { tokenIn, tokenOut, kind, amount, maxHops: random.pick([2, 3, 4]), maxSplits };
}

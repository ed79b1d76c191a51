import { type Law, law, type RandomSource, surely } from "@millrace/testing";
import {
  exactSwap,
  type PlainPool,
  type PlainRequest,
  RESERVE_MAX,
  readMarket,
  StepCache,
} from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { tradesOf } from "../markets/recordedTrades.ts";
import { Judge } from "../reference/Judge.ts";

function disagreements(judge: Judge, requests: ReadonlyArray<PlainRequest>): string[] {
  expect(requests.length).toBeGreaterThan(0);
  return requests
    .map((request) => judge.disagreement(request))
    .filter((fault) => fault !== undefined);
}

/** An amount that takes more than half of a pool's output, up to and a little past its limits. */
function large(pool: PlainPool, zeroForOne: boolean, random: RandomSource) {
  if (pool.family === "concentratedLiquidity") {
    const capacity = new StepCache(pool, zeroForOne).capacity();
    const half = exactSwap(pool, zeroForOne)("exactOut", capacity.out / 2n + 1n)?.in ?? 1n;
    return random.pick([
      half,
      half * 2n,
      half * 10n,
      capacity.in - 1n,
      capacity.in,
      capacity.in + 1n,
    ]);
  }
  const reserve = zeroForOne ? pool.reserve0 : pool.reserve1;
  const room = RESERVE_MAX[pool.rule] - reserve;
  const more = reserve / 2n + 1n + random.bigint(2n * reserve + 1n);
  return random.pick([more, more, more, reserve * 1000n + 1n, room, room + 1n]);
}

function largeRequests(
  pools: ReadonlyArray<PlainPool>,
  some: Law,
  kind: PlainRequest["kind"],
  maxHops: number,
): PlainRequest[] {
  const random = some.random();
  const tokens = [...new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]))];
  const requests: PlainRequest[] = [];
  const sparse = pools.filter((pool) => pool.family === "concentratedLiquidity");
  while (requests.length < some.cases) {
    const pool = random.pick(random.integer(2) === 0 ? sparse : pools);
    const zeroForOne = random.integer(2) === 0;
    const [from, to] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
    const amountIn = large(pool, zeroForOne, random);
    if (amountIn < 1n) continue;
    const amount =
      kind === "exactIn" ? amountIn : exactSwap(pool, zeroForOne)("exactIn", amountIn)?.out;
    if (amount === undefined || amount < 1n) continue;
    // Half of them are between the pool's own tokens, half go through it to or from any token.
    const other = random.integer(2) === 0 ? undefined : random.pick(tokens);
    const request =
      kind === "exactIn"
        ? { tokenIn: from, tokenOut: other ?? to, kind, amount, maxHops }
        : { tokenIn: other ?? from, tokenOut: to, kind, amount, maxHops };
    if (request.tokenIn !== request.tokenOut) requests.push(request);
  }
  return requests;
}

function smallRequests(some: Law, kind: PlainRequest["kind"], maxHops: number): PlainRequest[] {
  const random = some.random();
  return tradesOf(some).map(([tokenIn, tokenOut], place) => ({
    tokenIn,
    tokenOut,
    kind,
    amount: place % 4 === 0 ? BigInt(1 + random.integer(20)) : BigInt(1 + random.integer(1000)),
    maxHops,
  }));
}

function tradeRequests(some: Law, kind: PlainRequest["kind"], maxHops: number): PlainRequest[] {
  return tradesOf(some).map(([tokenIn, tokenOut, amountIn, amountOut]) => ({
    tokenIn,
    tokenOut,
    kind,
    amount: BigInt(kind === "exactIn" ? amountIn : amountOut),
    maxHops,
  }));
}

/** Real trades, dust and half pools, drawn for a law of the best path. */
function samples(
  pools: ReadonlyArray<PlainPool>,
  what: string,
  [trades, small, large]: readonly [number, number, number],
  kind: PlainRequest["kind"],
  maxHops: number,
): PlainRequest[] {
  const some = (which: string, count: number) =>
    law(`the best path ${what}: ${which}, ${kind}, ${maxHops} hops`, count);
  return [
    ...tradeRequests(some("real trades", trades), kind, maxHops),
    ...smallRequests(some("dust", small), kind, maxHops),
    ...largeRequests(pools, some("half pools", large), kind, maxHops),
  ];
}

describe("on universe a the engine's route is the best of all token-simple paths", () => {
  const market = readMarket("ethereum-2026-03/universe-a.json");
  const judge = new Judge(market);
  const dexes = [...new Set(market.pools.map(({ dexId }) => dexId))];

  const expectFound = (requests: ReadonlyArray<PlainRequest>, share: number) => {
    const found = requests.filter((request) => judge.finds(request));
    expect(found.length).toBeGreaterThanOrEqual(surely(share * requests.length));
  };

  it("for real trades, at most 3 hops", () => {
    const some = law("the best path on universe a: real trades, 3 hops", 80);
    const requests = tradeRequests(some, "exactIn", 3);
    expectFound(requests, 0.9);
    expect(disagreements(judge, requests)).toEqual([]);
  });

  it("for trades of 1 to 1,000 units, at most 3 hops", () => {
    const some = law("the best path on universe a: dust, 3 hops", 40);
    const requests = smallRequests(some, "exactIn", 3);
    expectFound(requests, 0.4);
    expect(disagreements(judge, requests)).toEqual([]);
  });

  it("for trades of more than half a pool, at most 3 hops", () => {
    const some = law("the best path on universe a: half pools, 3 hops", 40);
    const requests = largeRequests(market.pools, some, "exactIn", 3);
    expectFound(requests, 0.5);
    expect(disagreements(judge, requests)).toEqual([]);
  });

  it("for samples of all three, at most 4 hops", () => {
    const requests = samples(market.pools, "on universe a", [16, 8, 8], "exactIn", 4);
    expect(disagreements(judge, requests)).toEqual([]);
  });

  it("for samples of all three, at most 1 and 2 hops", () => {
    for (const maxHops of [1, 2]) {
      const counts = [40, 20, 20] as const;
      const requests = samples(market.pools, "on universe a", counts, "exactIn", maxHops);
      expect(disagreements(judge, requests)).toEqual([]);
    }
  });

  it.each([1, 2, 3, 4])(
    "for exact output of real trades, dust and half pools, at most %i hops",
    (maxHops) => {
      const counts = maxHops === 3 ? ([32, 16, 16] as const) : ([16, 8, 8] as const);
      const requests = samples(market.pools, "on universe a", counts, "exactOut", maxHops);
      expect(disagreements(judge, requests)).toEqual([]);
    },
  );

  it("when only some venues are allowed, some are not, or pools are left out", () => {
    const sold = law("the best path on universe a: filtered, exactIn", 20);
    const bought = law("the best path on universe a: filtered, exactOut", 12);
    const random = sold.random();
    const filters = (): Partial<PlainRequest> => {
      const some = dexes.filter(() => random.integer(2) === 0);
      const pools = Array.from({ length: 200 }, () => random.pick(market.pools).address);
      return random.pick([
        { onlyDexes: some },
        { onlyDexes: [random.pick(dexes)] },
        { withoutDexes: some },
        { withoutPools: pools },
        { onlyDexes: some, withoutDexes: [random.pick(dexes)], withoutPools: pools },
      ]);
    };
    const requests = [
      ...tradeRequests(sold, "exactIn", 3),
      ...tradeRequests(bought, "exactOut", 3),
    ];
    expect(
      disagreements(
        judge,
        requests.map((request) => ({ ...request, ...filters() })),
      ),
    ).toEqual([]);
  });

  it("when the pools of the best route are left out, again and again", () => {
    const { graph, router } = judge.open;
    const some = law("the best path on universe a: without the pools of the best", 4);
    for (const [tokenIn, tokenOut, amountIn] of tradesOf(some)) {
      const withoutPools: string[] = [];
      for (let round = 0; round < 5; round++) {
        const request = {
          tokenIn,
          tokenOut,
          kind: "exactIn",
          amount: BigInt(amountIn),
          maxHops: 3,
        } as const;
        expect(judge.disagreement({ ...request, withoutPools })).toBe(undefined);
        const quote = router.quote({
          ...request,
          tokenIn: graph.findToken(tokenIn)!,
          tokenOut: graph.findToken(tokenOut)!,
          filter: { withoutPools: withoutPools.map((pool) => graph.findPool(pool)!) },
        });
        if (!quote.found) break;
        withoutPools.push(...quote.steps.map(({ pool }) => graph.poolAddress(pool)));
      }
    }
  });
});

describe("on universe b the engine's route is the best of all token-simple paths", () => {
  const market = readMarket("ethereum-2026-03/universe-b.json");
  const judge = new Judge(market);
  const known = new Set(market.pools.flatMap(({ token0, token1 }) => [token0, token1] as string[]));
  const within = (requests: PlainRequest[]) =>
    requests.filter(({ tokenIn, tokenOut }) => known.has(tokenIn) && known.has(tokenOut));

  it("for real trades, dust and half pools, both ways", () => {
    for (const kind of ["exactIn", "exactOut"] as const) {
      const drawn = samples(market.pools, "on universe b", [40, 20, 20], kind, 3);
      const requests = within(drawn);
      expect(requests.length).toBeGreaterThanOrEqual(surely(0.5 * drawn.length));
      expect(disagreements(judge, requests)).toEqual([]);
    }
  });
});

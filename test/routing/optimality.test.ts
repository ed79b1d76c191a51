import { RandomSource, readData } from "@millrace/testing";
import {
  exactSwap,
  type PlainPool,
  type PlainRequest,
  RESERVE_MAX,
  readMarket,
  StepCache,
} from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { Judge } from "../reference/Judge.ts";

type Trade = readonly [tokenIn: string, tokenOut: string, amountIn: string, amountOut: string];

const { trades } = readData<{ trades: ReadonlyArray<Trade> }>("ethereum-2026-03/workload-a.json");

/** `count` trades spread over the whole workload. */
function workload(count: number): Trade[] {
  return Array.from(
    { length: count },
    (_, place) => trades[Math.floor((place * trades.length) / count)]!,
  );
}

function disagreements(judge: Judge, requests: ReadonlyArray<PlainRequest>): string[] {
  expect(requests.length).toBeGreaterThan(0);
  return requests
    .map((request) => judge.disagreement(request))
    .filter((fault) => fault !== undefined);
}

/** What takes more than half of what a pool can give, up to and a little past its limits. */
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
  count: number,
  kind: PlainRequest["kind"],
  maxHops: number,
): PlainRequest[] {
  const random = new RandomSource(7);
  const tokens = [...new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]))];
  const requests: PlainRequest[] = [];
  const sparse = pools.filter((pool) => pool.family === "concentratedLiquidity");
  while (requests.length < count) {
    const pool = random.pick(random.integer(2) === 0 ? sparse : pools);
    const zeroForOne = random.integer(2) === 0;
    const [from, to] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
    const amountIn = large(pool, zeroForOne, random);
    if (amountIn < 1n) continue;
    const amount =
      kind === "exactIn" ? amountIn : exactSwap(pool, zeroForOne)("exactIn", amountIn)?.out;
    if (amount === undefined || amount < 1n) continue;
    // Half of them between the pool's own tokens, half through it to or from anywhere.
    const other = random.integer(2) === 0 ? undefined : random.pick(tokens);
    const request =
      kind === "exactIn"
        ? { tokenIn: from, tokenOut: other ?? to, kind, amount, maxHops }
        : { tokenIn: other ?? from, tokenOut: to, kind, amount, maxHops };
    if (request.tokenIn !== request.tokenOut) requests.push(request);
  }
  return requests;
}

function smallRequests(count: number, kind: PlainRequest["kind"], maxHops: number): PlainRequest[] {
  const random = new RandomSource(11);
  return workload(count).map(([tokenIn, tokenOut], place) => ({
    tokenIn,
    tokenOut,
    kind,
    amount: place % 4 === 0 ? BigInt(1 + random.integer(20)) : BigInt(1 + random.integer(1000)),
    maxHops,
  }));
}

function tradeRequests(count: number, kind: PlainRequest["kind"], maxHops: number): PlainRequest[] {
  return workload(count).map(([tokenIn, tokenOut, amountIn, amountOut]) => ({
    tokenIn,
    tokenOut,
    kind,
    amount: BigInt(kind === "exactIn" ? amountIn : amountOut),
    maxHops,
  }));
}

describe("on universe a the engine's route is the best of all token-simple paths", () => {
  const market = readMarket("ethereum-2026-03/universe-a.json");
  const judge = new Judge(market);
  const dexes = [...new Set(market.pools.map(({ dexId }) => dexId))];

  it("for 500 real trades, at most 3 hops", () => {
    const found = tradeRequests(500, "exactIn", 3).filter((request) => judge.finds(request));
    expect(found.length).toBeGreaterThan(450);
    expect(disagreements(judge, tradeRequests(500, "exactIn", 3))).toEqual([]);
  });

  it("for 200 trades of 1 to 1,000 units, at most 3 hops", () => {
    const found = smallRequests(200, "exactIn", 3).filter((request) => judge.finds(request));
    expect(found.length).toBeGreaterThan(80);
    expect(disagreements(judge, smallRequests(200, "exactIn", 3))).toEqual([]);
  });

  it("for 200 trades of more than half a pool, at most 3 hops", () => {
    const requests = largeRequests(market.pools, 200, "exactIn", 3);
    expect(requests.filter((request) => judge.finds(request)).length).toBeGreaterThan(100);
    expect(disagreements(judge, largeRequests(market.pools, 200, "exactIn", 3))).toEqual([]);
  });

  it("for samples of all three, at most 4 hops", () => {
    const requests = [
      ...tradeRequests(100, "exactIn", 4),
      ...smallRequests(50, "exactIn", 4),
      ...largeRequests(market.pools, 50, "exactIn", 4),
    ];
    expect(disagreements(judge, requests)).toEqual([]);
  });

  it("for samples of all three, at most 1 and 2 hops", () => {
    for (const maxHops of [1, 2]) {
      const requests = [
        ...tradeRequests(100, "exactIn", maxHops),
        ...smallRequests(50, "exactIn", maxHops),
        ...largeRequests(market.pools, 50, "exactIn", maxHops),
      ];
      expect(disagreements(judge, requests)).toEqual([]);
    }
  });

  it.each([1, 2, 3, 4])(
    "for exact output of real trades, dust and half pools, at most %i hops",
    (maxHops) => {
      const share = maxHops === 3 ? 4 : 1;
      const requests = [
        ...tradeRequests(50 * share, "exactOut", maxHops),
        ...smallRequests(25 * share, "exactOut", maxHops),
        ...largeRequests(market.pools, 25 * share, "exactOut", maxHops),
      ];
      expect(disagreements(judge, requests)).toEqual([]);
    },
  );

  it("when only some venues are allowed, some are not, or pools are left out", () => {
    const random = new RandomSource(13);
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
    const requests = [...tradeRequests(80, "exactIn", 3), ...tradeRequests(40, "exactOut", 3)];
    expect(
      disagreements(
        judge,
        requests.map((request) => ({ ...request, ...filters() })),
      ),
    ).toEqual([]);
  });

  it("when the pools of the best route are left out, again and again", () => {
    const { graph, router } = judge.open;
    for (const [tokenIn, tokenOut, amountIn] of workload(12)) {
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
      const requests = [
        ...within(tradeRequests(100, kind, 3)),
        ...within(smallRequests(50, kind, 3)),
        ...largeRequests(market.pools, 50, kind, 3),
      ];
      expect(requests.length).toBeGreaterThan(100);
      expect(disagreements(judge, requests)).toEqual([]);
    }
  });
});

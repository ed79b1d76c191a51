import {
  ESTIMATE_ERROR,
  netOf,
  type OpenMarket,
  openOverlay,
  openSnapshot,
  pathsOf,
  REFUSED,
  recomputeRoute,
} from "@millrace/core";
import { law, MEETS_EVERY_KIND, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import {
  drawPool,
  MIXED_CURVES,
  mixedMarket,
  mixedRequest,
  OWN_OUTPUTS,
} from "../markets/mixedMarket.ts";
import { bestOfAll, disagreement } from "../reference/bruteFamilies.ts";

const NO_GAS_LIMIT = { gasLimit: Number.POSITIVE_INFINITY };
const REQUESTS = 6;

describe("on tiny markets of all curves, with pools of many tokens", () => {
  it("the route is the best of all paths that visit no token and no pool twice", () => {
    const markets = law("the best path through mixed families", 300);
    let found = 0;
    let throughMany = 0;
    for (const [index, random] of markets.sources()) {
      const market = mixedMarket(random, NO_GAS_LIMIT);
      for (let count = 0; count < REQUESTS; count++) {
        const request = mixedRequest(random, market);
        expect(disagreement(market, request), `market ${index}, request ${count}`).toBe(undefined);
        const result = market.router.quote(request);
        if (!result.found) continue;
        found++;
        const { graph } = market;
        if (result.steps.some(({ pool }) => graph.poolTokenCount[pool]! > 2)) throughMany++;
      }
    }
    expect(found).toBeGreaterThanOrEqual(surely(markets.cases));
    expect(throughMany).toBeGreaterThanOrEqual(surely(markets.cases / 10));
  });

  it("the same holds after swaps through them, and in the market of a snapshot", () => {
    for (const [index, random] of law("mixed families after swaps", 100).sources()) {
      const market = mixedMarket(random, NO_GAS_LIMIT);
      for (let count = 0; count < REQUESTS; count++) {
        const request = mixedRequest(random, market);
        const result = market.router.quote({ ...request, kind: "exactIn" });
        if (result.found) execute(market, result.steps);
        expect(disagreement(market, request), `market ${index}, request ${count}`).toBe(undefined);
      }
      const bytes = market.snapshot();
      const again = openSnapshot(bytes, MIXED_CURVES, NO_GAS_LIMIT);
      expect(Buffer.compare(again.snapshot(), bytes)).toBe(0);
      const request = mixedRequest(random, again);
      expect(disagreement(again, request), `snapshot of market ${index}`).toBe(undefined);
    }
  });

  it("a route that keeps to one of some sets of DEXes is the best of all that do", () => {
    const sets = [[0], [1, 2], [2]];
    let found = 0;
    const markets = law("the best path within sets of DEXes", 150);
    for (const [index, random] of markets.sources()) {
      const market = mixedMarket(random, NO_GAS_LIMIT);
      const { poolDex } = market.graph;
      const request = mixedRequest(random, market);
      const truths = sets.map((set) =>
        bestOfAll(market, request, (pool) => set.includes(poolDex[pool]!)),
      );
      const nets = truths.flatMap(({ amount, net }) => (amount === undefined ? [] : [net]));
      const result = market.router.quote({ ...request, filter: { dexSets: sets } });
      const best = nets.sort((a, b) => (a > b ? -1 : 1))[0];
      const net = result.found ? netOf(request, result) : undefined;
      expect(net, `market ${index}`).toBe(best);
      if (result.found) found++;
    }
    expect(found).toBeGreaterThanOrEqual(surely(markets.cases / 10));
  });

  it("a split is never worse than the best path, is what its steps give, and uses all families", () => {
    const markets = law("splits over mixed families", 2_400);
    const used = new Set<string>();
    let better = 0;
    for (const [index, random] of markets.sources()) {
      const market = mixedMarket(random, NO_GAS_LIMIT);
      const { graph } = market;
      const request = { ...mixedRequest(random, market), maxHops: random.between(1, 3) };
      const single = market.router.quote(request);
      const split = market.router.quote({ ...request, maxSplits: 8 });
      if (!single.found) continue;
      if (!split.found) throw new Error(`market ${index}: a split finds nothing`);
      const [gain, least] = [netOf(request, split), netOf(request, single)];
      expect(gain >= least, `market ${index}: ${gain} by a split, ${least} by a path`).toBe(true);
      if (gain > least) better++;
      const { kind } = request;
      const again = recomputeRoute(market, {
        kind,
        paths: pathsOf(split).map((hops) => ({
          amount: kind === "exactIn" ? hops[0]!.amountIn : hops.at(-1)!.amountOut,
          hops,
        })),
      });
      expect(again).toMatchObject({ amountIn: split.amountIn, amountOut: split.amountOut });
      const once = split.steps.filter(({ pool }) =>
        market.families[graph.poolCurve[pool]!]!.feeFollowsSwaps?.(pool),
      );
      expect(new Set(once.map(({ pool }) => pool)).size).toBe(once.length);
      if (pathsOf(split).length < 2) continue;
      for (const { pool } of split.steps) used.add(graph.curveNames[graph.poolCurve[pool]!]!);
    }
    expect(better).toBeGreaterThanOrEqual(surely(markets.cases / 60));
    if (!MEETS_EVERY_KIND) return;
    expect([...used].sort()).toEqual(MIXED_CURVES.map(({ name }) => name).sort());
  });

  it("an assumed swap is quoted as a real one", () => {
    for (const [index, random] of law("overlays over mixed families", 150).sources()) {
      const market = mixedMarket(random, NO_GAS_LIMIT);
      const result = market.router.quote({ ...mixedRequest(random, market), kind: "exactIn" });
      if (!result.found) continue;
      const swaps = result.steps.map(({ pool, tokenIn, tokenOut, amountIn }) => {
        return { kind: "swapped" as const, pool, tokenIn, tokenOut, amountIn };
      });
      const overlay = openOverlay(market, swaps);
      if (overlay.refused) throw new Error(`market ${index}: ${overlay.reason}`);
      const request = mixedRequest(random, market);
      const assumed = overlay.quoteUnsafe(request);
      execute(market, result.steps);
      const { stamp: _, ...real } = { stamp: 0, ...market.router.quote(request) };
      expect(assumed, `market ${index}`).toMatchObject(real);
    }
  });
});

/** Applies the states that a route leaves its pools in. */
function execute(
  { graph, families, writer }: OpenMarket,
  steps: Extract<ReturnType<OpenMarket["router"]["quote"]>, { found: true }>["steps"],
): void {
  for (const { pool, tokenIn, tokenOut, amountIn } of steps) {
    const [from, to] = [graph.poolPosition(pool, tokenIn), graph.poolPosition(pool, tokenOut)];
    writer.applySwap(families[graph.poolCurve[pool]!]!.swapExactIn(pool, from, to, amountIn)!);
  }
}

describe.each(MIXED_CURVES)("pools along $name", ({ name }) => {
  it("stay within their estimates in every direction", () => {
    for (const [index, random] of law(`estimates of ${name}`, 150).sources()) {
      const { market, pool, family } = drawPool(random, name);
      const count = market.graph.poolTokenCount[pool]!;
      const amount = random.amount(random.pick([8, 40, 62, 100]));
      for (let own = 0; own < count; own++) {
        for (let other = 0; other < count; other++) {
          if (own === other) continue;
          const place = `pool ${index}, ${own} to ${other}, ${amount}`;
          const given = family.quoteExactIn(pool, own, other, amount);
          if (given !== REFUSED) {
            const estimate = family.estimateExactIn(pool, own, other, Number(amount));
            expect(estimate * (1 + ESTIMATE_ERROR), place).toBeGreaterThanOrEqual(Number(given));
            const capacity = family.capacityIn(pool, own, other);
            expect(capacity * (1 + ESTIMATE_ERROR), place).toBeGreaterThanOrEqual(Number(amount));
          }
          const taken = family.quoteExactOut(pool, own, other, amount);
          if (taken === REFUSED) continue;
          const estimate = family.estimateExactOut(pool, own, other, Number(amount));
          expect(estimate * (1 - ESTIMATE_ERROR), place).toBeLessThanOrEqual(Number(taken));
          if (OWN_OUTPUTS.has(name)) continue;
          expect(family.quoteExactIn(pool, own, other, taken) >= amount, place).toBe(true);
        }
      }
    }
  });

  it("have leading pieces that no swap exceeds, and rates that are those of a small swap", () => {
    const piece = new Float64Array(5);
    for (const [index, random] of law(`leading pieces of ${name}`, 150).sources()) {
      const { pool, family } = drawPool(random, name);
      family.leadingPiece(pool, 0, 1, piece, 0);
      const [x, y, limit, bonus] = piece as unknown as [number, number, number, number];
      const place = `pool ${index}`;
      const amount = random.amount(62);
      const given = family.quoteExactIn(pool, 0, 1, amount);
      if (given === REFUSED || given === 0n) continue;
      const raised = Number(amount) + bonus;
      const bound = Number(amount) <= limit ? (y * raised) / (x + raised) : (y / x) * raised;
      expect(bound * (1 + ESTIMATE_ERROR), place).toBeGreaterThanOrEqual(Number(given));
      family.pieceAt(pool, 0, 1, 0, piece, 0);
      expect(piece[1]! / piece[0]! / (y / x), place).toBeCloseTo(1, 4);
    }
  });
});

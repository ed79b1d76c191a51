import {
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type QuoteRequest,
  RouteRelevance,
  type TokenIndex,
} from "@millrace/core";
import { curves, encodeReserves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { law, type RandomSource, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { livePools } from "../markets/changedMarket.ts";

function generated(poolCount: number, seed: number): OpenMarket {
  const market = openMarket(8453, curves);
  market.writer.applyBlock(generateMarketBlock({ chainId: 8453, poolCount, seed }));
  return market;
}

/** Moves the price of some pools by up to a factor of two. */
function moveSome(
  market: OpenMarket,
  count: number,
  random: RandomSource,
): ReadonlyArray<PoolIndex> {
  const { graph, writer } = market;
  const name = graph.curveNames.indexOf("constant-product");
  const movable = livePools(market).filter((pool) => graph.poolCurve[pool] === name);
  const states = Array.from({ length: count }, () => {
    const pool = graph.poolAddress(random.pick(movable));
    const reserves = [
      10n ** 21n + random.bigint(10n ** 21n),
      10n ** 21n + random.bigint(10n ** 21n),
    ];
    return { pool, state: encodeReserves([reserves[0]!, reserves[1]!]) };
  });
  const number = graph.stamp.number + 1;
  const { changedPools } = writer.applyBlock({
    stamp: { number, hash: `0x${number.toString(16).padStart(64, "0")}`, timestampMs: number },
    ...{ dexes: [], tokens: [], pools: [], removedPools: [], swaps: [], supplies: [] },
    states,
  });
  return changedPools;
}

function requests({ graph }: OpenMarket, count: number, random: RandomSource): QuoteRequest[] {
  return Array.from({ length: count }, () => {
    const tokenIn = random.integer(graph.tokenCount) as TokenIndex;
    const away = 1 + random.integer(graph.tokenCount - 1);
    const tokenOut = ((tokenIn + away) % graph.tokenCount) as TokenIndex;
    const kind = random.pick(["exactIn", "exactOut"] as const);
    const amount = 10n ** BigInt(15 + random.integer(7));
    const maxHops = 1 + random.integer(4);
    const maxSplits = random.pick([1, 1, 1, 4]);
    return { tokenIn, tokenOut, kind, amount, maxHops, maxSplits };
  });
}

describe("the relevance of changed pools", () => {
  it("is told of every request whose answer they change", () => {
    let irrelevant = 0;
    let changed = 0;
    const markets = law("relevance: requests whose answer changes", 16);
    for (const [round, random] of markets.sources()) {
      const market = generated(60 + random.integer(60), markets.seed + round);
      const asked = requests(market, 30, random);
      const answers = () =>
        asked.map((request) => {
          const { stamp: _, ...answer } = { stamp: 0, ...market.router.quote(request) };
          return answer;
        });
      let before = answers();
      for (let block = 0; block < 6; block++) {
        const relevance = new RouteRelevance(
          market.graph,
          moveSome(market, 1 + random.integer(3), random),
        );
        const after = answers();
        for (const [index, { tokenIn, tokenOut, maxHops }] of asked.entries()) {
          const mayMatter = relevance.mayMatter(tokenIn, tokenOut, maxHops ?? 3);
          if (mayMatter) continue;
          irrelevant++;
          expect(after[index]).toEqual(before[index]);
        }
        changed += after.filter((answer, index) => !equal(answer, before[index])).length;
        before = after;
      }
    }
    // Both sides of the claim have cases.
    expect(irrelevant).toBeGreaterThanOrEqual(surely(40 * markets.cases));
    expect(changed).toBeGreaterThanOrEqual(surely(2 * markets.cases));
  });

  it("is told of every path through a changed pool, and of few requests where there is none", () => {
    let linked = 0;
    let spared = 0;
    let told = 0;
    const markets = law("relevance: paths through a changed pool", 40);
    for (const [round, random] of markets.sources()) {
      const market = generated(24 + random.integer(12), markets.seed + round);
      const pool = random.pick(livePools(market));
      const relevance = new RouteRelevance(market.graph, [pool]);
      for (const { tokenIn, tokenOut, maxHops = 3 } of requests(market, 50, random)) {
        const isOnPath = hasPathThrough(market, pool, tokenIn, tokenOut, maxHops);
        const mayMatter = relevance.mayMatter(tokenIn, tokenOut, maxHops);
        if (isOnPath) expect(mayMatter).toBe(true);
        if (isOnPath) linked++;
        else if (mayMatter) told++;
        else spared++;
      }
    }
    expect(linked).toBeGreaterThanOrEqual(surely(2.5 * markets.cases));
    expect(spared).toBeGreaterThan(told);
  });
});

const equal = (one: unknown, other: unknown): boolean => text(one) === text(other);

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}` : part));

/** A depth-first search over all paths that visit no token twice. */
function hasPathThrough(
  { graph }: OpenMarket,
  sought: PoolIndex,
  from: number,
  to: number,
  hops: number,
  seen: ReadonlyArray<number> = [from],
  isThrough = false,
): boolean {
  if (from === to) return isThrough;
  if (hops === 0) return false;
  for (let slot = graph.slotStart[from]!; slot < graph.slotEnd[from]!; slot++) {
    const next = graph.slotNeighbour[slot]!;
    if (seen.includes(next)) continue;
    const through = isThrough || graph.slotPool[slot] === sought;
    if (
      hasPathThrough({ graph } as OpenMarket, sought, next, to, hops - 1, [...seen, next], through)
    ) {
      return true;
    }
  }
  return false;
}

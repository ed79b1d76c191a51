import { assert, describe, it } from "@effect/vitest";
import {
  ESTIMATE_ERROR,
  type MarketBlock,
  openMarket,
  type PoolGraph,
  type PoolIndex,
  runToEnd,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { law } from "@millrace/testing";
import { blockAfter } from "../markets/marketPools.ts";

const NONE = 2 ** 32 - 1;
const GAIN_USUAL = 1.002;
const up = (a: number, b: number): number => a - b;

describe("potentials and bounds of the search", () => {
  it.each(["one", "another"])(
    "are after each block to the bit those of the plainest computation: %s market",
    (name) => {
      const blocks = law(`potentials: ${name} market`, 40);
      // Enough pools for any budget: every tenth block removes one, and only every fiftieth may go.
      const poolCount = Math.max(400, 5 * blocks.cases);
      const first = generateMarketBlock({ seed: blocks.seed, poolCount });
      const market = openMarket(1, curves);
      const { graph, writer } = market;
      writer.applyBlock(first);
      expectPlainBounds(market);
      const random = blocks.random();
      const books = new Map(first.states.map(({ pool, state }) => [pool, state.book]));
      let number = first.stamp.number;
      let [moved, outliers] = [0, 0];
      for (let round = 0; round < blocks.cases; round++) {
        const states = swapSome(30);
        // Some swaps are applied outside blocks: then bounds are raised, and potentials wait.
        if (round % 3 === 1) {
          for (let each = 0; each < 10; each++) {
            const swap = randomSwap();
            if (swap !== undefined) writer.applySwap(swap);
          }
        }
        const before = graph.tokenPotential.slice(0, graph.tokenCount);
        writer.applyBlock(blockAfter(number++, { states }));
        const expected = plainPotentials(market, before);
        assert.deepStrictEqual(graph.tokenPotential.slice(0, graph.tokenCount), expected);
        expectPlainBounds(market);
        moved += expected.filter((potential, token) => potential !== before[token]).length;
        outliers += graph.outlierCount;
        if (round % 10 === 9) {
          const gone = first.pools[round * 5]!.address;
          writer.applyBlock(blockAfter(number++, { removedPools: [gone] }));
          expectPlainBounds(market);
        }
      }
      assert.isAbove(moved, 15 * blocks.cases);
      assert.isAbove(outliers, 15 * blocks.cases);

      function randomSwap() {
        const pool = random.integer(graph.poolCount) as PoolIndex;
        if (!graph.isLive(pool)) return undefined;
        const family = market.families[graph.poolCurve[pool]!]!;
        const tokenIn = random.integer(2);
        const amountIn = family.tokenAmounts(pool)[tokenIn]! / BigInt(3 + random.integer(300));
        return amountIn > 0n ? family.swapExactIn(pool, tokenIn, 1 - tokenIn, amountIn) : undefined;
      }

      function swapSome(count: number): MarketBlock["states"] {
        return Array.from({ length: count }, randomSwap).flatMap((swap) => {
          if (swap === undefined) return [];
          const pool = graph.poolAddress(swap.pool);
          const book = books.get(pool);
          return [{ pool, state: book === undefined ? swap.state : { ...swap.state, book } }];
        });
      }
    },
  );
  it("are those of a market made at once, as soon as they are tight after pools came", () => {
    const rounds = law("bounds of pools that come", 60);
    const whole = generateMarketBlock({ seed: rounds.seed, poolCount: 1_000 + 20 * rounds.cases });
    const random = rounds.random();
    const market = openMarket(1, curves);
    const { graph, writer } = market;
    const made = openMarket(1, curves);
    let known = whole.pools.length - 20 * rounds.cases;
    const names = new Set(whole.pools.slice(0, known).flatMap(({ tokens }) => tokens));
    const later = whole.tokens.filter(({ address }) => !names.has(address));
    writer.applyBlock({
      ...whole,
      tokens: whole.tokens.filter(({ address }) => names.has(address)),
      pools: whole.pools.slice(0, known),
      states: whole.states.slice(0, known),
    });
    let number = whole.stamp.number;
    let tightening = writer.tightenBounds();
    let [overtaken, extended] = [0, 0];
    while (known < whole.pools.length) {
      const count = 1 + random.integer(20);
      const pools = whole.pools.slice(known, known + count);
      const states = whole.states.slice(known, known + count);
      known += count;
      const wanted = new Set(pools.flatMap(({ tokens }) => tokens));
      const tokens = later.filter(
        ({ address }) => wanted.has(address) && graph.findToken(address) === undefined,
      );
      const { rejected } = writer.applyChanges(blockAfter(number++, { tokens, pools, states }));
      assert.deepStrictEqual(rejected, []);
      expectTrueBounds(market);
      for (let steps = random.integer(6); steps > 0; steps--) {
        if (!tightening.next().done) continue;
        tightening = writer.tightenBounds();
        extended++;
      }
      if (writer.areBoundsLoose) overtaken++;
    }
    assert.isAbove(overtaken, 0);
    assert.isAbove(extended, 0);
    // One at a time: a started run has taken all loose bounds.
    while (!tightening.next().done);
    while (writer.areBoundsLoose) runToEnd(writer.tightenBounds());
    expectPlainBounds(market);
    const inOrder = whole.tokens.toSorted(
      (a, b) => graph.findToken(a.address)! - graph.findToken(b.address)!,
    );
    made.writer.applyBlock({ ...whole, tokens: inOrder });
    assert.deepStrictEqual(listsOf(graph), listsOf(made.graph));
    for (let token = 0; token < graph.tokenCount; token++) {
      assert.strictEqual(graph.tokenPotential[token], made.graph.tokenPotential[token]);
      assert.deepStrictEqual(boundsOf(graph, token), boundsOf(made.graph, token));
    }
  });
  it("are true between a block and when they are tight, in slices between which blocks come", () => {
    const rounds = law("bounds that are loose for a while", 60);
    const first = generateMarketBlock({ seed: rounds.seed, poolCount: 3_000 });
    const market = openMarket(1, curves);
    const { graph, writer } = market;
    writer.applyBlock(first);
    const random = rounds.random();
    const pools = first.pools.flatMap(({ address }, place) =>
      first.states[place]!.state.book === undefined ? [address] : [],
    );
    let number = first.stamp.number;
    let [loosened, met] = [0, 0];
    let tightening = writer.tightenBounds();
    for (let round = 0; round < rounds.cases; round++) {
      const states = Array.from({ length: 20 }, () => {
        const pool = graph.findPool(pools[random.integer(pools.length)]!)!;
        const family = market.families[graph.poolCurve[pool]!]!;
        const amountIn = family.tokenAmounts(pool)[0]! / BigInt(3 + random.integer(300));
        const swap = family.swapExactIn(pool, 0, 1, amountIn);
        return swap === undefined ? [] : [{ pool: graph.poolAddress(pool), state: swap.state }];
      }).flat();
      writer.applyChanges(blockAfter(number++, { states }));
      loosened += expectTrueBounds(market);
      // The next block overtakes some runs, at any step.
      for (let steps = random.integer(12); steps > 0; steps--) {
        if (!tightening.next().done) continue;
        if (!writer.areBoundsLoose) break;
        met++;
        expectTrueBounds(market);
        tightening = writer.tightenBounds();
      }
    }
    while (!tightening.next().done);
    const before = graph.tokenPotential.slice(0, graph.tokenCount);
    runToEnd(writer.tightenBounds());
    assert.isFalse(writer.areBoundsLoose);
    assert.deepStrictEqual(
      graph.tokenPotential.slice(0, graph.tokenCount),
      plainPotentials(market, before),
    );
    expectPlainBounds(market);
    assert.isAbove(loosened, rounds.cases);
    assert.isAbove(met, rounds.cases / 20);
  });
});

/** By token: its slots by neighbour, pool and pieces, and how many lead to transits. */
function listsOf(graph: Market["graph"]) {
  return Array.from({ length: graph.tokenCount }, (_, token) => {
    const [start, end] = [graph.slotStart[token]!, graph.slotEnd[token]!];
    return [
      graph.slotTransitEnd[token]! - start,
      graph.slotNeighbour.slice(start, end),
      graph.slotPool.slice(start, end),
      graph.slotIn.slice(4 * start, 4 * end),
      graph.slotOut.slice(4 * start, 4 * end),
    ];
  });
}

type Market = ReturnType<typeof openMarket>;

/** All tokens priced anew by the slots that price them, in the order of dependence. */
function plainPotentials({ graph }: Market, before: Float64Array): Float64Array {
  const potentials = Float64Array.from(before);
  for (const token of graph.tokenPriceOrder.slice(0, graph.tokenCount)) {
    const slot = graph.tokenPriceSlot[token]!;
    if (slot === NONE) continue;
    const midPrice = Math.sqrt(rate(graph.slotIn, slot) / rate(graph.slotOut, slot));
    const potential = potentials[graph.slotNeighbour[slot]!]! / midPrice;
    if (potential > 0 && potential < Number.POSITIVE_INFINITY) potentials[token] = potential;
  }
  return potentials;
}

function expectPlainBounds(market: Market): void {
  const { graph, families } = market;
  expectRates(graph);
  const outliers: number[] = [];
  for (let token = 0 as TokenIndex; token < graph.tokenCount; token++) {
    const rank = graph.tokenRank[token]!;
    const own = graph.tokenPotential[token]!;
    let [inflowMax, unusualMax, surplusMax, outflowMax, isOutlier] = [0, 0, 0, 0, false];
    for (let slot = graph.slotStart[token]!; slot < graph.slotEnd[token]!; slot++) {
      const neighbour = graph.tokenPotential[graph.slotNeighbour[slot]!]!;
      const inflow = rate(graph.slotIn, slot) / neighbour;
      const outflow = rate(graph.slotOut, slot) * neighbour;
      outflowMax = Math.max(outflowMax, outflow);
      if (inflow * own <= GAIN_USUAL) {
        inflowMax = Math.max(inflowMax, inflow);
      } else {
        unusualMax = Math.max(unusualMax, inflow);
        const pool = graph.slotPool[slot]! as PoolIndex;
        const [from, to] = [graph.slotPositions[slot]! & 7, graph.slotPositions[slot]! >> 3];
        const family = families[graph.poolCurve[pool]!]!;
        const all = family.estimateExactIn(pool, from, to, Number.POSITIVE_INFINITY);
        surplusMax = Math.max(surplusMax, all * (1 + ESTIMATE_ERROR));
        isOutlier = true;
      }
      if (outflow > GAIN_USUAL * own) isOutlier = true;
    }
    if (rank === NONE) continue;
    assert.strictEqual(graph.rankPotential[rank], own);
    assert.deepStrictEqual(boundsOf(graph, token), {
      inflow: inflowMax,
      unusualInflow: unusualMax,
      surplus: surplusMax,
      outflow: outflowMax,
    });
    assert.strictEqual(graph.tokenIsOutlier[token], isOutlier ? 1 : 0);
    if (isOutlier) outliers.push(token);
  }
  // Outliers are in the order of ranks, which changes where tokens have become transits.
  assert.deepStrictEqual([...graph.outliers.slice(0, graph.outlierCount)].sort(up), outliers);
}

/** Checks that no bound is below the current edges' rate; gives the number of bounds above it. */
function expectTrueBounds({ graph }: Market): number {
  expectRates(graph);
  const outliers = new Set(graph.outliers.subarray(0, graph.outlierCount));
  let loose = 0;
  for (let token = 0 as TokenIndex; token < graph.tokenCount; token++) {
    const rank = graph.tokenRank[token]!;
    if (rank === NONE) continue;
    const own = graph.tokenPotential[token]!;
    const bounds = boundsOf(graph, token)!;
    let [inflowMax, outflowMax] = [0, 0];
    for (let slot = graph.slotStart[token]!; slot < graph.slotEnd[token]!; slot++) {
      const neighbour = graph.tokenPotential[graph.slotNeighbour[slot]!]!;
      const inflow = rate(graph.slotIn, slot) / neighbour;
      const outflow = rate(graph.slotOut, slot) * neighbour;
      outflowMax = Math.max(outflowMax, outflow);
      const isUsual = inflow * own <= GAIN_USUAL;
      if (isUsual) inflowMax = Math.max(inflowMax, inflow);
      if (!isUsual) {
        assert.isAtLeast(bounds.unusualInflow, inflow);
        assert.isAbove(bounds.surplus, 0);
      }
      if (isUsual && outflow <= GAIN_USUAL * own) continue;
      assert.strictEqual(graph.tokenIsOutlier[token], 1);
      assert.isTrue(outliers.has(token));
    }
    assert.strictEqual(graph.rankPotential[rank], own);
    assert.isAtLeast(bounds.inflow, inflowMax);
    assert.isAtLeast(bounds.outflow, outflowMax);
    loose += +(bounds.inflow > inflowMax || bounds.outflow > outflowMax);
  }
  return loose;
}

/** The bounds of a token; undefined where it is no transit. */
function boundsOf({ rankBounds, tokenRank }: PoolGraph, token: number) {
  const rank = tokenRank[token]!;
  if (rank === NONE) return undefined;
  const [inflow, unusualInflow, surplus, outflow] = rankBounds.subarray(4 * rank, 4 * rank + 4);
  return {
    inflow: inflow!,
    unusualInflow: unusualInflow!,
    surplus: surplus!,
    outflow: outflow!,
  };
}

/** Checks the rates that searches read in place of pieces. */
function expectRates({ slotEnd, slotIn, slotOut, slotRateIn, slotRateOut, ...graph }: PoolGraph) {
  for (let token = 0; token < graph.tokenCount; token++) {
    for (let slot = graph.slotStart[token]!; slot < slotEnd[token]!; slot++) {
      assert.strictEqual(slotRateIn[slot], rate(slotIn, slot));
      assert.strictEqual(slotRateOut[slot], rate(slotOut, slot));
    }
  }
}

/** The best rate of an edge; Infinity without a piece. */
function rate(pieces: Float64Array, slot: number): number {
  const x = pieces[4 * slot]!;
  return x > 0 ? pieces[4 * slot + 1]! / x : Number.POSITIVE_INFINITY;
}

import {
  type MarketBlock,
  type OpenMarket,
  openMarket,
  type QuoteRequest,
  RouteRelevance,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { type Law, law, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { universeBlocks } from "../markets/recordedMarkets.ts";
import { trades } from "../markets/recordedTrades.ts";

/**
 * Requests of real trades, and as many between any two tokens, with all numbers of hops and paths.
 */
function requests({ graph }: OpenMarket, some: Law): QuoteRequest[] {
  const random = some.random();
  return Array.from({ length: some.cases }, (_, index) => {
    const [soldFor, boughtFor, amountIn, amountOut] = random.pick(trades);
    const isTraded = index % 2 === 0;
    const tokenIn = isTraded
      ? graph.findToken(soldFor)!
      : (random.integer(graph.tokenCount) as TokenIndex);
    const away = 1 + random.integer(graph.tokenCount - 1);
    const tokenOut = isTraded
      ? graph.findToken(boughtFor)!
      : (((tokenIn + away) % graph.tokenCount) as TokenIndex);
    const kind = random.pick(["exactIn", "exactIn", "exactOut"] as const);
    const amount = BigInt(kind === "exactIn" ? amountIn : amountOut) || 1n;
    const maxSplits = random.pick([1, 1, 2, 5]);
    return { tokenIn, tokenOut, kind, amount, maxHops: 1 + ((index >> 1) % 4), maxSplits };
  });
}

/** A block's changes as blocks of one change each. */
function oneByOne({ states, ...rest }: MarketBlock): ReadonlyArray<MarketBlock> {
  return states.map((state) => ({ ...rest, states: [state] }));
}

/** Counts of skipped requests, by hops; checks that no skipped request has a new answer. */
function spared(market: OpenMarket, asked: ReadonlyArray<QuoteRequest>, blocks: MarketBlock[]) {
  const byHops = [1, 2, 3, 4].map(() => ({ asked: 0, spared: 0, changed: 0 }));
  const answers = () => asked.map((request) => text(market.router.quote(request)));
  let before = answers();
  for (const block of blocks) {
    const { changedPools, topologyChanged } = market.writer.applyBlock(block);
    expect(topologyChanged).toBe(false);
    const relevance = new RouteRelevance(market.graph, changedPools);
    const after = answers();
    for (const [index, { tokenIn, tokenOut, maxHops = 3 }] of asked.entries()) {
      const counts = byHops[maxHops - 1]!;
      counts.asked++;
      if (after[index] !== before[index]) counts.changed++;
      if (relevance.mayMatter(tokenIn, tokenOut, maxHops)) continue;
      counts.spared++;
      if (after[index] !== before[index]) {
        expect.fail(`${after[index]} of ${text(asked[index])}, which was ${before[index]}`);
      }
    }
    before = after;
  }
  return byHops;
}

/** An answer as text, without its block. */
const text = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) => {
    if (key === "stamp") return undefined;
    return typeof part === "bigint" ? String(part) : part;
  });

describe("the relevance of changed pools, on a recorded market", () => {
  for (const name of ["universe-a", "universe-b"] as const) {
    it(`spares no request of ${name} whose answer a block changes`, async () => {
      const [first, ...blocks] = await universeBlocks(name);
      const market = openMarket(1, curves);
      market.writer.applyBlock(first!);
      const some = law(`relevance of the blocks of ${name}`, 60);
      const byHops = spared(market, requests(market, some), blocks);
      for (const { asked, changed } of byHops) {
        expect(changed).toBeGreaterThanOrEqual(surely(asked / 10));
      }
      expect(byHops[0]!.spared).toBeGreaterThanOrEqual(surely(byHops[0]!.asked / 2));
    });

    it(`spares no request of ${name} whose answer one pool changes`, async () => {
      const [first, ...blocks] = await universeBlocks(name);
      const market = openMarket(1, curves);
      market.writer.applyBlock(first!);
      const some = law(`relevance of single pools of ${name}`, 40);
      const byHops = spared(market, requests(market, some), blocks.flatMap(oneByOne));
      for (const counts of byHops) expect(counts.spared).toBeGreaterThan(0);
    });
  }
});

import { ADDRESS_BYTES, type PoolGraph, runToEnd } from "@millrace/core";
import { law, type RandomSource } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { catalogue, EMPTY_CATALOGUE } from "../src/lists/Catalogue.ts";
import type { Topology } from "../src/prices/Topology.ts";

const CASES = 40;
const GROWTHS = 4;
const TOKENS_MAX = 400;
/** So few that most texts belong to several tokens. */
const TEXTS = ["", "usd", "usdc", "weth", "x"];
const TOKENS_A_POOL = 2;

const addresses = (random: RandomSource, count: number) =>
  Uint8Array.from({ length: ADDRESS_BYTES * count }, () => random.integer(256));
const texts = (random: RandomSource, count: number) =>
  Array.from({ length: count }, () => random.pick(TEXTS));

/** The first so many tokens of a market, and as many pools. */
function topologyOf(count: number, poolAddresses: Uint8Array): Topology {
  const pools = Array.from({ length: count }, (_, pool) => pool);
  return {
    tokenCount: count,
    poolCount: count,
    poolAddresses,
    poolTokenCount: Uint8Array.from(pools, () => TOKENS_A_POOL),
    poolTokenStart: Uint32Array.from(pools, (pool) => TOKENS_A_POOL * pool),
  } as unknown as Topology;
}

describe("the catalogue of a market that grows", () => {
  it("is the one that is made of all at once, with equal ranks for equal texts", () => {
    for (const [, random] of law("catalogues that grow", CASES).sources()) {
      const graph = { tokenAddresses: addresses(random, TOKENS_MAX) } as PoolGraph;
      const poolAddresses = addresses(random, TOKENS_MAX);
      const [symbols, names] = [texts(random, TOKENS_MAX), texts(random, TOKENS_MAX)];
      let grown = EMPTY_CATALOGUE;
      let count = 0;
      for (let growth = 0; growth < GROWTHS; growth++) {
        // Few are inserted, many are merged.
        const mostAdded = random.pick([2, Math.floor(TOKENS_MAX / GROWTHS)]);
        count += random.integer(mostAdded + 1);
        const topology = topologyOf(count, poolAddresses);
        const shown = { symbols: symbols.slice(0, count), names: names.slice(0, count) };
        grown = runToEnd(catalogue(graph, topology, shown, grown));
        expect(grown).toEqual(runToEnd(catalogue(graph, topology, shown, EMPTY_CATALOGUE)));
      }
      for (const [position, token] of grown.tokensBySymbol.entries()) {
        const before = grown.tokensBySymbol[position - 1];
        if (before === undefined) continue;
        const isSame = symbols[before] === symbols[token];
        expect(grown.symbolRank[token]! - grown.symbolRank[before]!).toBe(isSame ? 0 : 1);
      }
    }
  });
});

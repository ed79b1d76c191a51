import { setTimeout } from "node:timers/promises";
import {
  type MarketBlock,
  type OpenMarket,
  openMarket,
  type PoolIndex,
  type QuoteRequest,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import { sink } from "./clock.ts";
import type { Figure } from "./Figure.ts";
import { quoteForSink } from "./market.ts";
import { SeededRandom } from "./SeededRandom.ts";

const FULL = { poolCount: 64_000 };
const SMOKE = { poolCount: 2_000 };

const SEED = 20_261_120;
const QUOTES = 200;
const SETTLE_MS = 100;

/**
 * Memory of a market of constant-product pools. Tokens are applied first and pools after them, so
 * that each growth of the process is theirs alone. Quotes make the search reserve its scratch
 * memory. Needs --expose-gc.
 */
export const memory = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.promise(async () => {
    const { poolCount } = smoke ? SMOKE : FULL;
    await warmUp();
    const listingBytes = await measureListings(poolCount);
    const block = settled(generate(poolCount));
    const market = openMarket(1, curves);
    const empty = await footprint(market);
    market.writer.applyBlock({ ...block, pools: [], states: [] });
    const withTokens = await footprint(market);
    market.writer.applyBlock({ ...block, dexes: [], tokens: [] });
    quoteSome(market);
    const withPools = await footprint(market);
    // Keeps the block alive until here, so that no difference includes its collection.
    const tokenCount = block.tokens.length;
    const pool = perUnit(withTokens, withPools, poolCount);
    const token = perUnit(empty, withTokens, tokenCount);
    return [
      { name: "memory.pools", value: poolCount, unit: "pools" },
      { name: "memory.tokens", value: tokenCount, unit: "tokens" },
      { name: "memory.bytes-per-pool", value: pool.process, unit: "bytes" },
      { name: "memory.bytes-per-pool.graph", value: pool.graph, unit: "bytes" },
      { name: "memory.bytes-per-token", value: token.process, unit: "bytes" },
      { name: "memory.bytes-per-token.graph", value: token.graph, unit: "bytes" },
      { name: "memory.bytes-per-token.listing", value: listingBytes / tokenCount, unit: "bytes" },
    ];
  });

interface Footprint {
  /** JavaScript heap and buffers, shared ones included. */
  readonly process: number;
  readonly graph: number;
}

async function footprint({ graph }: OpenMarket): Promise<Footprint> {
  let bytes = collectedBytes();
  // A background thread frees buffers some time after their owners, so this waits for the last.
  for (let before = Number.POSITIVE_INFINITY; bytes < before; ) {
    await setTimeout(SETTLE_MS);
    before = bytes;
    bytes = Math.min(before, collectedBytes());
  }
  return { process: bytes, graph: graph.byteLength };
}

function collectedBytes(): number {
  globalThis.gc!();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function perUnit(before: Footprint, after: Footprint, count: number): Footprint {
  return {
    process: (after.process - before.process) / count,
    graph: (after.graph - before.graph) / count,
  };
}

/** Bytes of the listings and supplies of tokens, which an engine keeps. */
async function measureListings(poolCount: number): Promise<number> {
  const market = openMarket(1, curves);
  const before = await footprint(market);
  const { tokens, supplies } = settled(generate(poolCount));
  const kept = { tokens: [...tokens], supplies: supplies.map(({ totalSupply }) => totalSupply) };
  const after = await footprint(market);
  sink.value += kept.tokens.length + kept.supplies.length;
  return after.process - before.process;
}

/** The block after a first use, which shrinks its strings; that must not count. */
function settled(block: MarketBlock): MarketBlock {
  openMarket(1, curves).writer.applyBlock(block);
  return block;
}

/** Makes compiled code and lasting buffers of the libraries no part of the growth. */
async function warmUp(): Promise<void> {
  const market = openMarket(1, curves);
  market.writer.applyBlock(generate(2_000));
  quoteSome(market);
  await footprint(market);
}

function generate(poolCount: number): MarketBlock {
  return generateMarketBlock({ seed: SEED, poolCount, families: ["constant-product"] });
}

/** Quotes of all kinds, with and without a filter: scratch memory is reserved at the first need. */
function quoteSome(market: OpenMarket): void {
  const random = new SeededRandom(SEED);
  const { tokenCount } = market.graph;
  for (let index = 0; index < QUOTES; index++) {
    const request: QuoteRequest = {
      tokenIn: random.below(tokenCount) as TokenIndex,
      tokenOut: (index % 2) as TokenIndex, // a hub
      kind: index % 4 < 2 ? "exactIn" : "exactOut",
      amount: 1_000_000n,
      maxHops: 4,
      ...(index % 8 === 0 ? { filter: { withoutPools: [0 as PoolIndex] } } : {}),
    };
    if (request.tokenIn !== request.tokenOut) sink.value += quoteForSink(market, request);
  }
}

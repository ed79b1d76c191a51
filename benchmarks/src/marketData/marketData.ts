import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { runChild } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { openGenerated } from "./openGenerated.ts";
import { timePages } from "./pages.ts";
import { timePriceUpdates } from "./priceUpdates.ts";
import { timeSaving } from "./saving.ts";
import { timeSearches } from "./searches.ts";
import { timeHistory, timeSwapBlocks } from "./swapBlocks.ts";
import { loadTokens } from "./tokenAnswers.ts";
import type { TokenMemory } from "./tokenMemory.ts";

const MEMORY = fileURLToPath(new URL("./tokenMemory.ts", import.meta.url));

/**
 * Two kinds of swaps: a busy block's, in a market of the size that is loaded of Ethereum, and the
 * worst case, evenly over all pools of a market with 100,000 tokens.
 */
const FULL = {
  busyPoolCount: 5_000,
  poolCount: 143_000,
  touched: 160,
  pastBlocks: 400,
  pastSwaps: 500,
  swaps: 20_000,
  swapWarmUps: 2,
  swapRounds: 9,
  blockWarmUps: 10,
  blocks: 41,
  pageWarmUps: 2,
  pageBlocks: 9,
  searches: 200,
  searchWarmUps: 3,
  searchRounds: 11,
  saves: 5,
  addresses: 2_000,
  loads: 5,
  loadSeconds: 5,
};
const SMOKE: typeof FULL = {
  busyPoolCount: 500,
  poolCount: 2_000,
  touched: 160,
  pastBlocks: 20,
  pastSwaps: 50,
  swaps: 500,
  swapWarmUps: 0,
  swapRounds: 2,
  blockWarmUps: 1,
  blocks: 3,
  pageWarmUps: 0,
  pageBlocks: 2,
  searches: 10,
  searchWarmUps: 0,
  searchRounds: 2,
  saves: 1,
  addresses: 100,
  loads: 1,
  loadSeconds: 0.3,
};

/**
 * Market data of a large market: blocks of swaps, prices of a block, pages, searches, memory, the
 * cost of a restart, and the service's answers over HTTP.
 */
export const marketData = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.gen(function* () {
    const sizes = smoke ? SMOKE : FULL;
    const memory = yield* measureMemory(sizes);
    const times = yield* Effect.tryPromise({
      try: () => timeInProcess(sizes),
      catch: (cause) =>
        cause instanceof BenchmarkError ? cause : new BenchmarkError({ message: String(cause) }),
    });
    return [...times, ...memory, ...(yield* loadTokens(smoke, sizes))];
  });

async function timeInProcess(sizes: typeof FULL): Promise<ReadonlyArray<Figure>> {
  const busy = openGenerated(sizes.busyPoolCount);
  const busySwaps = await timeSwapBlocks("busy", busy, "busy", sizes);
  busy.data.close();
  const large = openGenerated(sizes.poolCount);
  const { tokenCount, poolCount } = large.generated.market.graph;
  return [
    ...busySwaps,
    { name: "market-data.tokens", value: tokenCount, unit: "tokens" },
    { name: "market-data.pools", value: poolCount, unit: "pools" },
    { name: "market-data.open", value: large.openedMs, unit: "ms" },
    ...(await timeHistory(large, sizes)),
    ...(await timeSwapBlocks("even", large, "even", sizes)),
    ...(await timePriceUpdates(large, sizes)),
    ...(await timePages(large, sizes)),
    ...timeSearches(large, sizes),
    ...(await timeSaving(large, sizes)),
  ];
}

/** Bytes for each token, in a process with nothing else in it. */
const measureMemory = Effect.fnUntraced(function* (sizes: typeof FULL) {
  const { poolCount, pastBlocks, pastSwaps } = sizes;
  const args = ["--disable-warning=ExperimentalWarning", "--expose-gc", MEMORY];
  const numbers = [poolCount, pastBlocks, pastSwaps].map(String);
  const output = yield* runChild(process.execPath, [...args, ...numbers]);
  const { tokens, idleBytes, tradedBytes } = JSON.parse(output) as TokenMemory;
  return [
    { name: "market-data.bytes-per-token.idle", value: idleBytes / tokens, unit: "bytes" },
    { name: "market-data.bytes-per-token", value: tradedBytes / tokens, unit: "bytes" },
  ] satisfies ReadonlyArray<Figure>;
});

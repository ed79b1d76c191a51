import { setTimeout } from "node:timers/promises";
import type { TokenIndex } from "@millrace/core";
import { GeneratedMarket } from "./GeneratedMarket.ts";
import { SwapTraffic } from "./SwapTraffic.ts";

// A program: bytes of market data without the market itself and with hardly any candles and trades,
// before and after a day of swaps. Needs --expose-gc.
const [poolCount, pastBlocks, pastSwaps] = process.argv.slice(2).map(Number);

const SETTLE_MS = 100;
const DAY_MS = 23 * 3_600_000;
const LIVE_BLOCKS = 5;
const TOUCHED = 160;
/** Hardly any: the memory of these budgets is not measured. */
const BUDGETS = { tradesMax: 1, candleBytes: 1 << 16 };

export interface TokenMemory {
  readonly tokens: number;
  readonly idleBytes: number;
  readonly tradedBytes: number;
}

await measureOnce(2_000, 10, 10); // compiled code and lasting buffers of libraries are no growth
process.stdout.write(`${JSON.stringify(await measureOnce(poolCount!, pastBlocks!, pastSwaps!))}\n`);

async function measureOnce(pools: number, blocks: number, swaps: number): Promise<TokenMemory> {
  const generated = new GeneratedMarket(pools);
  const traffic = new SwapTraffic(generated);
  const past = traffic.past(blocks, swaps, DAY_MS);
  const before = await collectedBytes();
  const data = generated.openData(BUDGETS);
  const idle = await collectedBytes();
  generated.publish(generated.apply(traffic.block([], [], past)));
  data.settle();
  for (let block = 0; block < LIVE_BLOCKS; block++) {
    const moved = traffic.draw(TOUCHED, 1);
    generated.publish(generated.apply(traffic.block(moved, moved)));
    data.settle();
    data.search("token", 50);
    data.tokens({ page: 1, limit: 50, sort: "-volume24h" });
  }
  const traded = await collectedBytes();
  // Keeps all of them alive until here, so that no difference includes their collection.
  if (data.tokenWindows(0 as TokenIndex)["24h"].transactions === 0 || past.length !== blocks) {
    throw new Error("nothing has traded");
  }
  data.close();
  const tokens = generated.market.graph.tokenCount;
  return { tokens, idleBytes: idle - before, tradedBytes: traded - before };
}

/** The JavaScript heap and its external memory, once collections free nothing more. */
async function collectedBytes(): Promise<number> {
  for (let least = Number.POSITIVE_INFINITY; ; ) {
    globalThis.gc!();
    const { heapUsed, external } = process.memoryUsage();
    if (heapUsed + external >= least) return least;
    least = heapUsed + external;
    // A background thread frees buffers some time after their owners.
    await setTimeout(SETTLE_MS);
  }
}

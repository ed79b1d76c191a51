import { setImmediate } from "node:timers/promises";
import type { MarketBlock } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { GeneratedMarket } from "./GeneratedMarket.ts";

const SETTLE_MS_MAX = 60_000;

/** Milliseconds that a block took. */
export interface BlockTimes {
  /** The graph's own part, before market data has the block. */
  readonly graph: number;
  /** The call that gives it to market data: nothing else runs meanwhile. */
  readonly published: number;
  /** From that call until no work of the block is left. */
  readonly settled: number;
  /** The longest wait of a request during that time. */
  readonly longest: number;
}

/** Applies a block, in an event loop with nothing else to do, and waits until it is served. */
export async function timeBlock(
  generated: GeneratedMarket,
  data: MarketData,
  block: MarketBlock,
): Promise<BlockTimes> {
  const before = performance.now();
  const applied = generated.apply(block);
  const start = performance.now();
  generated.publish(applied);
  let last = performance.now();
  const published = last - start;
  let longest = published;
  while (isWorkLeft()) {
    await setImmediate();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (now - start > SETTLE_MS_MAX) {
      throw new BenchmarkError({ message: `block ${block.stamp.number} does not settle` });
    }
  }
  checkSwaps(generated, data, block);
  return { graph: start - before, published, settled: last - start, longest };
}

/** Market data defers work to the next turn of the event loop. */
function isWorkLeft(): boolean {
  return process.getActiveResourcesInfo().includes("Immediate");
}

/** Checks that no swap was deferred for longer or dropped, since that would not be measured. */
function checkSwaps({ market }: GeneratedMarket, data: MarketData, { stamp, swaps }: MarketBlock) {
  const last = swaps.at(-1);
  if (last === undefined) return;
  const [newest] = data.trades(market.graph.findPool(last.pool)!, 1);
  if (newest?.id === `${stamp.number}-${last.logIndex}`) return;
  throw new BenchmarkError({ message: `swaps of block ${stamp.number} are not served` });
}

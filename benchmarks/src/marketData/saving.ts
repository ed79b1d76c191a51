import type { TokenIndex } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { median } from "../statistics.ts";
import { GeneratedMarket } from "./GeneratedMarket.ts";
import type { Opened } from "./openGenerated.ts";

/** Pools of the market in which a saved state is opened: valuing so few takes no time. */
const SMALL_MARKET = 10;

/** The cost of keeping windows, trades and candles over a restart. */
export async function timeSaving(
  { generated, data }: Opened,
  sizes: { readonly saves: number },
): Promise<ReadonlyArray<Figure>> {
  const savesMs: number[] = [];
  const opensMs: number[] = [];
  let bytes = 0;
  const small = new GeneratedMarket(SMALL_MARKET);
  // Windows end with the market's block.
  small.apply({ ...small.first, stamp: generated.market.graph.stamp, pools: [], states: [] });
  for (let round = 0; round < sizes.saves; round++) {
    const start = performance.now();
    const saved = await data.saveInSlices();
    savesMs.push(performance.now() - start);
    bytes = saved.byteLength;
    const before = performance.now();
    const opened = small.openData({ saved });
    opensMs.push(performance.now() - before);
    checkSame(data, opened);
    opened.close();
  }
  return [
    { name: "market-data.save.time", value: median(savesMs), unit: "ms" },
    { name: "market-data.save.size", value: bytes / 1e6, unit: "MB" },
    { name: "market-data.restore.time", value: median(opensMs), unit: "ms" },
  ];
}

/** Dropping data would take no time: checks that volumes were restored. */
function checkSame(data: MarketData, opened: MarketData): void {
  const hub = 0 as TokenIndex;
  const was = data.tokenWindows(hub)["24h"];
  const is = opened.tokenWindows(hub)["24h"];
  if (was.transactions > 0 && was.volumeUsd === is.volumeUsd) return;
  throw new BenchmarkError({ message: "what was saved was not restored" });
}

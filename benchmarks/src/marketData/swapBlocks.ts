import type { PoolIndex, TokenIndex } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../benchmarks.ts";
import { median } from "../statistics.ts";
import type { MarketGround } from "./MarketGround.ts";
import type { Spread, SwapTraffic } from "./SwapTraffic.ts";
import { type BlockTimes, timeBlock } from "./timeBlock.ts";

const HISTORY_MS = 23 * 3_600_000;
const HUB = 0 as TokenIndex;

/** A day of swaps, told late and all at once: what a service that starts has to take in. */
export async function timeHistory(
  ground: MarketGround,
  data: MarketData,
  traffic: SwapTraffic,
  sizes: { readonly pastBlocks: number; readonly pastSwaps: number },
): Promise<ReadonlyArray<Figure>> {
  const past = traffic.past(sizes.pastBlocks, sizes.pastSwaps, HISTORY_MS);
  const hub = ground.market.graph.tokenAddress(HUB);
  const swapsOfHub = past
    .flatMap(({ swaps }) => swaps)
    .filter(({ tokenIn, tokenOut }) => tokenIn === hub || tokenOut === hub).length;
  const times = await timeBlock(ground, data, traffic.block([], [], past));
  const { buys, sells } = data.tokenWindows(HUB)["24h"];
  if (buys + sells !== swapsOfHub) {
    throw new BenchmarkError({ message: `${buys + sells} of ${swapsOfHub} swaps are told` });
  }
  return [
    {
      name: "market-data.history.swaps",
      value: sizes.pastBlocks * sizes.pastSwaps,
      unit: "swaps",
    },
    { name: "market-data.history.total", value: times.settled, unit: "ms" },
    { name: "market-data.history.longest", value: times.longest, unit: "ms" },
  ];
}

/** Blocks of many swaps: what windows, trades and candles take of them, and with the prices too. */
export async function timeSwapBlocks(
  ground: MarketGround,
  data: MarketData,
  traffic: SwapTraffic,
  sizes: { readonly swaps: number; readonly swapWarmUps: number; readonly swapRounds: number },
): Promise<ReadonlyArray<Figure>> {
  const figures: Figure[] = [
    { name: "market-data.swaps.count", value: sizes.swaps, unit: "swaps" },
  ];
  for (const spread of ["busy", "even"] satisfies ReadonlyArray<Spread>) {
    const swapsAlone: BlockTimes[] = [];
    const whole: BlockTimes[] = [];
    const touched: number[] = [];
    for (let round = -sizes.swapWarmUps; round < sizes.swapRounds; round++) {
      const swapped = traffic.drawSwapped(sizes.swaps, spread);
      const pools: ReadonlyArray<PoolIndex> = [...new Set(swapped)];
      const alone = await timeBlock(ground, data, traffic.block([], swapped));
      const both = await timeBlock(ground, data, traffic.block(pools, swapped));
      if (round < 0) continue;
      swapsAlone.push(alone);
      whole.push(both);
      touched.push(pools.length);
    }
    const of = (what: string, value: number, unit = "ms") => {
      figures.push({ name: `market-data.swaps.${spread}.${what}`, value, unit });
    };
    of("pools", median(touched), "pools");
    of("applied", median(swapsAlone.map(({ settled }) => settled)));
    of("longest", median(swapsAlone.map(({ longest }) => longest)));
    of("longest.worst", Math.max(...swapsAlone.map(({ longest }) => longest)));
    of("with-prices", median(whole.map(({ settled }) => settled)));
    of("with-prices.longest", median(whole.map(({ longest }) => longest)));
    of("graph", median(whole.map(({ graph }) => graph)));
  }
  return figures;
}

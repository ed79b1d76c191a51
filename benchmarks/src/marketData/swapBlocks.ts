import type { PoolIndex, TokenIndex } from "@millrace/core";
import { BenchmarkError } from "../BenchmarkError.ts";
import type { Figure } from "../Figure.ts";
import { median } from "../statistics.ts";
import type { Opened } from "./openGenerated.ts";
import type { Spread } from "./SwapTraffic.ts";
import { type BlockTimes, timeBlock } from "./timeBlock.ts";

const HISTORY_MS = 23 * 3_600_000;
const HUB = 0 as TokenIndex;

/** A day of past swaps, published at once, as when a service starts. */
export async function timeHistory(
  { generated, data, traffic }: Opened,
  sizes: { readonly pastBlocks: number; readonly pastSwaps: number },
): Promise<ReadonlyArray<Figure>> {
  const past = traffic.past(sizes.pastBlocks, sizes.pastSwaps, HISTORY_MS);
  const hub = generated.market.graph.tokenAddress(HUB);
  const swapsOfHub = past
    .flatMap(({ swaps }) => swaps)
    .filter(({ tokenIn, tokenOut }) => tokenIn === hub || tokenOut === hub).length;
  const times = await timeBlock(generated, data, traffic.block([], [], past));
  const { buys, sells } = data.tokenWindows(HUB)["24h"];
  if (buys + sells !== swapsOfHub) {
    throw new BenchmarkError({ message: `${buys + sells} of ${swapsOfHub} swaps are served` });
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

/**
 * Blocks of many swaps, and empty blocks in turn: the difference is the time of windows, trades and
 * candles. `with-prices`: the same swaps also moved the pools.
 */
export async function timeSwapBlocks(
  name: string,
  { generated, data, traffic }: Opened,
  spread: Spread,
  sizes: { readonly swaps: number; readonly swapWarmUps: number; readonly swapRounds: number },
): Promise<ReadonlyArray<Figure>> {
  const empty: BlockTimes[] = [];
  const swapsAlone: BlockTimes[] = [];
  const whole: BlockTimes[] = [];
  const touched: number[] = [];
  for (let round = -sizes.swapWarmUps; round < sizes.swapRounds; round++) {
    const swapped = traffic.drawSwapped(sizes.swaps, spread);
    const pools: ReadonlyArray<PoolIndex> = [...new Set(swapped)];
    const times = [
      await timeBlock(generated, data, traffic.block([])),
      await timeBlock(generated, data, traffic.block([], swapped)),
      await timeBlock(generated, data, traffic.block(pools, swapped)),
    ] as const;
    if (round < 0) continue;
    empty.push(times[0]);
    swapsAlone.push(times[1]);
    whole.push(times[2]);
    touched.push(pools.length);
  }
  const settled = (times: ReadonlyArray<BlockTimes>) => times.map((one) => one.settled);
  const added = settled(swapsAlone).map((ms, round) => ms - empty[round]!.settled);
  const longest = swapsAlone.map((one) => one.longest);
  const of = (what: string, value: number, unit = "ms") => ({
    name: `market-data.swaps.${name}.${what}`,
    value,
    unit,
  });
  return [
    of("count", sizes.swaps, "swaps"),
    of("pools", median(touched), "pools"),
    of("applied", median(added)),
    of("longest", median(longest)),
    of("longest.worst", Math.max(...longest)),
    of("empty-block", median(settled(empty))),
    of("with-prices", median(settled(whole))),
    of("with-prices.longest", median(whole.map((one) => one.longest))),
    of("graph", median(whole.map((one) => one.graph))),
  ];
}

import type { Figure } from "../Figure.ts";
import { median, quantile } from "../statistics.ts";
import type { Opened } from "./openGenerated.ts";
import { type BlockTimes, timeBlock } from "./timeBlock.ts";

/** How many of the pools that a block touches are between hubs, whose prices carry all others. */
const HUB_POOLS = { random: 0, hubs: 20 };

/** The cost of updating prices after a block that touches some pools of a large market. */
export async function timePriceUpdates(
  { generated, data, traffic }: Opened,
  sizes: { readonly touched: number; readonly blockWarmUps: number; readonly blocks: number },
): Promise<ReadonlyArray<Figure>> {
  const figures: Figure[] = [
    { name: "market-data.prices.touched", value: sizes.touched, unit: "pools" },
  ];
  for (const [kind, hubPools] of Object.entries(HUB_POOLS)) {
    const times: BlockTimes[] = [];
    for (let block = -sizes.blockWarmUps; block < sizes.blocks; block++) {
      const next = traffic.block(traffic.draw(sizes.touched, hubPools));
      const one = await timeBlock(generated, data, next);
      if (block >= 0) times.push(one);
    }
    const settled = times.map((one) => one.settled);
    const of = (what: string, value: number) => {
      figures.push({ name: `market-data.prices.${kind}.${what}`, value, unit: "ms" });
    };
    of("published", median(times.map(({ published }) => published)));
    of("settled", median(settled));
    of("settled.p99", quantile(settled, 0.99));
    of("longest", median(times.map(({ longest }) => longest)));
    of("graph", median(times.map(({ graph }) => graph)));
  }
  return figures;
}

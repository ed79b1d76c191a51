import type { Rows } from "./Quote.ts";

const p50of = (name: string) => `p50 {${name}}, p99 {${name}.p99}`;
const p50 = (name: string) => `p50 {${name}.p50}, p99 {${name}.p99}`;

/** Quotes, blocks, cycles, memory and swaps: all in one process. */
export const engineTables: Readonly<Record<string, Rows>> = {
  quotes: [
    ["pools of the recorded market", "{route-search.pools}"],
    ["whole quote (search and exact pass), 3 hops", p50("route-search.universe-a")],
    ["1 hop", p50("route-search.1-hops")],
    ["2 hops", p50("route-search.2-hops")],
    ["4 hops", p50("route-search.4-hops")],
    ["exact output, 3 hops", p50("route-search.exact-out")],
    ["a plain float-only layered search, 3 hops, in turn", p50("route-search.layered")],
    ["ours in units of that, median over the rounds", "{route-search.ratio}"],
    ["of the trades, those that have a route", "{route-search.answered}"],
    ["of each time, the clock itself", "{route-search.clock}"],
    [
      "old space before and after {route-search.heap.quotes} quotes",
      "{route-search.heap.old-space.before}, {route-search.heap.old-space.after}",
    ],
  ],
  growth: ["1k", "4k", "16k", "64k"].flatMap((size): Rows => {
    const pools = `${size.replace("k", ",000")} pools`;
    const name = `growth.${size}`;
    return [
      [`${pools}: hub to hub, 3 hops`, p50of(`${name}.hub-to-hub`)],
      [`${pools}: between random tokens`, p50of(`${name}.random`)],
      [`${pools}: hub to hub, in sweeps over all edges, same rounds`, `{${name}.ratio}`],
    ];
  }),
  families: [
    ["hubs", "hub to hub"],
    ["random", "between random tokens"],
  ].flatMap(([kind, title]): Rows => {
    const name = `mixed-families.16k.${kind}`;
    return [
      [`16,000 pools, a quarter of further families: ${title}, 3 hops`, p50of(name)],
      [
        "the same in units of a market of Uniswap V2's and V3's families alone: p50, p99",
        `{${name}.ratio}, {${name}.p99.ratio}`,
      ],
    ];
  }),
  "all-families": [
    ...[
      ["hubs", "hub to hub"],
      ["random", "between random tokens"],
    ].map(
      ([kind, title]) =>
        [
          `4,000 pools of all families: ${title}, 3 hops`,
          p50of(`all-families.4k.${kind}`),
        ] as const,
    ),
    ...[
      ["constant-product", "x·y = k"],
      ["concentrated-liquidity", "ticks"],
      ["solidly-stable", "Solidly's stable curve"],
      ["stable-swap", "Curve's StableSwap, up to 4 tokens"],
      ["crypto-swap", "Curve's crypto pools"],
      ["weighted", "Balancer's weighted pools"],
      ["balancer-stable", "Balancer's stable pools"],
    ].map(
      ([curve, title]) =>
        [`exact quote of one pool: ${title}`, p50of(`all-families.pool.${curve}`)] as const,
    ),
  ],
  "split-gains": [
    ["whole quote, up to 8 paths of up to 3 pools", p50("splits.universe-a")],
    ["gain below 1,000 dollars, mean, bp", "{splits.universe-a.gain.below-1k-usd}"],
    ["gain from 1,000 dollars", "{splits.universe-a.gain.1k-to-10k-usd}"],
    ["gain from 10,000 dollars", "{splits.universe-a.gain.10k-to-100k-usd}"],
    ["gain from 100,000 dollars", "{splits.universe-a.gain.from-100k-usd}"],
    ["quotes that give less than the best path", "{splits.universe-a.below-single-path}"],
  ],
  blocks: [
    [
      "{block-apply.universe-a.states} recorded pool updates applied as one block",
      p50("block-apply.universe-a"),
    ],
    ["the same with the caches of all pools filled", p50("block-apply.after-quotes")],
    ["the first quotes after the block", p50("block-apply.quotes-after-block")],
    ["the same quotes again", p50("block-apply.quotes-warmed")],
  ],
  cycles: [
    ["universe-a", "recorded market"],
    ["4k", "4,000 generated pools"],
    ["64k", "64,000 generated pools"],
  ].flatMap(
    ([name, title]): Rows => [
      [`${title}: cycles of up to 3 pools, followed`, p50(`cycles.${name}.3-hops.followed`)],
      [`${title}: found anew`, p50(`cycles.${name}.3-hops.anew`)],
      [`${title}: cycles of up to 4 pools, followed`, p50(`cycles.${name}.4-hops.followed`)],
      [`${title}: found anew`, p50(`cycles.${name}.4-hops.anew`)],
    ],
  ),
  memory: [
    ["a pool, of {memory.pools} constant-product pools", "{memory.bytes-per-pool}"],
    ["of which the graph", "{memory.bytes-per-pool.graph}"],
    ["a token, of {memory.tokens}", "{memory.bytes-per-token}"],
    ["what is said of it besides: symbol, name, supply", "{memory.bytes-per-token.listing}"],
  ],
  swaps: [
    ["building a swap, one path", p50("swaps.build.1-path")],
    ["one path, exact output", p50("swaps.build.1-path-exact-out")],
    ["up to 8 paths", p50("swaps.build.8-paths")],
  ],
};

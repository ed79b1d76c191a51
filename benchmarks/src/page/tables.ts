import { POOL_COUNTS, pairings, TRADE_SIZES } from "../peers/libraries.ts";
import { formatMachine } from "../results/Machine.ts";
import { dateOf } from "../results/Result.ts";
import { GAS_ROUTES } from "../swaps/gasRoutes.ts";
import { engineTables } from "./engineTables.ts";
import type { Quote, Rows } from "./Quote.ts";
import { serviceTables } from "./serviceTables.ts";

const MINUTE = 60;

/** For readers of README. */
const SUMMARY: Rows = [
  [
    "quote, best path of up to 3 pools, recorded Ethereum market",
    "p50 {route-search.universe-a.p50}, p99 {route-search.universe-a.p99}",
  ],
  ["the same split over up to 8 paths", "p50 {splits.universe-a.p50}, p99 {splits.universe-a.p99}"],
  [
    "a block of {block-apply.universe-a.states} pool updates applied",
    "{block-apply.universe-a.p50}",
  ],
  [
    "from the announcement of a live block to its quotes",
    "p50 {live-chain.block.p50}, p99 {live-chain.block.p99}",
  ],
  [
    "`POST /ETH/quote`, 64 connections",
    "{http-quote.service}, p50 {http-quote.service.p50}, p99 {http-quote.service.p99}",
  ],
  [
    "{streams.prices.universe-a.subscribers} price subscribers: from a block to the last one's read",
    "p50 {streams.prices.universe-a.read.p50}",
  ],
  [
    "at three times the load that can be answered: answers, the rest",
    "p99 {overload.offered.3.p99}, {overload.offered.3.answered} of what can be answered",
  ],
  [
    "faster than `@uniswap/router-sdk`, 4,000 pools; `@pancakeswap/smart-router`, split",
    "{peers.router-sdk.4000.speedup} times; {peers.smart-router.4000.speedup} times",
  ],
];

/** Markdown by the name of the place in a document that holds it. */
export const TABLES: Readonly<Record<string, (quote: Quote) => string>> = {
  source,
  runs,
  summary: (quote) => `${measured(SUMMARY)(quote)}\n\n${source(quote)}`,
  ...mapTables({ ...engineTables, ...serviceTables }),
  "split-quality": splitQuality,
  "swap-gas": swapGas,
  peers,
  "peers-by-size": peersBySize,
};

function mapTables(tables: Readonly<Record<string, Rows>>) {
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, measured(rows)]));
}

function measured(rows: Rows): (quote: Quote) => string {
  return (quote) => quote.table(["what", "measured"], rows);
}

/** Commit, machine, date and command. */
function source({ result, missing }: Quote): string {
  const { commit, machine, node } = result;
  const day = dateOf(result).slice(0, 10);
  const incomplete =
    missing.length > 0 ? ` Not measured at this commit: ${missing.join(", ")}.` : "";
  return `Measured with \`npm run bench\` at commit \`${commit.slice(0, 7)}\` on ${day}: ${formatMachine(machine, node)}.${incomplete}`;
}

/** Each benchmark's command, and how long it took. */
function runs(quote: Quote): string {
  const entries = Object.entries(quote.result.runs);
  const total = entries.reduce((sum, [, { seconds }]) => sum + (seconds ?? 0), 0);
  return quote.table(
    ["command", "took", "ended (UTC)"],
    [
      ...entries.map(([name, { seconds, date }]) => [
        `\`npm run bench -- ${name}\``,
        seconds === undefined ? "" : formatDuration(seconds),
        date.slice(0, 16).replace("T", " "),
      ]),
      ["all: `npm run bench`", formatDuration(total), ""],
    ],
  );
}

function formatDuration(seconds: number): string {
  return seconds < MINUTE ? `${Math.round(seconds)} s` : `${(seconds / MINUTE).toFixed(1)} min`;
}

const CONFIGURATIONS = [
  ["1-path", "one path of up to 3 pools"],
  ["12-paths", "up to 12 paths of up to 3 pools"],
  ["64-paths", "up to 64 paths of up to 4 pools"],
  ["unlimited", "any number of paths of up to 4 pools, no gas limit"],
] as const;

function splitQuality(quote: Quote): string {
  const rows = ["4k", "16k"].flatMap((size) =>
    CONFIGURATIONS.map(([name, title]) => {
      const prefix = `splits.${size}.${name}`;
      return [
        `${size.replace("k", ",000")} pools, ${title}`,
        `{${prefix}.quality}`,
        `{${prefix}.quality-10%}`,
        `{${prefix}.p50}`,
        `{${prefix}.p99}`,
      ];
    }),
  );
  return quote.table(["what", "mean", "trades of 10 %", "p50", "p99"], rows);
}

function swapGas(quote: Quote): string {
  const rows = GAS_ROUTES.map(({ name, title }) => {
    const of = (router: string) => `{swaps.gas.${name}.${router}?}`;
    const columns = ["executor", "executor-estimate", "universal-router", "older-router"];
    return [title, ...columns.map(of), of("executor-to-older")];
  });
  const head = ["route", "executor", "estimate", "Universal Router"];
  return quote.table([...head, "Router02 / SwapRouter02", "executor to the latter"], rows);
}

function peers(quote: Quote): string {
  const rows = pairings(POOL_COUNTS).map(({ library: { name, title }, poolCount }) => {
    const prefix = `peers.${name}.${poolCount}`;
    const gainOf = (size: string) => {
      const gain = `${prefix}.${size}.gain-bps`;
      return quote.valueOf(gain) === undefined ? "" : `{${gain}} ({${gain}-mean})`;
    };
    return [
      title,
      String(poolCount),
      ...["latency", "ours", "speedup"].map((what) => `{${prefix}.${what}?}`),
      ...TRADE_SIZES.map((size) => gainOf(size.name)),
      ...["queries", "answered", "ours-answered"].map((what) => `{${prefix}.${what}}`),
      `{${prefix}.output-worse-count}`,
    ];
  });
  const gains = TRADE_SIZES.map(({ name }) => `gain at ${name}, bp`);
  const head = ["library", "pools", "theirs", "ours", "times faster", ...gains];
  return quote.table([...head, "queries", "both answered", "ours answered", "ours less"], rows);
}

function peersBySize(quote: Quote): string {
  const rows = pairings(POOL_COUNTS).flatMap(({ library: { name, title }, poolCount }) =>
    TRADE_SIZES.map((size) => {
      const prefix = `peers.${name}.${poolCount}.${size.name}`;
      return [
        title,
        String(poolCount),
        size.name,
        ...["latency", "ours", "speedup"].map((what) => `{${prefix}.${what}?}`),
        ...["better", "equal", "worse"].map((what) => `{${prefix}.output-${what}-count}`),
      ];
    }),
  );
  const head = ["library", "pools", "trade", "theirs", "ours", "times faster"];
  return quote.table([...head, "ours more", "equal", "ours less"], rows);
}

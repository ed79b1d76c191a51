import type { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import type { Figure } from "./Figure.ts";

/**
 * Measures, in a process of its own. `smoke` takes sizes too small to mean much. `minutes` replaces
 * the duration of those that have one.
 */
type Benchmark = (
  smoke: boolean,
  minutes?: number,
) => Effect.Effect<ReadonlyArray<Figure>, BenchmarkError>;

interface Entry {
  readonly load: () => Promise<Benchmark>;
  readonly nodeOptions: ReadonlyArray<string>;
}

const COLLECTS = ["--expose-gc"];

/** Every benchmark by its name, in the order in which all are run. */
export const BENCHMARKS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  [
    "route-search",
    { load: async () => (await import("./routeSearch.ts")).routeSearch, nodeOptions: COLLECTS },
  ],
  ["growth", { load: async () => (await import("./growth.ts")).growth, nodeOptions: [] }],
  [
    "mixed-families",
    {
      load: async () => (await import("./mixedFamilies.ts")).mixedFamilies,
      nodeOptions: [],
    },
  ],
  [
    "all-families",
    { load: async () => (await import("./allFamilies.ts")).allFamilies, nodeOptions: [] },
  ],
  ["swaps", { load: async () => (await import("./swaps/swaps.ts")).swaps, nodeOptions: [] }],
  ["splits", { load: async () => (await import("./splits/splits.ts")).splits, nodeOptions: [] }],
  [
    "block-apply",
    { load: async () => (await import("./blockApply.ts")).blockApply, nodeOptions: [] },
  ],
  ["cycles", { load: async () => (await import("./cycles.ts")).cycles, nodeOptions: [] }],
  ["memory", { load: async () => (await import("./memory.ts")).memory, nodeOptions: COLLECTS }],
  ["peers", { load: async () => (await import("./peers/peers.ts")).peers, nodeOptions: [] }],
  [
    "http-quote",
    { load: async () => (await import("./http/httpQuote.ts")).httpQuote, nodeOptions: [] },
  ],
  [
    "serving-threads",
    {
      load: async () => (await import("./serving/servingCost.ts")).servingCost,
      nodeOptions: [],
    },
  ],
  [
    "overload",
    { load: async () => (await import("./overload/overload.ts")).overload, nodeOptions: [] },
  ],
  ["costs", { load: async () => (await import("./costs/costs.ts")).costs, nodeOptions: [] }],
  [
    "hostile",
    { load: async () => (await import("./hostile/hostile.ts")).hostile, nodeOptions: [] },
  ],
  ["tail", { load: async () => (await import("./overload/tail.ts")).tail, nodeOptions: [] }],
  [
    "market-data",
    {
      load: async () => (await import("./marketData/marketData.ts")).marketData,
      nodeOptions: [],
    },
  ],
  [
    "streams",
    { load: async () => (await import("./streams/streams.ts")).streams, nodeOptions: [] },
  ],
  [
    "live-chain",
    { load: async () => (await import("./chain/liveChain.ts")).liveChain, nodeOptions: [] },
  ],
  [
    "history",
    { load: async () => (await import("./history/history.ts")).history, nodeOptions: [] },
  ],
  ["feed", { load: async () => (await import("./feed/feed.ts")).feed, nodeOptions: [] }],
  ["resident", { load: async () => (await import("./resident.ts")).resident, nodeOptions: [] }],
  ["soak", { load: async () => (await import("./soak/soak.ts")).soak, nodeOptions: [] }],
]);

import type { PoolFamily } from "../../Curve.ts";
import type { PoolGraph } from "../../graph/PoolGraph.ts";
import { gasCost, netOf } from "../netOf.ts";
import { PoolMask } from "../PoolMask.ts";
import type { Certificate, PoolFilter, Quote, QuoteRequest } from "../quote.ts";
import { EdgeBounds } from "./EdgeBounds.ts";
import { SharedPools } from "./SharedPools.ts";
import { TokenWorths } from "./TokenWorths.ts";

/** Twice what floats may be off by: four estimates and a few products (`ESTIMATE_ERROR`). */
const ERROR = 2 ** -32;
/** Swaps of one transaction: rounding may give something to the trader in each of them. */
const SWAPS_MAX = 1_024;
/** Worths of tokens that raise each other without end are left as they are after so many times. */
const PASSES_MAX = 8;

/**
 * Bounds what any routing could give: weak duality at the prices where a route leaves the market.
 * Each edge's curve lies below a straight line (`EdgeBounds`). Along straight lines a unit of the
 * origin gives at most the greatest product of slopes over any path, and what the lines give for
 * nothing is worth at most the best product from there on. At the best split of all, and only
 * there, this is what the split gives.
 */
export class Certifier {
  readonly #mask: PoolMask;
  readonly #edges: EdgeBounds;
  readonly #worths: TokenWorths;
  readonly #shared: SharedPools;
  readonly #leastGas: number;

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#mask = new PoolMask(graph);
    this.#edges = new EdgeBounds(graph, families);
    this.#worths = new TokenWorths(graph, this.#mask, this.#edges);
    this.#shared = new SharedPools(graph, families, this.#mask, this.#worths);
    this.#leastGas = Math.min(...families.map(({ leastGas }) => leastGas));
  }

  /**
   * Of the answer to a request, while the market is as it was for it; undefined where there is no
   * bound, as floats cannot hold the prices.
   */
  certify(request: QuoteRequest, quote: Quote): Certificate | undefined {
    const { dexSets, ...filter } = request.filter ?? {};
    const isExactIn = request.kind === "exactIn";
    let bound: bigint | undefined;
    for (const set of dexSets ?? [undefined]) {
      const onlyDexes = set === undefined ? filter.onlyDexes : within(set, filter.onlyDexes);
      const line = this.#lineOf(request, quote, { ...filter, ...(onlyDexes && { onlyDexes }) });
      // Nothing leads from the origin to the goal.
      if (line.worth === 0) continue;
      if (!Number.isFinite(line.worth * Number(request.amount) + line.offset)) return undefined;
      const own = this.#boundOf(request, line);
      if (bound === undefined || (isExactIn ? own > bound : own < bound)) bound = own;
    }
    return bound === undefined ? undefined : certificateOf(request, quote, bound);
  }

  #boundOf({ kind, amount, gasPrice = 0 }: QuoteRequest, { offset, worth }: Line): bigint {
    const leastCost = gasCost(gasPrice, this.#leastGas);
    if (kind === "exactIn") {
      const most = worth * Number(amount) + offset;
      return BigInt(Math.ceil(most * (1 + ERROR))) - leastCost;
    }
    const least = (Number(amount) * (1 - ERROR) - offset * (1 + ERROR)) / worth;
    return BigInt(Math.max(1, Math.floor(least * (1 - ERROR)))) + leastCost;
  }

  #lineOf(request: QuoteRequest, quote: Quote, filter: PoolFilter): Line {
    this.#mask.set(filter);
    try {
      return this.#solve(request, quote);
    } finally {
      this.#mask.clear(filter);
    }
  }

  /** What a unit of the origin is worth at most, and what comes out for nothing. */
  #solve({ maxHops, tokenIn, tokenOut }: QuoteRequest, { steps }: Quote): Line {
    const worths = this.#worths;
    const shared = this.#shared;
    this.#edges.clear();
    this.#edges.use(steps);
    worths.begin(tokenIn, tokenOut, maxHops);
    shared.begin(tokenIn, tokenOut, maxHops);
    if (!shared.hasPrices) return { worth: Number.POSITIVE_INFINITY, offset: 0 };
    try {
      let worth = worths.label(shared.raise);
      for (let pass = 1; shared.update() && pass < PASSES_MAX; pass++) {
        worth = worths.label(shared.raise);
      }
      let offset = shared.offset() + worths.bonus * SWAPS_MAX;
      for (const { from, to, offset: own } of this.#edges.used) {
        const hopsLeft = from === tokenIn ? maxHops - 1 : maxHops - 2;
        offset += own * worths.at(hopsLeft, to);
      }
      return { worth: Math.max(worth, shared.worthOfOrigin()), offset };
    } finally {
      worths.end();
    }
  }
}

/** Of some DEXes those that are also among others, if there are such. */
function within(
  set: ReadonlyArray<number>,
  others: ReadonlyArray<number> | undefined,
): ReadonlyArray<number> {
  return others?.filter((dex) => set.includes(dex)) ?? set;
}

/** What any input gives at most: worth × input + offset. */
interface Line {
  readonly worth: number;
  readonly offset: number;
}

function certificateOf(request: QuoteRequest, quote: Quote, bound: bigint): Certificate {
  const { kind, maxHops } = request;
  const answer = kind === "exactIn" ? netOf(request, quote) : -netOf(request, quote);
  // Floats may say less than what was found.
  const isBeyond = kind === "exactIn" ? bound < answer : bound > answer;
  const limit = isBeyond ? answer : bound;
  const missed = Number(kind === "exactIn" ? limit - answer : answer - limit);
  const sought = Number(kind === "exactIn" ? quote.amountOut : quote.amountIn);
  return { bound: limit, gapBps: (10_000 * missed) / sought, hops: maxHops };
}

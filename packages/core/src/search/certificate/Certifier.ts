import type { PoolFamily } from "../../Curve.ts";
import type { PoolGraph } from "../../graph/PoolGraph.ts";
import { gasCost, netOf } from "../netOf.ts";
import { PoolMask } from "../PoolMask.ts";
import type { Certificate, Quote, QuoteRequest } from "../quote.ts";
import { withinSets } from "../withinSets.ts";
import { EdgeCurves, type EdgeUse } from "./EdgeCurves.ts";
import { SharedPools } from "./SharedPools.ts";
import { TokenWorths } from "./TokenWorths.ts";

/** Twice the possible float error: four estimates and a few products (`ESTIMATE_ERROR`). */
const ERROR = 2 ** -32;
/** Swaps of one transaction: rounding may give the trader something in each. */
const SWAPS_MAX = 1_024;
/**
 * What an unused edge is assumed to carry, as a part of the quote's output: otherwise a shallow
 * pool at a good price would make its token expensive for all. Any value gives a valid bound.
 */
const TRIAL = 1e-3;
const TRIAL_MIN = 1e-6;
/** Trials differ by this factor. */
const TRIAL_FACTOR = 10;
/**
 * Small trials give gaps between those of none and of the next larger one, unless the gap of none
 * is so many times as large: then a pool makes its token expensive.
 */
const FAR = 2;
/** A bound this close needs no further trial. */
const CLOSE_BPS = 0.05;
/** Worths of tokens that keep raising each other are left as they are after so many passes. */
const PASSES_MAX = 8;

/**
 * Bounds the result of any routing: weak duality at worths of tokens (`TokenWorths`). Amounts that
 * pass through a token cancel; a pool adds at most the rise of its curve above the line of its
 * tokens' worths (`EdgeCurves`). At the best split of all, the bound equals its result. The proof
 * is in docs/certificates.md.
 */
export class Certifier {
  readonly #graph: PoolGraph;
  readonly #mask: PoolMask;
  readonly #edges: EdgeCurves;
  readonly #worths: TokenWorths;
  readonly #shared: SharedPools;
  readonly #leastGas: number;

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#mask = new PoolMask(graph);
    this.#edges = new EdgeCurves(graph, families);
    this.#worths = new TokenWorths(graph, this.#mask, this.#edges);
    this.#shared = new SharedPools(graph, families, this.#mask, this.#worths);
    this.#leastGas = Math.min(...families.map(({ leastGas }) => leastGas));
  }

  /**
   * A bound on any routing for a request, starting from its answer. The market must be as it was
   * for the answer: an answer from another market would give a looser bound.
   */
  boundOf(request: QuoteRequest, quote: Quote): Bound {
    const reached = this.reachedBy(request, quote);
    const bounds = withinSets(request).map((within) => ({
      bound: this.boundFrom(within, reached),
    }));
    return loosest(request, bounds);
  }

  /** A quote as the state that a search has reached. */
  reachedBy(request: QuoteRequest, quote: Quote): Reached {
    const graph = this.#graph;
    return {
      sought: Number(request.kind === "exactIn" ? quote.amountOut : quote.amountIn),
      net: Number(netOf(request, quote)),
      uses: quote.steps.map(({ pool, tokenIn, tokenOut, amountIn }) => ({
        pool,
        positionIn: graph.poolPosition(pool, tokenIn),
        positionOut: graph.poolPosition(pool, tokenOut),
        amountIn: Number(amountIn),
      })),
    };
  }

  /**
   * The same from a search's state, for a request without sets of DEXes: the best bound of a few
   * trials. These are none, the usual one, larger ones up to what the used edges carry on average,
   * and smaller ones.
   */
  boundFrom(request: QuoteRequest, reached: Reached): Bound {
    const { filter } = request;
    this.#mask.set(filter);
    this.#edges.begin(reached.uses);
    this.#worths.forget();
    const output = request.kind === "exactIn" ? reached.sought : Number(request.amount);
    let best: Bound = "unknown";
    const improves = (part: number): boolean => {
      if (gapTo(request, reached, best) <= CLOSE_BPS) return false;
      this.#edges.trial = part * output;
      const bound = this.#boundBy(request, this.#solve(request));
      if (!isCloser(request, bound, best)) return false;
      best = bound;
      return true;
    };
    try {
      improves(0);
      const gapOfNone = gapTo(request, reached, best);
      const isFar = () => gapOfNone > FAR * gapTo(request, reached, best);
      if (improves(TRIAL)) {
        let part = TRIAL * TRIAL_FACTOR;
        while (part * reached.uses.length <= 1 && improves(part)) part *= TRIAL_FACTOR;
        if (part > TRIAL * TRIAL_FACTOR || !isFar()) return best;
      }
      let part = TRIAL / TRIAL_FACTOR;
      while (part >= TRIAL_MIN && improves(part) && isFar()) part /= TRIAL_FACTOR;
      return best;
    } finally {
      this.#mask.clear(filter);
    }
  }

  #boundBy({ kind, amount, gasPrice = 0 }: QuoteRequest, { offset, worth }: Line): Bound {
    if (worth === 0) return "none";
    const leastCost = gasCost(gasPrice, this.#leastGas);
    const most = worth * Number(amount) + offset;
    if (!Number.isFinite(most)) return "unknown";
    if (kind === "exactIn") return BigInt(Math.ceil(most * (1 + ERROR))) - leastCost;
    const least = (Number(amount) * (1 - ERROR) - offset * (1 + ERROR)) / worth;
    return BigInt(Math.max(1, Math.floor(least * (1 - ERROR)))) + leastCost;
  }

  /** The most that a unit of the origin is worth, and the most output beyond that. */
  #solve({ maxHops, tokenIn, tokenOut }: QuoteRequest): Line {
    const worths = this.#worths;
    const shared = this.#shared;
    worths.begin(tokenIn, tokenOut, maxHops);
    shared.begin(tokenIn, tokenOut, maxHops);
    if (!shared.hasPrices) return { worth: Number.POSITIVE_INFINITY, offset: 0 };
    try {
      let worth = worths.label(shared.raise);
      for (let pass = 1; shared.update() && pass < PASSES_MAX; pass++) {
        worth = worths.label(shared.raise);
      }
      worth = Math.max(worth, shared.worthOfOrigin());
      const offset = worths.excess(worth) + shared.offset() + worths.bonus * SWAPS_MAX;
      return { worth, offset };
    } finally {
      worths.end();
    }
  }
}

/** The most output of any input: worth × input + offset. */
interface Line {
  readonly worth: number;
  readonly offset: number;
}

/** The state that a search has reached. */
export interface Reached {
  readonly uses: ReadonlyArray<EdgeUse>;
  /** The amount that the request leaves open. */
  readonly sought: number;
  /** See `netOf`. */
  readonly net: number;
}

/** A bound on all routings: none where nothing leads to the goal. */
export type Bound = bigint | "none" | "unknown";

/** Whether a bound is tighter than another. */
export function isCloser({ kind }: QuoteRequest, bound: Bound, other: Bound): boolean {
  if (bound === "unknown" || other === "none") return false;
  if (bound === "none" || other === "unknown") return true;
  return kind === "exactIn" ? bound < other : bound > other;
}

/**
 * The loosest of the bounds within each set of DEXes: a routing keeps to one set, but to which is
 * not known.
 */
export function loosest(
  request: QuoteRequest,
  sets: ReadonlyArray<{ readonly bound: Bound }>,
): Bound {
  let found: Bound = "none";
  for (const { bound } of sets) if (isCloser(request, found, bound)) found = bound;
  return found;
}

/** The distance of a quote from a bound. */
export function certificateOf(request: QuoteRequest, quote: Quote, bound: bigint): Certificate {
  const { kind, maxHops } = request;
  const net = netOf(request, quote);
  const missed = Number(kind === "exactIn" ? bound - net : -net - bound);
  const sought = Number(kind === "exactIn" ? quote.amountOut : quote.amountIn);
  return { bound, gapBps: Math.max(0, (10_000 * missed) / sought), hops: maxHops };
}

/** The distance in basis points of the amount sought. */
function gapTo({ kind }: QuoteRequest, { net, sought }: Reached, bound: Bound): number {
  if (bound === "none") return 0;
  if (bound === "unknown") return Number.POSITIVE_INFINITY;
  const missed = kind === "exactIn" ? Number(bound) - net : -net - Number(bound);
  return (10_000 * missed) / sought;
}

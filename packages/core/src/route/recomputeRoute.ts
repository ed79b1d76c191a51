import type { BlockStamp, PoolGraph, PoolIndex, TokenIndex } from "../graph/PoolGraph.ts";
import { PIPS } from "../math/pips.ts";
import type { OpenMarket } from "../openMarket.ts";
import type { QuoteStep } from "../search/quote.ts";
import { StatesAfter } from "../search/split/StatesAfter.ts";
import type { PlannedPath, PlannedRoute } from "./PlannedRoute.ts";
import { soundRoute } from "./soundRoute.ts";

/** Input and output of a planned route in the newest block. */
export interface RecomputedRoute {
  readonly filled: true;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The steps of each path. */
  readonly paths: ReadonlyArray<ReadonlyArray<QuoteStep>>;
  /**
   * exactOut, by path: the most input that contracts which compute it themselves may ask. Absent
   * where they may find the pools too small.
   */
  readonly inputBounds?: ReadonlyArray<bigint>;
  /** A bound, see `Quote.gas`; and `PoolFamily.typicalGas` of all steps. */
  readonly gas: number;
  readonly typicalGas: number;
  readonly stamp: BlockStamp;
}

/** A hop that cannot fill its amount, or gives nothing for it. */
export interface UnfilledRoute {
  readonly filled: false;
  readonly pool: PoolIndex;
  readonly tokenIn: TokenIndex;
  readonly reason: "AmountTooSmall" | "InsufficientLiquidity";
}

type Market = Pick<OpenMarket, "graph" | "curves" | "families">;

/**
 * Runs a planned route in integers, path after path, as the contracts would. A route that uses no
 * pool twice costs one quote a hop; otherwise it also computes the states between its paths. Throws
 * a QuoteRequestError for an invalid route.
 */
export function recomputeRoute(
  market: Market,
  given: PlannedRoute,
): RecomputedRoute | UnfilledRoute {
  const route = soundRoute(market.graph, given);
  const run = new RouteRun(market, route);
  const paths: Array<ReadonlyArray<QuoteStep>> = [];
  let amountIn = 0n;
  let amountOut = 0n;
  for (const path of route.paths) {
    const steps = run.path(path);
    if ("reason" in steps) return steps;
    amountIn += steps[0]!.amountIn;
    amountOut += steps[steps.length - 1]!.amountOut;
    paths.push(steps);
  }
  const { gas, typicalGas } = run;
  const inputBounds = route.kind === "exactOut" ? boundInputs(market, route) : undefined;
  return {
    ...{ filled: true, amountIn, amountOut, paths, gas, typicalGas },
    ...(inputBounds !== undefined && { inputBounds }),
    stamp: market.graph.stamp,
  };
}

/**
 * For each path, the most input that contracts ask for its output. Two formulas ask for more than
 * `quoteExactOut`: Uniswap V2's library adds a unit to a division without remainder, and a
 * concentrated pool goes all the way to a tick when exactly the wanted output lies before it. A
 * swap for one unit more goes past that tick, so it costs no less; with another unit of input it
 * covers both. What a leg asks on top, the leg before must give: so each leg starts from the bound
 * of the next.
 *
 * A pool that paths share is moved at least as far as contracts move it, so later paths pay no less
 * there, except for roundings of the step that the farther start may save them.
 */
function boundInputs(market: Market, { paths }: PlannedRoute): bigint[] | undefined {
  const { graph, families } = market;
  const states = usesPoolAgain(paths) ? statesOf(market) : undefined;
  states?.begin();
  const bounds: bigint[] = [];
  for (const { amount, hops } of paths) {
    let bound = amount;
    for (let index = hops.length - 1; index >= 0; index--) {
      const { pool, tokenIn, tokenOut } = hops[index]!;
      const family = states?.familyOf(pool) ?? families[graph.poolCurve[pool]!]!;
      const own = graph.poolPosition(pool, tokenIn);
      const other = graph.poolPosition(pool, tokenOut);
      const amountIn = family.quoteExactOut(pool, own, other, bound + 1n);
      if (amountIn <= 0n) return undefined;
      bound = amountIn + 1n;
      if (states === undefined) continue;
      const feePips = family.feePips(pool, own, other);
      // As a float, a fee of nearly all is all: then rounding has no bound.
      if (!(feePips < PIPS)) return undefined;
      bound += stepRoundings(feePips);
      const swap = family.swapExactIn(pool, own, other, bound);
      if (swap === undefined) return undefined;
      states.apply(swap);
    }
    bounds.push(bound);
  }
  return bounds;
}

/**
 * A step of a concentrated pool rounds its input up twice, a unit each, plus the fee on that, and
 * rounds the fee up once.
 */
function stepRoundings(feePips: number): bigint {
  return BigInt(Math.ceil((2 * PIPS) / (PIPS - feePips)) + 1);
}

class RouteRun {
  gas = 0;
  typicalGas = 0;
  readonly #market: Market;
  readonly #isIn: boolean;
  /** Only where a pool is used again. */
  readonly #states: StatesAfter | undefined;

  constructor(market: Market, { kind, paths }: PlannedRoute) {
    this.#market = market;
    this.#isIn = kind === "exactIn";
    this.#states = usesPoolAgain(paths) ? statesOf(market) : undefined;
    this.#states?.begin();
  }

  /**
   * Exact output goes from the last hop back; as no pool is on a path twice, the order does not
   * matter.
   */
  path({ amount, hops }: PlannedPath): QuoteStep[] | UnfilledRoute {
    const steps: QuoteStep[] = [];
    let known = amount;
    for (let count = 0; count < hops.length; count++) {
      const hop = hops[this.#isIn ? count : hops.length - 1 - count]!;
      const found = this.#hop(hop, known);
      if (found <= 0n) {
        const reason = found === 0n ? "AmountTooSmall" : "InsufficientLiquidity";
        return { filled: false, pool: hop.pool, tokenIn: hop.tokenIn, reason };
      }
      const { pool, tokenIn, tokenOut } = hop;
      const [amountIn, amountOut] = this.#isIn ? [known, found] : [found, known];
      steps.push({ pool, tokenIn, tokenOut, amountIn, amountOut });
      known = found;
    }
    return this.#isIn ? steps : steps.reverse();
  }

  /** The amount at the other side of a hop; 0n or REFUSED where there is none. */
  #hop({ pool, tokenIn, tokenOut }: PlannedPath["hops"][number], known: bigint): bigint {
    const { families, graph } = this.#market;
    const family = this.#states?.familyOf(pool) ?? families[graph.poolCurve[pool]!]!;
    const own = graph.poolPosition(pool, tokenIn);
    const other = graph.poolPosition(pool, tokenOut);
    const found = this.#isIn
      ? family.quoteExactIn(pool, own, other, known)
      : family.quoteExactOut(pool, own, other, known);
    if (found <= 0n) return found;
    const amountIn = this.#isIn ? known : found;
    this.gas += family.gas(pool, own, other, amountIn);
    this.typicalGas += family.typicalGas(pool, own, other, amountIn);
    if (this.#states === undefined) return found;
    const swap = this.#isIn
      ? family.swapExactIn(pool, own, other, known)
      : family.swapExactOut(pool, own, other, known);
    this.#states.apply(swap!); // the quote has shown that there is one
    return found;
  }
}

function usesPoolAgain(paths: ReadonlyArray<PlannedPath>): boolean {
  if (paths.length <= 1) return false;
  const used = new Set<PoolIndex>();
  let count = 0;
  for (const { hops } of paths) {
    for (const { pool } of hops) used.add(pool);
    count += hops.length;
  }
  return used.size < count;
}

const statesOfGraphs = new WeakMap<PoolGraph, StatesAfter>();

/** One for each market, because it holds a copy of all states. */
function statesOf({ graph, curves, families }: Market): StatesAfter {
  const known = statesOfGraphs.get(graph);
  if (known !== undefined) return known;
  const states = new StatesAfter(graph, curves, families);
  statesOfGraphs.set(graph, states);
  return states;
}

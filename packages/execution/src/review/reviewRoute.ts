import {
  HOPS_MAX,
  type PlannedPath,
  type PlannedRoute,
  type PoolGraph,
  type PoolIndex,
  type TokenIndex,
} from "@millrace/core";
import type { OrderedStep, SwapOrder } from "../SwapOrder.ts";
import type { SwapRefusal } from "../SwapRefusal.ts";
import { invalid, refuse } from "./refuse.ts";

const PATHS_MAX = 64;
const AMOUNT_END = 1n << 256n;

type Hop = PlannedPath["hops"][number];

/**
 * The route of an order as pools and tokens of the graph, which has the order's tokens. Its paths
 * lead from the input token to the output token and visit nothing twice. No path sells to a pool a
 * token that another path buys from it. The paths' amounts add up exactly.
 */
export function reviewRoute(order: SwapOrder, graph: PoolGraph): PlannedRoute | SwapRefusal {
  const { kind, steps } = order;
  if (steps.length === 0) return invalid(["quote", "routePlan"], "empty");
  if (steps.length > PATHS_MAX * HOPS_MAX) return invalid(["quote", "routePlan"], "too long");
  const reader = new RouteReader(graph, order);
  for (let place = 0; place < steps.length; place++) {
    const fault = reader.read(steps[place]!, place);
    if (fault !== undefined) return fault;
  }
  const fault = reader.end();
  if (fault !== undefined) return fault;
  const { paths } = reader;
  const amounts = reviewAmounts(order, paths);
  if ("refused" in amounts) return amounts;
  return { kind, paths: paths.map(({ hops }, place) => ({ amount: amounts[place]!, hops })) };
}

interface ReadPath {
  /** The place of its first step. */
  readonly start: number;
  readonly hops: Hop[];
}

/** Reads steps one after the other into paths. */
class RouteReader {
  readonly paths: ReadPath[] = [];
  readonly #graph: PoolGraph;
  readonly #tokenIn: TokenIndex;
  readonly #tokenOut: TokenIndex;
  /** Of each pool, the tokens that it takes, and those that it gives. */
  readonly #traded = new Map<PoolIndex, Record<"taken" | "given", Set<TokenIndex>>>();

  constructor(graph: PoolGraph, { tokenIn, tokenOut }: SwapOrder) {
    this.#graph = graph;
    this.#tokenIn = graph.findToken(tokenIn)!;
    this.#tokenOut = graph.findToken(tokenOut)!;
  }

  read(step: OrderedStep, place: number): SwapRefusal | undefined {
    const graph = this.#graph;
    const pool = graph.findPool(step.pool);
    if (pool === undefined || !graph.isLive(pool)) {
      return refuse("UNKNOWN_POOL", `the pool of step ${place} is no pool of this network`);
    }
    const tokenIn = graph.findToken(step.tokenIn);
    const tokenOut = graph.findToken(step.tokenOut);
    if (tokenIn === undefined || graph.poolPosition(pool, tokenIn) < 0) {
      return invalidStep(place, "tokenA", "not a token of the pool");
    }
    if (tokenOut === undefined || graph.poolPosition(pool, tokenOut) < 0) {
      return invalidStep(place, "tokenB", "not a token of the pool");
    }
    if (tokenIn === tokenOut) return invalidStep(place, "tokenB", "the same token as tokenA");
    return this.#append({ pool, tokenIn, tokenOut }, place);
  }

  #append(hop: Hop, place: number): SwapRefusal | undefined {
    if (hop.tokenIn === this.#tokenIn) {
      const fault = this.end();
      if (fault !== undefined) return fault;
      if (this.paths.length === PATHS_MAX) return invalid(["quote", "routePlan"], "too many paths");
      this.paths.push({ start: place, hops: [] });
    }
    const hops = this.paths.at(-1)?.hops;
    const before = hops?.at(-1);
    if (hops === undefined || (before !== undefined && before.tokenOut !== hop.tokenIn)) {
      return invalidStep(place, "tokenA", "not what the step before gives");
    }
    if (hops.length === HOPS_MAX) return invalidStep(place, "tokenA", "a path of too many pools");
    if (hops.some(({ tokenIn, pool }) => tokenIn === hop.tokenOut || pool === hop.pool)) {
      return invalidStep(place, "tokenB", "a token or a pool that the path has visited");
    }
    const traded = this.#traded.get(hop.pool) ?? { taken: new Set(), given: new Set() };
    if (traded.given.has(hop.tokenIn) || traded.taken.has(hop.tokenOut)) {
      return invalidStep(place, "poolAddress", "a pool that another path uses the other way");
    }
    this.#traded.set(hop.pool, traded);
    traded.taken.add(hop.tokenIn);
    traded.given.add(hop.tokenOut);
    hops.push(hop);
    return undefined;
  }

  /** Ends the path that is being read. */
  end(): SwapRefusal | undefined {
    const path = this.paths.at(-1);
    if (path === undefined || path.hops.at(-1)!.tokenOut === this.#tokenOut) return undefined;
    return invalidStep(path.start + path.hops.length - 1, "tokenB", "not where the path must end");
  }
}

/** The given amount of each path: its input (exactIn) or its output (exactOut). */
function reviewAmounts(
  { kind, steps, ...order }: SwapOrder,
  paths: ReadonlyArray<ReadPath>,
): bigint[] | SwapRefusal {
  const side = kind === "exactIn" ? "amountIn" : "amountOut";
  const amounts: bigint[] = [];
  let sum = 0n;
  for (const { start, hops } of paths) {
    const place = kind === "exactIn" ? start : start + hops.length - 1;
    const amount = steps[place]![side] ?? (paths.length === 1 ? order[side] : undefined);
    if (amount === undefined) return invalidStep(place, side, "missing, where paths are several");
    if (amount < 1n || amount >= AMOUNT_END) return invalidStep(place, side, "no amount");
    amounts.push(amount);
    sum += amount;
  }
  return sum === order[side]
    ? amounts
    : invalid(["quote", "routePlan"], `its paths have ${sum}, the quote's ${side} is another`);
}

function invalidStep(place: number, field: string, detail: string): SwapRefusal {
  return invalid(["quote", "routePlan", place, field], detail);
}

import { type PoolGraph, pathsOf, type Quote, type QuoteStep } from "@millrace/core";
import { type PlainPool, poolAfter } from "@millrace/testing/reference";

/** The parts of a request that a replay needs. */
interface PathBounds {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly kind: "exactIn" | "exactOut";
  readonly amount: bigint;
  readonly maxHops: number;
  readonly maxSplits: number;
}

/**
 * The fault of a split quote; undefined if it has none. Executes its steps in order with the
 * reference's arithmetic, each in the state after the steps before it.
 */
export function faultOfPaths(
  bounds: PathBounds,
  quote: Quote,
  graph: PoolGraph,
  pools: ReadonlyMap<string, PlainPool>,
  onStep: (before: PlainPool, step: QuoteStep) => void = () => {},
): string | undefined {
  const paths = pathsOf(quote);
  if (paths.length === 0) return "has no path";
  if (paths.length > bounds.maxSplits) return `has ${paths.length} paths`;
  const seen = new Set<string>();
  for (const [place, path] of paths.entries()) {
    const fault = faultOfShape(bounds, path, graph);
    if (fault) return `path ${place} ${fault}`;
    const pass = path.map(({ pool }) => pool).join();
    if (seen.has(pass)) return `path ${place} is there before`;
    seen.add(pass);
  }
  const sum = (amounts: ReadonlyArray<bigint>) => amounts.reduce((a, b) => a + b, 0n);
  const amountIn = sum(paths.map((path) => path[0]!.amountIn));
  const amountOut = sum(paths.map((path) => path.at(-1)!.amountOut));
  if (amountIn !== quote.amountIn) return `takes ${amountIn}, and says ${quote.amountIn}`;
  if (amountOut !== quote.amountOut) return `gives ${amountOut}, and says ${quote.amountOut}`;
  const fixed = bounds.kind === "exactIn" ? amountIn : amountOut;
  if (fixed !== bounds.amount) return `changes the amount to ${fixed}`;
  return faultOfAmounts(bounds.kind, quote.steps, graph, pools, onStep);
}

function faultOfShape(
  { tokenIn, tokenOut, maxHops }: PathBounds,
  path: ReadonlyArray<QuoteStep>,
  graph: PoolGraph,
): string | undefined {
  if (path.length > maxHops) return `passes ${path.length} pools`;
  const tokens = [path[0]!.tokenIn, ...path.map((step) => step.tokenOut)];
  if (new Set(tokens).size !== tokens.length) return `visits a token twice: ${tokens}`;
  if (graph.tokenAddress(tokens[0]!) !== tokenIn) return "starts at another token";
  if (graph.tokenAddress(tokens.at(-1)!) !== tokenOut) return "ends at another token";
  for (const [place, step] of path.entries()) {
    if (step.amountIn < 1n || step.amountOut < 1n) return `has nothing at step ${place}`;
    const before = path[place - 1];
    if (before && before.tokenOut !== step.tokenIn) return `is torn at step ${place}`;
    if (before && before.amountOut !== step.amountIn) {
      return `takes ${step.amountIn} at step ${place}, where ${before.amountOut} come`;
    }
  }
  return undefined;
}

function faultOfAmounts(
  kind: "exactIn" | "exactOut",
  steps: ReadonlyArray<QuoteStep>,
  graph: PoolGraph,
  pools: ReadonlyMap<string, PlainPool>,
  onStep: (before: PlainPool, step: QuoteStep) => void,
): string | undefined {
  const states = new Map<string, PlainPool>();
  for (const [place, step] of steps.entries()) {
    const address = graph.poolAddress(step.pool);
    const pool = states.get(address) ?? pools.get(address);
    if (pool === undefined) return `uses ${address} at step ${place}, which is not allowed`;
    const ends = [graph.tokenAddress(step.tokenIn), graph.tokenAddress(step.tokenOut)];
    const zeroForOne = ends[0] === pool.token0;
    if (ends[zeroForOne ? 0 : 1] !== pool.token0 || ends[zeroForOne ? 1 : 0] !== pool.token1) {
      return `goes through a pool of other tokens at step ${place}`;
    }
    onStep(pool, step);
    const given = kind === "exactIn" ? step.amountIn : step.amountOut;
    const swap = poolAfter(pool, zeroForOne, kind, given);
    if (swap === undefined) return `is refused at step ${place}`;
    if (swap.amountIn !== step.amountIn || swap.amountOut !== step.amountOut) {
      const said = `${step.amountIn} → ${step.amountOut}`;
      return `says ${said} at step ${place}, not ${swap.amountIn} → ${swap.amountOut}`;
    }
    states.set(address, swap.after);
  }
  return undefined;
}

import { REFUSED } from "../Curve.ts";
import type { Book, PoolIndex, PoolState } from "../graph/PoolGraph.ts";
import { stateProblem } from "../graph/stateProblem.ts";
import type { Assumption } from "./Assumption.ts";
import type { TwinMarket } from "./TwinMarket.ts";

const AMOUNT_END = 1n << 256n;
const NO_BOOK: Book = { keys: new Int32Array(0), words: new BigInt64Array(0) };

/**
 * Makes one assumption on a twin, on top of those before it, which removed the pools `removed`;
 * `pool` is undefined when it has left the market. Returns the reason when it cannot be made.
 */
export function assume(
  twin: TwinMarket,
  assumption: Assumption,
  pool: PoolIndex | undefined,
  removed: Set<PoolIndex>,
): string | undefined {
  // A pool that is assumed to be removed may be gone.
  if (pool === undefined) {
    return assumption.kind === "poolRemoved" ? undefined : "the pool has left the market";
  }
  if (removed.has(pool)) return "the pool is assumed to be gone";
  switch (assumption.kind) {
    case "poolRemoved":
      removed.add(pool);
      twin.write(pool, {
        words: new BigUint64Array(twin.stateWordsOf(pool)),
        book: NO_BOOK,
      });
      return undefined;
    case "poolState":
      return assumeState(twin, pool, assumption.state);
    case "swapped":
      return assumeSwap(twin, pool, assumption);
  }
}

function assumeState(twin: TwinMarket, pool: PoolIndex, state: PoolState): string | undefined {
  const problem = stateProblem(twin.graph, twin.definitionOf(pool), pool, state);
  if (problem === undefined) twin.write(pool, state);
  return problem;
}

function assumeSwap(
  twin: TwinMarket,
  pool: PoolIndex,
  { tokenIn, tokenOut, amountIn }: Extract<Assumption, { kind: "swapped" }>,
): string | undefined {
  const positionIn = twin.graph.poolPosition(pool, tokenIn);
  const positionOut = twin.graph.poolPosition(pool, tokenOut);
  if (positionIn < 0) return `the pool has no token ${tokenIn}`;
  if (positionOut < 0) return `the pool has no token ${tokenOut}`;
  if (positionIn === positionOut) return "a token swapped for itself";
  if (amountIn < 1n || amountIn >= AMOUNT_END) return `an amount of ${amountIn}`;
  const family = twin.familyOf(pool);
  const swap = family.swapExactIn(pool, positionIn, positionOut, amountIn);
  if (swap !== undefined) {
    twin.write(pool, swap.state);
    return undefined;
  }
  return family.quoteExactIn(pool, positionIn, positionOut, amountIn) === REFUSED
    ? `the pool cannot take ${amountIn}`
    : `the pool gives nothing for ${amountIn}`;
}

import type { Curve, PoolShape } from "../Curve.ts";
import { bookOf } from "./books.ts";
import type { PoolGraph, PoolIndex, PoolState } from "./PoolGraph.ts";

/** Why a pool cannot be in a state, or undefined when it can; see `Curve.check`. */
export function stateProblem(
  graph: PoolGraph,
  curve: Curve,
  pool: PoolIndex,
  state: PoolState,
): string | undefined {
  if (state.words.length !== curve.stateWords(graph.poolTokenCount[pool]!)) {
    return `${state.words.length} words of state`;
  }
  // A state without a book keeps the pool's book, and must agree with it.
  const whole = state.book === undefined ? { ...state, book: bookOf(graph, pool) } : state;
  return curve.check(shapeOf(graph, pool), whole);
}

function shapeOf(graph: PoolGraph, pool: PoolIndex): PoolShape {
  const count = graph.poolTokenCount[pool]!;
  return {
    decimals: Array.from({ length: count }, (_, position) => {
      return graph.tokenDecimals[graph.poolToken(pool, position)]!;
    }),
    feePips: graph.poolFeePips[pool]!,
    parameter: graph.poolParameter[pool]!,
    constants: graph.poolConstants(pool),
  };
}

import { CURVE_STRIDE, type PoolFamily } from "../../Curve.ts";
import type { PoolGraph } from "../../graph/PoolGraph.ts";
import type { Quote } from "../quote.ts";

const piece = new Float64Array(CURVE_STRIDE);

/** The output of the last unit of a path. */
export function lastUnitRate(
  graph: PoolGraph,
  families: ReadonlyArray<PoolFamily>,
  path: Quote,
): number {
  let rate = 1;
  for (const { pool, tokenIn, tokenOut, amountIn } of path.steps) {
    const family = families[graph.poolCurve[pool]!]!;
    const amount = Number(amountIn);
    const positionIn = graph.poolPosition(pool, tokenIn);
    family.pieceAt(pool, positionIn, graph.poolPosition(pool, tokenOut), amount, piece, 0);
    const [x, y, , start] = piece as unknown as [number, number, number, number];
    const depth = x + amount - start;
    rate *= (x / depth) * (y / depth);
  }
  return rate;
}

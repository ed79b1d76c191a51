import type { DualEdges } from "./DualEdges.ts";

/**
 * The output of a flow that follows the arbitrage at these prices from the input token on: each
 * token passes on exactly what it received, in the proportions of the arbitrage. Near the optimum
 * the two amounts agree, so the output is close to the optimum; and since the flow can be executed,
 * it is never above.
 */
export function feasibleOutput(
  edges: DualEdges,
  offsets: Float64Array,
  tokenIn: number,
  tokenOut: number,
  value: number,
): number {
  const held = new Float64Array(offsets.length);
  held[tokenIn] = value;
  const used: number[] = [];
  for (let edge = 0; edge < edges.count; edge++) {
    if (edges.tokenIn[edge] !== tokenOut && edges.amountIn(offsets, edge) > 0) used.push(edge);
  }
  const edgesOf = Map.groupBy(used, (edge) => edges.tokenIn[edge]!);
  for (const token of handingOrder(edges, used, tokenIn)) {
    const isDone = held[token] === 0 || token === tokenOut;
    const onward = isDone ? [] : (edgesOf.get(token) ?? []);
    let total = 0;
    for (const edge of onward) total += edges.amountIn(offsets, edge);
    for (const edge of onward) {
      const amount = (held[token]! * edges.amountIn(offsets, edge)) / total;
      held[edges.tokenOut[edge]!]! += edges.amountOut(edge, amount);
    }
    if (onward.length > 0) held[token] = 0;
  }
  return held[tokenOut]!;
}

/**
 * The tokens that the used edges reach from the input token, each after all tokens that pass to it.
 * Only a market with arbitrage has tokens in a circle: one of them goes first, and what comes back
 * to it is lost.
 */
function handingOrder(
  edges: DualEdges,
  used: ReadonlyArray<number>,
  tokenIn: number,
): ReadonlyArray<number> {
  const next = Map.groupBy(used, (edge) => edges.tokenIn[edge]!);
  const finished: number[] = [];
  const seen = new Set([tokenIn]);
  const stack = [{ token: tokenIn, edge: 0 }];
  while (stack.length > 0) {
    const top = stack[stack.length - 1]!;
    const edge = next.get(top.token)?.[top.edge++];
    if (edge === undefined) {
      finished.push(top.token);
      stack.pop();
      continue;
    }
    const token = edges.tokenOut[edge]!;
    if (seen.has(token)) continue;
    seen.add(token);
    stack.push({ token, edge: 0 });
  }
  return finished.reverse();
}

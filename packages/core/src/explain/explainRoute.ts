import { CURVE_STRIDE } from "../Curve.ts";
import { PIPS } from "../math/pips.ts";
import { pathsOf, type Quote, type QuoteStep } from "../search/quote.ts";
import type { ExplainedMarket, RouteExplanation, StepExplanation } from "./Explanation.ts";

const BPS = 10_000;

/**
 * Follows the value of the input through the route. Each step is measured against its pool's mid
 * price on the block, even if an earlier path has moved the pool. A loss at a step is a loss of the
 * whole path: so a path's losses are shares of its output at mid prices, and add up.
 */
export function explainRoute(
  market: ExplainedMarket,
  quote: Quote,
): Omit<RouteExplanation, "kind" | "runnerUp"> {
  const paths = pathsOf(quote).map((path) => explainPath(market, path));
  const atMid = sum(paths.map((path) => path.atMid));
  const steps = paths.flatMap(({ atMid: own, steps }) =>
    steps.map(({ pool, feeBps, curveBps }) => ({
      pool,
      feeBps: (feeBps * own) / atMid,
      curveBps: (curveBps * own) / atMid,
    })),
  );
  const feesBps = sum(steps.map(({ feeBps }) => feeBps));
  const curveBps = sum(steps.map((step) => step.curveBps));
  const midPrice = atMid / Number(quote.amountIn);
  return { midPrice, totalBps: feesBps + curveBps, feesBps, curveBps, steps };
}

/** The path's output at mid prices, and its losses in basis points of that. */
function explainPath(
  market: ExplainedMarket,
  path: ReadonlyArray<QuoteStep>,
): { readonly atMid: number; readonly steps: ReadonlyArray<StepExplanation> } {
  let atMid = Number(path[0]!.amountIn);
  let left = 1;
  const steps = path.map((step) => {
    const midPrice = midPriceOf(market, step);
    const fee = feePipsOf(market, step) / PIPS;
    const kept = Number(step.amountOut) / (Number(step.amountIn) * midPrice);
    const entered = left;
    atMid *= midPrice;
    left *= kept;
    return {
      pool: step.pool,
      feeBps: entered * fee * BPS,
      curveBps: entered * (1 - kept - fee) * BPS,
    };
  });
  return { atMid, steps };
}

/**
 * Output per input of an infinitely small swap, before the fee: the mid price where it has
 * liquidity. Where it has none, nobody trades at the mid price, and it may be anything: then the
 * price where liquidity begins. Where the pool's curve gives neither, the swap's own price.
 */
function midPriceOf(
  { graph, families }: ExplainedMarket,
  { pool, tokenIn, tokenOut, amountIn, amountOut }: QuoteStep,
): number {
  const family = families[graph.poolCurve[pool]!]!;
  const positionIn = graph.poolPosition(pool, tokenIn);
  const positionOut = graph.poolPosition(pool, tokenOut);
  const afterFee = (PIPS - family.feePips(pool, positionIn, positionOut)) / PIPS;
  const piece = new Float64Array(CURVE_STRIDE);
  family.pieceAt(pool, positionIn, positionOut, 0, piece, 0);
  const candidates = [
    piece[1]! / piece[0]! / afterFee,
    family.midPrice(pool, positionIn, positionOut),
  ];
  return candidates.find(isPrice) ?? Number(amountOut) / Number(amountIn) / afterFee;
}

function feePipsOf(
  { graph, families }: ExplainedMarket,
  { pool, tokenIn, tokenOut }: QuoteStep,
): number {
  const family = families[graph.poolCurve[pool]!]!;
  return family.feePips(
    pool,
    graph.poolPosition(pool, tokenIn),
    graph.poolPosition(pool, tokenOut),
  );
}

function isPrice(value: number): boolean {
  return value > 0 && value < Number.POSITIVE_INFINITY;
}

function sum(values: ReadonlyArray<number>): number {
  return values.reduce((total, value) => total + value, 0);
}

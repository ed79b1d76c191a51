import {
  ALL_DEXES,
  type CertificateJson,
  encodeRouteExplanation,
  encodeSwapQuote,
  isNativeToken,
  type LabelledStep,
  type QuoteRequestJson,
} from "@millrace/api";
import type { PoolIndex, Quote } from "@millrace/core";
import { type Answer, jsonAnswer } from "../answers/Answer.ts";
import type { QuoteLabels } from "../caches/QuoteLabels.ts";
import type { QuoteMarket } from "./QuoteMarket.ts";
import { tokenPrice } from "./tokenPrice.ts";

/** The answer with a quote; `explanation` is JSON text. */
export function writeQuote(
  market: QuoteMarket,
  request: QuoteRequestJson,
  quote: Quote,
  explanation?: string,
): Answer {
  const { amountIn, amountOut, steps } = quote;
  const { graph } = market.engine;
  const { tokenDecimals } = graph;
  market.routedSwaps?.note(graph, steps);
  const decimalsIn = tokenDecimals[steps[0]!.tokenIn]!;
  // With splits, the last path ends in the same token as the others.
  const decimalsOut = tokenDecimals[steps[steps.length - 1]!.tokenOut]!;
  const price = tokenPrice(amountIn, decimalsIn, amountOut, decimalsOut);
  return write(market, request, quote, price, explanation);
}

/** The native token and its wrapped form: one to one, through no pool. */
export function writeWrapping(market: QuoteMarket, request: QuoteRequestJson): Answer {
  const amount = BigInt(request.amountIn ?? request.amountOut ?? "");
  const { stamp } = market.engine.graph;
  const certificate = (request.certify === true || request.gapBps !== undefined) && {
    certificate: { bound: amount, gapBps: 0, hops: request.maxHops },
  };
  const quote = {
    ...{ amountIn: amount, amountOut: amount, steps: [], priceImpact: 0, stamp },
    ...certificate,
  };
  return write(market, request, quote, "1", request.explain === true ? NOTHING_LOST : undefined);
}

const NOTHING_LOST = encodeRouteExplanation({
  midPrice: 1,
  totalBps: 0,
  feesBps: 0,
  curveBps: 0,
  steps: [],
});

type WrittenQuote = Pick<
  Quote,
  "amountIn" | "amountOut" | "steps" | "priceImpact" | "stamp" | "certificate"
>;

function write(
  market: QuoteMarket,
  request: QuoteRequestJson,
  quote: WrittenQuote,
  price: string,
  explanation: string | undefined,
): Answer {
  const { labels } = market;
  const { steps, priceImpact } = quote;
  const amountIn = request.amountIn ?? quote.amountIn.toString();
  const labelled = labelledSteps(labels, quote, amountIn);
  const isNativeIn = isNativeToken(request.tokenA);
  const isNativeOut = isNativeToken(request.tokenB);
  const exactOutput = request.amountOut !== undefined;
  const kind = exactOutput ? "exactOut" : "exactIn";
  const unverified = labels.unverified(steps);
  const estimate = market.gasEstimates.of({ kind, isNativeIn, isNativeOut }, steps);
  const lastGivesAll = steps.length > 0 && steps[steps.length - 1]!.amountOut === quote.amountOut;
  return jsonAnswer(
    encodeSwapQuote({
      tokenA: request.tokenA,
      tokenB: request.tokenB,
      amountIn,
      amountOut: lastGivesAll
        ? labelled[labelled.length - 1]!.amountOut
        : quote.amountOut.toString(),
      tokenPrice: price,
      steps: labelled,
      dexLabel: labels.dex(request.dexId, dexIndexOf(market, request, steps[0]?.pool)),
      isNativeIn,
      isNativeOut,
      blockLabel: labels.block(quote.stamp),
      priceImpact: Number.isFinite(priceImpact) ? priceImpact : 1,
      gasEstimate: estimate.gas,
      executable: estimate.isExecutable,
      exactOutput,
      unverified,
      warnings: labels.warnings(unverified),
      certificate: certificateText(quote),
      explanation,
    }),
  );
}

function certificateText({ certificate }: WrittenQuote): CertificateJson | undefined {
  if (certificate === undefined) return undefined;
  return { ...certificate, bound: certificate.bound.toString() };
}

/** Each step with its own amounts; `amountIn` is the text of the quote's amount. */
export function labelledSteps(
  labels: QuoteLabels,
  quote: Pick<Quote, "amountIn" | "steps">,
  amountIn: string,
): ReadonlyArray<LabelledStep> {
  const labelled: LabelledStep[] = [];
  // On a path each step takes the output of the one before, whose text exists already.
  let given = quote.amountIn;
  let givenText = amountIn;
  for (const step of quote.steps) {
    const takenText = step.amountIn === given ? givenText : step.amountIn.toString();
    given = step.amountOut;
    givenText = given.toString();
    labelled.push({ label: labels.step(step), amountIn: takenText, amountOut: givenText });
  }
  return labelled;
}

function dexIndexOf(
  { engine, labels }: QuoteMarket,
  { dexId }: QuoteRequestJson,
  firstPool: PoolIndex | undefined,
): number | undefined {
  if (dexId !== ALL_DEXES) return labels.findDex(dexId);
  return firstPool === undefined ? undefined : engine.graph.poolDex[firstPool];
}

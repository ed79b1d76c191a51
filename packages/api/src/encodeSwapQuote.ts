import type { RouteExplanationJson } from "./explanation.ts";
import type { QuoteStepJson } from "./quoteStep.ts";
import type { CertificateJson, SwapQuote } from "./swapQuote.ts";
import type { TokenWarning } from "./tokenSafety.ts";

/**
 * A quote whose constant parts are JSON text already. The service keeps the labels of its pools,
 * its DEXes and the current block; only amounts are written for each answer.
 */
export interface LabelledQuote {
  readonly tokenA: string;
  readonly tokenB: string;
  readonly amountIn: string;
  readonly amountOut: string;
  readonly tokenPrice: string;
  readonly steps: ReadonlyArray<LabelledStep>;
  readonly dexLabel: string;
  readonly isNativeIn: boolean;
  readonly isNativeOut: boolean;
  readonly blockLabel: string;
  /** Finite. */
  readonly priceImpact: number;
  /** A whole number. */
  readonly gasEstimate: number;
  readonly executable: boolean;
  readonly exactOutput: boolean;
  /** Absent from the answer when empty. */
  readonly unverified: ReadonlyArray<string>;
  /** Absent from the answer when empty. */
  readonly warnings: ReadonlyArray<typeof TokenWarning.Encoded>;
  readonly certificate: CertificateJson | undefined;
  /** The JSON text of a `RouteExplanation`. */
  readonly explanation: string | undefined;
}

export interface LabelledStep {
  readonly label: string;
  readonly amountIn: string;
  readonly amountOut: string;
}

/**
 * The JSON text of a `SwapQuote`, byte for byte what JSON.stringify gives for the encoded value.
 * The quote's own texts must need no escape, as addresses and decimal numbers do.
 */
export function encodeSwapQuote(quote: LabelledQuote): string {
  let text =
    `{"tokenA":"${quote.tokenA}","tokenB":"${quote.tokenB}","amountIn":"${quote.amountIn}"` +
    `,"amountOut":"${quote.amountOut}","tokenPrice":"${quote.tokenPrice}","routePlan":${routePlan(quote.steps)}` +
    `,${quote.dexLabel},"isNativeIn":${quote.isNativeIn},"isNativeOut":${quote.isNativeOut}` +
    `,${quote.blockLabel},"priceImpact":${quote.priceImpact},"gasEstimate":"${quote.gasEstimate}"` +
    `,"executable":${quote.executable}`;
  if (quote.exactOutput) text += ',"exactOutput":true';
  if (quote.unverified.length > 0) text += `,"unverified":["${quote.unverified.join('","')}"]`;
  if (quote.warnings.length > 0) text += `,"warnings":${JSON.stringify(quote.warnings)}`;
  if (quote.certificate !== undefined) {
    const { bound, gapBps, hops } = quote.certificate;
    text += `,"certificate":{"bound":"${bound}","gapBps":${gapBps},"hops":${hops}}`;
  }
  if (quote.explanation !== undefined) text += `,"explanation":${quote.explanation}`;
  return `${text}}`;
}

/** The JSON text of a `RouteExplanation`. */
export function encodeRouteExplanation(
  explanation: Omit<RouteExplanationJson, "runnerUp">,
  runnerUp?: Pick<LabelledQuote, "amountIn" | "amountOut" | "steps">,
): string {
  const text = JSON.stringify(explanation);
  if (runnerUp === undefined) return text;
  const { amountIn, amountOut, steps } = runnerUp;
  const amounts = `"amountIn":"${amountIn}","amountOut":"${amountOut}"`;
  return `${text.slice(0, -1)},"runnerUp":{${amounts},"routePlan":${routePlan(steps)}}}`;
}

function routePlan(steps: ReadonlyArray<LabelledStep>): string {
  let text = "";
  for (const { label, amountIn, amountOut } of steps) {
    if (text !== "") text += ",";
    text += `${label}${amountIn}","amountOut":"${amountOut}"}`;
  }
  return `[${text}]`;
}

/** The constant part of a step through a pool in one direction. */
export function stepLabel(step: Omit<QuoteStepJson, "amountIn" | "amountOut">): string {
  const { tokenA, tokenB, dexId, poolAddress, poolId, aToB, fee, zeroForOne } = step;
  const pool = poolId === undefined ? { poolAddress } : { poolAddress, poolId };
  const text = JSON.stringify({ tokenA, tokenB, dexId, ...pool, aToB, fee, zeroForOne });
  return `${text.slice(0, -1)},"amountIn":"`;
}

/** The constant part of quotes for a `dexId`. */
export function dexLabel(dex: Pick<SwapQuote, "dexId" | "dexFactory">): string {
  const { dexId, dexFactory } = dex;
  return JSON.stringify({ dexId, dexFactory }).slice(1, -1);
}

/** The part of a quote that names its block. */
export function blockLabel(
  block: Pick<SwapQuote, "blockNumber" | "blockHash" | "timestamp">,
): string {
  const { blockNumber, blockHash, timestamp } = block;
  return JSON.stringify({ blockNumber, blockHash, timestamp }).slice(1, -1);
}

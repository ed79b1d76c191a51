import type { QuoteStep, SwapQuote } from "./swapQuote.ts";

/**
 * A quote whose constant parts are JSON text already: the service keeps the labels of its pools,
 * DEXes and of the current block, and only amounts are written for each answer.
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
  readonly exactOutput: boolean;
  /** Absent from the answer when empty. */
  readonly unverified: ReadonlyArray<string>;
}

export interface LabelledStep {
  readonly label: string;
  readonly amountIn: string;
  readonly amountOut: string;
}

/**
 * The JSON text of a `SwapQuote`, byte for byte what JSON.stringify gives of the encoded value.
 * The texts of the quote itself are trusted to need no escape: addresses and decimal numbers.
 */
export function encodeSwapQuote(quote: LabelledQuote): string {
  let steps = "";
  for (const { label, amountIn, amountOut } of quote.steps) {
    if (steps !== "") steps += ",";
    steps += `${label}${amountIn}","amountOut":"${amountOut}"}`;
  }
  let text =
    `{"tokenA":"${quote.tokenA}","tokenB":"${quote.tokenB}","amountIn":"${quote.amountIn}"` +
    `,"amountOut":"${quote.amountOut}","tokenPrice":"${quote.tokenPrice}","routePlan":[${steps}]` +
    `,${quote.dexLabel},"isNativeIn":${quote.isNativeIn},"isNativeOut":${quote.isNativeOut}` +
    `,${quote.blockLabel},"priceImpact":${quote.priceImpact}`;
  if (quote.exactOutput) text += ',"exactOutput":true';
  if (quote.unverified.length > 0) text += `,"unverified":["${quote.unverified.join('","')}"]`;
  return `${text}}`;
}

/** What a pool always says of a step through it in one direction. */
export function stepLabel(step: Omit<QuoteStep, "amountIn" | "amountOut">): string {
  const { tokenA, tokenB, dexId, poolAddress, aToB, fee, zeroForOne } = step;
  const text = JSON.stringify({ tokenA, tokenB, dexId, poolAddress, aToB, fee, zeroForOne });
  return `${text.slice(0, -1)},"amountIn":"`;
}

/** What a quote always says of the DEX it was asked for. */
export function dexLabel(dex: Pick<SwapQuote, "dexId" | "dexFactory">): string {
  const { dexId, dexFactory } = dex;
  return JSON.stringify({ dexId, dexFactory }).slice(1, -1);
}

/** What a quote says of the block it is true for. */
export function blockLabel(
  block: Pick<SwapQuote, "blockNumber" | "blockHash" | "timestamp">,
): string {
  const { blockNumber, blockHash, timestamp } = block;
  return JSON.stringify({ blockNumber, blockHash, timestamp }).slice(1, -1);
}

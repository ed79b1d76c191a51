import type { Quote, QuoteRequest } from "./quote.ts";

/**
 * The score of a quote, to compare it with others of the same request: the output, or the input as
 * a negative number, minus the gas cost.
 */
export function netOf(
  { kind, gasPrice = 0 }: Pick<QuoteRequest, "kind" | "gasPrice">,
  { amountIn, amountOut, typicalGas = 0 }: Pick<Quote, "amountIn" | "amountOut" | "typicalGas">,
): bigint {
  return (kind === "exactIn" ? amountOut : -amountIn) - gasCost(gasPrice, typicalGas);
}

/** The cost of gas at a price (`QuoteRequest.gasPrice`), in whole units, rounded up. */
export function gasCost(gasPrice: number, gas: number): bigint {
  return BigInt(Math.ceil(gasPrice * gas));
}

import type { Quote, QuoteRequest } from "./quote.ts";

/**
 * What a quote is worth to its request, to be compared with others of the same request: the output,
 * or the input as a negative number, less what the gas costs.
 */
export function netOf(
  { kind, gasPrice = 0 }: Pick<QuoteRequest, "kind" | "gasPrice">,
  { amountIn, amountOut, typicalGas = 0 }: Pick<Quote, "amountIn" | "amountOut" | "typicalGas">,
): bigint {
  return (kind === "exactIn" ? amountOut : -amountIn) - gasCost(gasPrice, typicalGas);
}

/** What an amount of gas costs at a price (`QuoteRequest.gasPrice`), in whole units, rounded up. */
export function gasCost(gasPrice: number, gas: number): bigint {
  return BigInt(Math.ceil(gasPrice * gas));
}

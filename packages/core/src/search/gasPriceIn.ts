import type { TokenIndex } from "../graph/PoolGraph.ts";
import type { QuoteRequest, QuoteResult } from "./quote.ts";

/** About the gas of a swap, and so the amount whose price counts. */
const SWAP_GAS = 200_000;
const HOPS = 3;
/** An output of fewer units is too coarse for a price. */
const OUTPUT_MIN = 1_000n;
/** Then the amount grows by so many bits each time, up to SWAP_GAS × 2^40. */
const GROWTH_BITS = 4n;
const GROWTHS_MAX = 10;

/**
 * The cost of a unit of gas in smallest units of a token (see `QuoteRequest.gasPrice`), at `wei` of
 * the native token per unit, 0 to 2^128. The price comes from the best route from the wrapped
 * native token, for about the cost of a swap, or for more where that gives only a few units of the
 * token. Undefined where there is no such route.
 */
export function gasPriceIn(
  quote: (request: QuoteRequest) => QuoteResult,
  wrappedNative: TokenIndex,
  token: TokenIndex,
  wei: number,
): number | undefined {
  if (token === wrappedNative || wei === 0) return wei;
  let amount = BigInt(Math.ceil(wei * SWAP_GAS));
  let price: number | undefined;
  for (let growth = 0; growth <= GROWTHS_MAX; growth++) {
    const result = quote({
      tokenIn: wrappedNative,
      tokenOut: token,
      kind: "exactIn",
      amount,
      maxHops: HOPS,
    });
    if (result.found) {
      price = (Number(result.amountOut) / Number(amount)) * wei;
      if (result.amountOut >= OUTPUT_MIN) return price;
    } else if (result.reason !== "AmountTooSmall") {
      return price;
    }
    amount <<= GROWTH_BITS;
  }
  return price;
}

import type { TokenIndex } from "../graph/PoolGraph.ts";
import type { QuoteRequest, QuoteResult } from "./quote.ts";

/** About what a swap uses, and so the amount whose price counts. */
const SWAP_GAS = 200_000;
const HOPS = 3;
/** An output of fewer units is too coarse to tell a price by. */
const OUTPUT_MIN = 1_000n;
/** Then more is sold, so much more each time, up to SWAP_GAS × 2^40. */
const GROWTH_BITS = 4n;
const GROWTHS_MAX = 10;

/**
 * What a unit of gas costs in smallest units of a token (see `QuoteRequest.gasPrice`), at `wei` of
 * the native token a unit, 0 to 2^128: priced by the best route from the wrapped native token, for
 * about what a swap costs, or for more where that gives only a few units of the token. Undefined
 * where no route leads there.
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

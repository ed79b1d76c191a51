import type { Quote, QuoteRequest } from "../search/quote.ts";
import { boundsOfCapacity } from "./boundsOfCapacity.ts";
import type { ExplainedMarket } from "./explainQuote.ts";
import { middleOf, mostThrough } from "./pathLimits.ts";

/** Capacities are told to this part. */
const PART_BITS = 10n;

/**
 * The most that one path can fill, below the amount of a refused request; 0 where none was found.
 *
 * Goes up from an amount that is filled to where its path ends, and asks whether any other path
 * takes a little more, or what is in the middle, until none takes a little more. Each round halves
 * the width of what is left, then the distance: at most some 20.
 */
export function findCapacity(market: ExplainedMarket, refusedRequest: QuoteRequest): bigint {
  const request = { ...refusedRequest, maxSplits: 1 };
  const { filled, refused } = boundsOfCapacity(market, request);
  if (filled === undefined) return 0n;
  const endOf = ({ steps }: Quote, amount: bigint, tooMuch: bigint) =>
    mostThrough(market, steps, request.kind, amount, tooMuch);
  let tooMuch = refused;
  let most = endOf(filled, amountOf(request, filled), tooMuch);
  for (;;) {
    const little = most + (most >> PART_BITS) + 1n;
    if (little >= tooMuch) return most;
    const more = market.router.quote({ ...request, amount: little });
    if (!more.found) return most;
    most = endOf(more, little, tooMuch);
    const middle = middleOf(most, tooMuch);
    if (middle <= most) return most;
    const muchMore = market.router.quote({ ...request, amount: middle });
    if (muchMore.found) most = endOf(muchMore, middle, tooMuch);
    else tooMuch = middle;
  }
}

function amountOf({ kind }: QuoteRequest, quote: Quote): bigint {
  return kind === "exactIn" ? quote.amountIn : quote.amountOut;
}

import type { PoolGraph } from "../graph/PoolGraph.ts";
import type { QuoteRequest } from "../search/quote.ts";

/**
 * The limits above which one search in a hundred takes longer than a millisecond with warm caches,
 * measured on generated and real markets. Asking a thread costs some 40 µs, so the limits are
 * rather low.
 */
/** Slots (`PoolGraph`), for one path of four pools. */
const SLOTS_MAX_FOUR_HOPS = 32_000;
/** Slots, for a certificate: it looks at all edges next to the tokens near the goal. */
const SLOTS_MAX_CERTIFIED = 16_000;
/** Slots × paths, for a split. */
const SLOT_PATHS_MAX = 24_000;
/** The cost of a split with four pools per path, relative to three. */
const FOUR_HOPS_FACTOR = 3;
/** The same with a gas price, relative to none. */
const GAS_PRICE_FACTOR = 2;

/** Whether a request is likely to block the event loop for more than about a millisecond. */
export function isHeavy(
  { slotCount }: Pick<PoolGraph, "slotCount">,
  request: Pick<QuoteRequest, "certify" | "gapBps" | "gasPrice" | "maxHops" | "maxSplits">,
): boolean {
  const { gapBps, gasPrice = 0, maxHops } = request;
  const { maxSplits = gapBps === undefined ? 1 : Number.POSITIVE_INFINITY } = request;
  const isCertified = request.certify === true || gapBps !== undefined;
  if (isCertified && slotCount > SLOTS_MAX_CERTIFIED) return true;
  if (maxSplits <= 1) return maxHops > 3 && slotCount > SLOTS_MAX_FOUR_HOPS;
  const hopsFactor = maxHops > 3 ? FOUR_HOPS_FACTOR : 1;
  const gasFactor = gasPrice > 0 ? GAS_PRICE_FACTOR : 1;
  return slotCount * maxSplits * hopsFactor * gasFactor > SLOT_PATHS_MAX;
}

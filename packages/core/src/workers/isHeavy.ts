import type { PoolGraph } from "../graph/PoolGraph.ts";
import type { QuoteRequest } from "../search/quote.ts";

/*
 * Where one search in a hundred begins to take longer than a millisecond with its caches filled,
 * measured on generated and real markets. To ask a thread costs some 40 µs, so rather too early.
 */
/** Slots (`PoolGraph`), for one path of four pools. */
const SLOTS_MAX_FOUR_HOPS = 32_000;
/** Slots, for a certificate: it looks at all edges next to the tokens near the goal. */
const SLOTS_MAX_CERTIFIED = 16_000;
/** Slots × paths, for a split. */
const SLOT_PATHS_MAX = 24_000;
/** How much more a split costs with four pools a path than with three. */
const FOUR_HOPS_FACTOR = 3;
/** And with a price of gas. */
const GAS_PRICE_FACTOR = 2;

/** Whether a request is likely to keep the event loop for longer than about a millisecond. */
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

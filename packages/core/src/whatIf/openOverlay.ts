import type { OpenMarket } from "../openMarket.ts";
import { AssumedMarket } from "./AssumedMarket.ts";
import type { Assumption, RefusedAssumption } from "./Assumption.ts";
import type { Overlay } from "./Overlay.ts";

/** The market with assumptions on top, or which of them cannot be made. */
export function openOverlay(
  market: OpenMarket,
  assumptions: ReadonlyArray<Assumption>,
): Overlay | RefusedAssumption {
  const unknown = assumptions.findIndex(({ pool }) => !market.graph.isLive(pool));
  if (unknown >= 0) {
    return { refused: true, index: unknown, reason: `no pool ${assumptions[unknown]!.pool}` };
  }
  const overlay = new AssumedMarket(market, assumptions);
  return overlay.refusal() ?? overlay;
}

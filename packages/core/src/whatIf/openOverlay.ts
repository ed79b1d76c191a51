import type { ReadMarket } from "../openMarket.ts";
import { AssumedMarket } from "./AssumedMarket.ts";
import type { Assumption, RefusedAssumption } from "./Assumption.ts";
import type { Overlay } from "./Overlay.ts";
import { soundAssumptions } from "./soundAssumptions.ts";

/**
 * The market with assumptions on top, or the assumption that cannot be made. Throws a
 * QuoteRequestError for anything but a list.
 */
export function openOverlay(
  market: ReadMarket,
  assumptions: ReadonlyArray<Assumption>,
): Overlay | RefusedAssumption {
  const sound = soundAssumptions(market.graph, assumptions);
  if ("refused" in sound) return sound;
  const overlay = new AssumedMarket(market, sound);
  return overlay.refusal() ?? overlay;
}

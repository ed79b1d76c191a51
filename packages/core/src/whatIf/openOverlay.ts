import type { OpenMarket } from "../openMarket.ts";
import type { Assumption, RefusedAssumption } from "./Assumption.ts";
import type { Overlay } from "./Overlay.ts";

/** The market with assumptions on top, or which of them cannot be made. */
export function openOverlay(
  _market: OpenMarket,
  _assumptions: ReadonlyArray<Assumption>,
): Overlay | RefusedAssumption {
  throw new Error("being built");
}

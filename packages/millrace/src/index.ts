/** Everything in one: the engine with all families in plain promises, presets, and the service. */
export {
  type NetworkPreset,
  networkPreset,
  networkPresets,
  type PresetId,
} from "@millrace/networks";
export { type CallOptions, MillraceEngine } from "./MillraceEngine.ts";
export { MillraceError, type MillraceErrorCode } from "./MillraceError.ts";
export type { LogEntry, MarketOrigin, OpenOptions } from "./OpenOptions.ts";
export { openEngine } from "./openEngine.ts";
export type {
  AppliedHead,
  PricedToken,
  QuoteUpdate,
  RoundTrip,
  RouteQuote,
  RouteRequest,
  RouteStep,
} from "./RouteQuote.ts";
export type { PermitToSign, Swap, SwapTerms } from "./SwapTerms.ts";

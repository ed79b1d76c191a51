/** Everything in one: the engine with all families in plain promises, presets, and the service. */
export {
  type NetworkId,
  type NetworkPreset,
  networkPreset,
  networkPresets,
} from "@millrace/networks";
export type { LogEntry, MarketOptions, OpenOptions } from "./EngineOptions.ts";
export { type CallOptions, MillraceEngine } from "./MillraceEngine.ts";
export { MillraceError, type MillraceErrorCode } from "./MillraceError.ts";
export { openEngine } from "./openEngine.ts";
export type {
  AppliedHead,
  QuoteParameters,
  QuoteUpdate,
  RoundTrip,
  RouteQuote,
  RouteStep,
  TokenPrice,
} from "./RouteQuote.ts";
export type { PermitToSign, Swap, SwapTerms } from "./SwapTerms.ts";

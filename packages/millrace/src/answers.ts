import type { BlockStamp, HistoryStatus } from "@millrace/core";
import type { RouteStep } from "./FoundRoute.ts";
import type { MillraceError } from "./MillraceError.ts";
import type { RouteQuote } from "./RouteQuote.ts";

/** A profitable round trip: see `Cycle` of `@millrace/core`. */
export interface RoundTrip {
  readonly steps: ReadonlyArray<RouteStep>;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Gas is not counted. */
  readonly profit: bigint;
  readonly block: BlockStamp;
}

export interface PricedToken {
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  /** US dollars of one whole token; 0 when unknown. */
  readonly priceUsd: number;
  /** From 0, unpriced, to 1, an anchor. */
  readonly confidence: number;
}

/** An applied block; each comes once. */
export interface AppliedHead extends BlockStamp {
  /** Addresses, or ids of 32 bytes, of the pools whose state changed. */
  readonly changedPools: ReadonlyArray<string>;
}

/** A quote, or the reason why there is none. */
export type QuoteUpdate =
  | { readonly kind: "quote"; readonly quote: RouteQuote }
  | { readonly kind: "problem"; readonly problem: MillraceError };

/** The engine's network. */
export interface NetworkInfo {
  /** As in paths of the service: `ETH`, `BASE`. */
  readonly id: string;
  readonly name: string;
  readonly chainId: number;
  readonly nativeSymbol: string | undefined;
  /** The placeholder for the native token in quotes: `0xEeee…`. */
  readonly nativeToken: string;
  /** Lower case. */
  readonly wrappedNative: string | undefined;
  readonly isDevnet: boolean;
  /** URLs of the nodes that it follows; none for a market from elsewhere. A devnet has its own. */
  readonly rpcUrls: ReadonlyArray<string>;
  readonly dexes: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    readonly protocol: string;
    /** Lower case. */
    readonly factory: string;
  }>;
}

/** Whether quotes can be relied on, and what the engine has seen. */
export interface EngineHealth {
  readonly ready: boolean;
  /** Why the engine is not ready. */
  readonly reason: string | undefined;
  readonly block: BlockStamp;
  readonly headAgeMs: number;
  readonly poolCount: number;
  readonly tokenCount: number;
  /** How far trades and volumes reach back; undefined where there is no past to read. */
  readonly history: HistoryStatus | undefined;
  /** Quotes that were compared with the chain's own, and pools left out because theirs differed. */
  readonly quotes: { readonly compared: number; readonly poolsLeftOut: number } | undefined;
}

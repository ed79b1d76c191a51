import type { BlockStamp } from "@millrace/core";
import type { MillraceError } from "./MillraceError.ts";

/** What to quote: exactly one of `amountIn` and `amountOut`, in smallest units. */
export interface RouteRequest {
  /** An address or an unambiguous symbol; the native token has its own. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn?: bigint;
  /** Exactly so much comes out. */
  readonly amountOut?: bigint;
  /** The most pools of one path: 1 to 4, 3 where nothing is said. */
  readonly maxHops?: number;
  /** The most paths that the amount is split over: 1 to 64, 1 where nothing is said. */
  readonly maxSplits?: number;
  /** Pools of this DEX alone. */
  readonly dexId?: string;
  readonly excludeDexIds?: ReadonlyArray<string>;
  /** Addresses, or ids of 32 bytes. */
  readonly excludePools?: ReadonlyArray<string>;
  /** Ranks routes net of gas at this price, in wei. */
  readonly gasPriceWei?: bigint;
  /** The same at the price that the network has now. */
  readonly gasAware?: boolean;
  /** Whether one router has to be able to execute the route; as a rule so where there is a node. */
  readonly executable?: boolean;
}

/** The best route, exact on the state of one block. */
export interface RouteQuote {
  readonly kind: "exactIn" | "exactOut";
  /** Lower case; the native token as `0xEeee…`. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** In the order of execution, path after path; none between the native token and its wrapped. */
  readonly steps: ReadonlyArray<RouteStep>;
  /** How much worse than the price of an infinitely small trade, fees apart: 0.01 = 1 %. */
  readonly priceImpact: number;
  readonly block: BlockStamp;
}

/** One pool of a route. Addresses are lower case, the native token's the wrapped one's. */
export interface RouteStep {
  /** Its address, or its id of 32 bytes. */
  readonly pool: string;
  readonly dexId: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

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
  /** US dollars of one whole token; 0 where nothing tells. */
  readonly priceUsd: number;
  /** 0 unpriced to 1 an anchor. */
  readonly confidence: number;
}

/** A block that was applied, once each. */
export interface AppliedHead extends BlockStamp {
  /** Addresses, or ids of 32 bytes, of the pools whose state changed. */
  readonly changedPools: ReadonlyArray<string>;
}

/** What a reading of quotes gives: a quote, or why there is none. */
export type QuoteUpdate =
  | { readonly kind: "quote"; readonly quote: RouteQuote }
  | { readonly kind: "problem"; readonly problem: MillraceError };

import type { BlockStamp, Certificate } from "@millrace/core";

/** The result of a search, with addresses instead of indexes. */
export interface FoundRoute {
  readonly kind: "exactIn" | "exactOut";
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly steps: ReadonlyArray<RouteStep>;
  readonly priceImpact: number;
  readonly block: BlockStamp;
  readonly certificate: Certificate | undefined;
  readonly explanation: QuoteExplanation | undefined;
}

/**
 * One pool of a route. Addresses are lower case; the native token has its wrapped token's address.
 */
export interface RouteStep {
  /** The pool's address, or its id of 32 bytes. */
  readonly pool: string;
  readonly dexId: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** In hundredths of a basis point: 3000 = 0.3 %. */
  readonly feePips: number;
}

/**
 * The parts of the difference between the mid price and the quote: basis points that add up. See
 * `RouteExplanation` of `@millrace/core`.
 */
export interface QuoteExplanation {
  /** Whole tokens out per whole token in, at mid prices and without fees. */
  readonly midPrice: number;
  readonly totalBps: number;
  readonly feesBps: number;
  readonly curveBps: number;
  /** By step of the quote. */
  readonly steps: ReadonlyArray<{
    readonly pool: string;
    readonly feeBps: number;
    readonly curveBps: number;
  }>;
  /** The second-best route. */
  readonly runnerUp: Pick<FoundRoute, "amountIn" | "amountOut" | "steps"> | undefined;
}

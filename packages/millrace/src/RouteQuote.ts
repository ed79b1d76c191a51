import type { BlockStamp } from "@millrace/core";
import type { RouteFacts, TransactionEstimate } from "./RouteFacts.ts";

/** What a search found, by names. */
export interface FoundRoute {
  readonly kind: "exactIn" | "exactOut";
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly steps: ReadonlyArray<RouteStep>;
  readonly priceImpact: number;
  readonly block: BlockStamp;
  readonly explanation: QuoteExplanation | undefined;
}

/**
 * The best route, exact on the state of one block. What few need of it, as `gasEstimate`, is worked
 * out when it is first read, from the market as it is then; a copy by `{ ...quote }` is without.
 */
export class RouteQuote implements FoundRoute {
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
  /** Where the request asked for it. */
  readonly explanation: QuoteExplanation | undefined;
  readonly #facts: RouteFacts;
  #estimate: TransactionEstimate | undefined;

  constructor(route: FoundRoute, facts: RouteFacts) {
    this.kind = route.kind;
    this.tokenIn = route.tokenIn;
    this.tokenOut = route.tokenOut;
    this.amountIn = route.amountIn;
    this.amountOut = route.amountOut;
    this.steps = route.steps;
    this.priceImpact = route.priceImpact;
    this.block = route.block;
    this.explanation = route.explanation;
    this.#facts = facts;
  }

  /** Gas that the whole transaction usually uses; undefined where a pool has left the market. */
  get gasEstimate(): bigint | undefined {
    return this.#estimated.gas;
  }

  /** Whether one router of the network can execute the whole route. */
  get executable(): boolean {
    return this.#estimated.executable;
  }

  /** Tokens of the route that are not known to be plain: they may tax, rebase or refuse. */
  get unverified(): ReadonlyArray<string> {
    return this.#facts.unverified(this);
  }

  /** Whole tokens out for a whole token in: the exact ratio, cut to 18 significant digits. */
  get tokenPrice(): string {
    return this.#facts.tokenPrice(this);
  }

  get #estimated(): TransactionEstimate {
    this.#estimate ??= this.#facts.estimate(this);
    return this.#estimate;
  }
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
  /** In hundredths of a basis point: 3000 = 0.3 %. */
  readonly feePips: number;
}

/**
 * Where the difference between the mid price and the quote went: basis points that add up. See
 * `RouteExplanation` of `@millrace/core`.
 */
export interface QuoteExplanation {
  /** Whole tokens out for a whole token in, at mid prices and without fees. */
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
  /** What the quote was better than. */
  readonly runnerUp: Pick<FoundRoute, "amountIn" | "amountOut" | "steps"> | undefined;
}

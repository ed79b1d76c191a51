import type { BlockStamp, Certificate } from "@millrace/core";
import type { FoundRoute, QuoteExplanation, RouteStep } from "./FoundRoute.ts";
import type { RouteFacts, TransactionEstimate } from "./RouteFacts.ts";

/**
 * The best route, exact on the state of one block. Rarely needed facts, such as `gasEstimate`, are
 * computed when first read, from the market at that time; a copy by `{ ...quote }` lacks them.
 */
export class RouteQuote implements FoundRoute {
  readonly kind: "exactIn" | "exactOut";
  /** Lower case; the native token as `0xEeee…`. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /**
   * In the order of execution, path after path; none between the native token and its wrapped form.
   */
  readonly steps: ReadonlyArray<RouteStep>;
  /** How much worse than the price of an infinitely small trade, without fees: 0.01 = 1 %. */
  readonly priceImpact: number;
  readonly block: BlockStamp;
  /** Where the request asked for it. */
  readonly certificate: Certificate | undefined;
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
    this.certificate = route.certificate;
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

  /** Whole tokens out per whole token in: the exact ratio, cut to 18 significant digits. */
  get tokenPrice(): string {
    return this.#facts.tokenPrice(this);
  }

  get #estimated(): TransactionEstimate {
    this.#estimate ??= this.#facts.estimate(this);
    return this.#estimate;
  }
}

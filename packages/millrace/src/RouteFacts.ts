import { isNativeToken } from "@millrace/api";
import type { QuoteStep } from "@millrace/core";
import { type NetworkMarket, tokenPrice } from "@millrace/server";
import type { FoundRoute } from "./FoundRoute.ts";

/** Facts about a transaction of a route. */
export interface TransactionEstimate {
  readonly gas: bigint | undefined;
  readonly executable: boolean;
}

/** Facts about a quote that are computed on demand, as the service gives them with every quote. */
export class RouteFacts {
  readonly #market: NetworkMarket;

  constructor(market: NetworkMarket) {
    this.#market = market;
  }

  estimate({ kind, tokenIn, tokenOut, steps: named }: FoundRoute): TransactionEstimate {
    const steps = this.#stepsOf(named);
    if (steps === undefined) return { gas: undefined, executable: false };
    const native = { isNativeIn: isNativeToken(tokenIn), isNativeOut: isNativeToken(tokenOut) };
    const { gas, isExecutable } = this.#market.gasEstimates.of({ kind, ...native }, steps);
    return { gas: BigInt(gas), executable: isExecutable };
  }

  unverified({ steps }: FoundRoute): ReadonlyArray<string> {
    const tokens = this.#market.labels.unverified(this.#stepsOf(steps) ?? []);
    return tokens.map((token) => token.toLowerCase());
  }

  tokenPrice({ steps, amountIn, amountOut }: FoundRoute): string {
    const [first] = steps;
    if (first === undefined) return "1";
    const decimals = (address: string) => {
      const { graph } = this.#market.engine;
      return graph.tokenDecimals[graph.findToken(address)!]!;
    };
    const last = steps[steps.length - 1]!;
    return tokenPrice(amountIn, decimals(first.tokenIn), amountOut, decimals(last.tokenOut));
  }

  /** The steps in the current market; undefined where a pool has left it. */
  #stepsOf(steps: FoundRoute["steps"]): ReadonlyArray<QuoteStep> | undefined {
    const { graph } = this.#market.engine;
    const found: QuoteStep[] = [];
    for (const { pool: name, tokenIn, tokenOut, amountIn, amountOut } of steps) {
      const pool = graph.findPool(name);
      if (pool === undefined) return undefined;
      // Tokens never leave.
      const tokens = { tokenIn: graph.findToken(tokenIn)!, tokenOut: graph.findToken(tokenOut)! };
      found.push({ pool, ...tokens, amountIn, amountOut });
    }
    return found;
  }
}

import type { PoolGraph, QuoteStep } from "@millrace/core";
import type { RouteStep } from "./RouteQuote.ts";

/** Names what routes pass, each pool and direction once as long as no pool comes or goes. */
export class RouteSteps {
  readonly #graph: PoolGraph;
  // Key: pool × pairs of positions.
  readonly #names = new Map<number, Omit<RouteStep, "amountIn" | "amountOut">>();
  #topologyVersion = -1;

  constructor(graph: PoolGraph) {
    this.#graph = graph;
  }

  of(steps: ReadonlyArray<QuoteStep>): ReadonlyArray<RouteStep> {
    if (this.#topologyVersion !== this.#graph.topologyVersion) {
      this.#names.clear();
      this.#topologyVersion = this.#graph.topologyVersion;
    }
    return steps.map((step) => {
      const { pool, dexId, tokenIn, tokenOut } = this.#namesOf(step);
      const { amountIn, amountOut } = step;
      return { pool, dexId, tokenIn, tokenOut, amountIn, amountOut };
    });
  }

  #namesOf({ pool, tokenIn, tokenOut }: QuoteStep): Omit<RouteStep, "amountIn" | "amountOut"> {
    const graph = this.#graph;
    const positions = graph.poolPosition(pool, tokenIn) * 8 + graph.poolPosition(pool, tokenOut);
    const key = pool * PAIRS + positions;
    let names = this.#names.get(key);
    if (names === undefined) {
      names = {
        pool: graph.poolId(pool) ?? graph.poolAddress(pool),
        dexId: graph.dexes[graph.poolDex[pool]!]!.id,
        tokenIn: graph.tokenAddress(tokenIn),
        tokenOut: graph.tokenAddress(tokenOut),
      };
      this.#names.set(key, names);
    }
    return names;
  }
}

/** Pools have up to eight tokens. */
const PAIRS = 64;

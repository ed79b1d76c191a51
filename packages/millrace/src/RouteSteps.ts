import type { Engine, PoolGraph, QuoteStep, TokenPosition } from "@millrace/core";
import type { RouteStep } from "./RouteQuote.ts";

interface StepNames extends Pick<RouteStep, "pool" | "dexId" | "tokenIn" | "tokenOut"> {
  readonly positionIn: TokenPosition;
  readonly positionOut: TokenPosition;
}

/** Names what routes pass, each pool and direction once as long as no pool comes or goes. */
export class RouteSteps {
  readonly #graph: PoolGraph;
  readonly #familyOf: Engine["Service"]["familyOf"];
  // Key: pool × pairs of positions.
  readonly #names = new Map<number, StepNames>();
  #topologyVersion = -1;

  constructor({ graph, familyOf }: Pick<Engine["Service"], "graph" | "familyOf">) {
    this.#graph = graph;
    this.#familyOf = familyOf;
  }

  of(steps: ReadonlyArray<QuoteStep>): ReadonlyArray<RouteStep> {
    if (this.#topologyVersion !== this.#graph.topologyVersion) {
      this.#names.clear();
      this.#topologyVersion = this.#graph.topologyVersion;
    }
    return steps.map((step) => {
      const { pool, dexId, tokenIn, tokenOut, positionIn, positionOut } = this.#namesOf(step);
      const { amountIn, amountOut } = step;
      // A fee may change with every block.
      const feePips = this.#familyOf(step.pool).feePips(step.pool, positionIn, positionOut);
      return { pool, dexId, tokenIn, tokenOut, amountIn, amountOut, feePips };
    });
  }

  #namesOf({ pool, tokenIn, tokenOut }: QuoteStep): StepNames {
    const graph = this.#graph;
    const positionIn = graph.poolPosition(pool, tokenIn);
    const positionOut = graph.poolPosition(pool, tokenOut);
    const key = pool * PAIRS + positionIn * 8 + positionOut;
    let names = this.#names.get(key);
    if (names === undefined) {
      names = {
        pool: graph.poolId(pool) ?? graph.poolAddress(pool),
        dexId: graph.dexes[graph.poolDex[pool]!]!.id,
        tokenIn: graph.tokenAddress(tokenIn),
        tokenOut: graph.tokenAddress(tokenOut),
        ...{ positionIn, positionOut },
      };
      this.#names.set(key, names);
    }
    return names;
  }
}

/** Pools have up to eight tokens. */
const PAIRS = 64;

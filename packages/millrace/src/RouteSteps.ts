import {
  type Engine,
  FEE_IN_STATE,
  type PoolGraph,
  type PoolIndex,
  type QuoteStep,
} from "@millrace/core";
import type { RouteStep } from "./FoundRoute.ts";

/** The constant parts of every step from one token of a pool to another. */
interface NamedStep extends Pick<RouteStep, "pool" | "dexId" | "tokenIn" | "tokenOut"> {
  readonly step: Pick<QuoteStep, "tokenIn" | "tokenOut">;
  /** Undefined where it may change with every block. */
  readonly feePips: number | undefined;
}

/**
 * Names the pools and tokens of routes, each pool and direction once as long as no pool comes or
 * goes. Every quote needs it, so it takes only some tens of ns per step.
 */
export class RouteSteps {
  readonly #graph: PoolGraph;
  readonly #familyOf: Engine["Service"]["familyOf"];
  // Index: pool. Mostly two entries each.
  #names: Array<NamedStep[] | undefined> = [];
  #topologyVersion = -1;

  constructor({ graph, familyOf }: Pick<Engine["Service"], "graph" | "familyOf">) {
    this.#graph = graph;
    this.#familyOf = familyOf;
  }

  of(steps: ReadonlyArray<QuoteStep>): ReadonlyArray<RouteStep> {
    const { topologyVersion, poolCount } = this.#graph;
    if (this.#topologyVersion !== topologyVersion) {
      this.#names = new Array(poolCount);
      this.#topologyVersion = topologyVersion;
    }
    return steps.map((step) => {
      const { pool, dexId, tokenIn, tokenOut, feePips } = this.#nameOf(step);
      const { amountIn, amountOut } = step;
      const fee = feePips ?? this.#feeOf(step);
      return { pool, dexId, tokenIn, tokenOut, amountIn, amountOut, feePips: fee };
    });
  }

  #nameOf(step: QuoteStep): NamedStep {
    const { pool, tokenIn, tokenOut } = step;
    const known = this.#names[pool];
    if (known !== undefined) {
      for (const named of known) {
        if (named.step.tokenIn === tokenIn && named.step.tokenOut === tokenOut) return named;
      }
    }
    const named = this.#named(step);
    if (known === undefined) this.#names[pool] = [named];
    else known.push(named);
    return named;
  }

  #named(step: QuoteStep): NamedStep {
    const { pool, tokenIn, tokenOut } = step;
    const graph = this.#graph;
    const feePips = graph.poolFeePips[pool]!;
    const isFixed = feePips !== FEE_IN_STATE && feePips === this.#feeOf(step);
    return {
      step: { tokenIn, tokenOut },
      pool: poolName(graph, pool),
      dexId: graph.dexes[graph.poolDex[pool]!]!.id,
      tokenIn: graph.tokenAddress(tokenIn),
      tokenOut: graph.tokenAddress(tokenOut),
      feePips: isFixed ? feePips : undefined,
    };
  }

  #feeOf({ pool, tokenIn, tokenOut }: QuoteStep): number {
    const positionIn = this.#graph.poolPosition(pool, tokenIn);
    const positionOut = this.#graph.poolPosition(pool, tokenOut);
    return this.#familyOf(pool).feePips(pool, positionIn, positionOut);
  }
}

/** The pool's id where it has one, else its address. */
export const poolName = (graph: PoolGraph, pool: PoolIndex): string =>
  graph.poolId(pool) ?? graph.poolAddress(pool);

import {
  type OpenMarket,
  openSnapshot,
  type PoolIndex,
  type PoolSwap,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import type { PeerRoute } from "./Peer.ts";

/**
 * The true output of a library's routes: it computes each swap by its pool's exact arithmetic, one
 * route after the other, and keeps the state of a pool that several routes use. Works on a copy of
 * the market.
 */
export class ExactRoutes {
  readonly #original: OpenMarket;
  // Snapshots order pools in their own way, so pools are matched by address.
  readonly #copy: OpenMarket;

  constructor(market: OpenMarket) {
    this.#original = market;
    this.#copy = openSnapshot(market.snapshot(), curves);
  }

  /** The whole output; undefined where a swap gives nothing or the pool cannot take it. */
  amountOut(tokenIn: TokenIndex, routes: ReadonlyArray<PeerRoute>): bigint | undefined {
    const before = new Map<PoolIndex, BigUint64Array>();
    let amountOut = 0n;
    let isFilled = true;
    const from = this.#copy.graph.findToken(this.#original.graph.tokenAddress(tokenIn))!;
    for (const { amountIn, pools } of routes) {
      const out = this.#follow(from, amountIn, this.#inCopy(pools), before);
      if (out === undefined) isFilled = false;
      amountOut += out ?? 0n;
    }
    for (const [pool, words] of before) {
      this.#copy.writer.applySwap({ pool, amountIn: 0n, amountOut: 0n, state: { words } });
    }
    return isFilled ? amountOut : undefined;
  }

  #inCopy(pools: ReadonlyArray<PoolIndex>): PoolIndex[] {
    const { graph } = this.#original;
    return pools.map((pool) => this.#copy.graph.findPool(graph.poolAddress(pool))!);
  }

  #follow(
    tokenIn: TokenIndex,
    amountIn: bigint,
    pools: ReadonlyArray<PoolIndex>,
    before: Map<PoolIndex, BigUint64Array>,
  ): bigint | undefined {
    let token = tokenIn;
    let amount = amountIn;
    for (const pool of pools) {
      const { graph, families, writer } = this.#copy;
      const own = graph.poolPosition(pool, token);
      const other = 1 - own; // both families have pools of two tokens only
      const family = families[graph.poolCurve[pool]!]!;
      const swap: PoolSwap | undefined = family.swapExactIn(pool, own, other, amount);
      if (swap === undefined) return undefined;
      if (!before.has(pool)) before.set(pool, this.#wordsOf(pool, swap.state.words.length));
      writer.applySwap(swap);
      token = graph.poolToken(pool, other);
      amount = swap.amountOut;
    }
    return amount;
  }

  #wordsOf(pool: PoolIndex, length: number): BigUint64Array {
    const { graph } = this.#copy;
    const start = graph.poolStateStart[pool]!;
    return graph.stateWords.slice(start, start + length);
  }
}

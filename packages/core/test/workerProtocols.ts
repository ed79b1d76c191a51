import { isMainThread } from "node:worker_threads";
import type { Curve, PoolFamily } from "../src/Curve.ts";
import type { PoolGraph, PoolIndex } from "../src/graph/PoolGraph.ts";
import { fixedRate } from "./markets.ts";

/** What a pool with such a capacity does to a worker thread that asks it for a quote. */
export const THROWS = 1_000_002n;
export const EXITS = 1_000_004n;
export const SPINS = 1_000_006n;
/** Gives half, waits for the next block, and keeps what it read before as if it were of that. */
export const TEARS = 1_000_008n;
/** Waits for the next block, and throws. */
export const THROWS_TORN = 1_000_010n;

/** The `poolUpdatedBlock`, which all threads share, of a pool where a thread spins or waits. */
export const ENTERED = -1;

/** `fixedRate`, with pools that are a trial to worker threads, and to nobody else. */
export const curves: ReadonlyArray<Curve> = [
  {
    ...fixedRate,
    open: (graph): PoolFamily => {
      const family = fixedRate.open(graph);
      const kept = new Map<PoolIndex, { version: number; capacity: bigint }>();
      const capacityOf = (pool: PoolIndex): bigint => {
        const known = kept.get(pool);
        if (known !== undefined && known.version === graph.poolVersion[pool]) return known.capacity;
        const capacity = graph.stateWords[graph.poolStateStart[pool]!]!;
        misbehave(graph, pool, capacity);
        kept.set(pool, { version: graph.poolVersion[pool]!, capacity });
        return capacity;
      };
      return {
        ...family,
        quoteExactIn: (pool, tokenIn, tokenOut, amountIn) => {
          const amountOut = family.quoteExactIn(pool, tokenIn, tokenOut, amountIn);
          return !isMainThread && capacityOf(pool) === TEARS ? amountOut / 2n : amountOut;
        },
      };
    },
  },
];

function misbehave(graph: PoolGraph, pool: PoolIndex, capacity: bigint): void {
  if (capacity === THROWS) throw new Error("a pool that throws");
  if (capacity === EXITS) process.exit(3);
  if (capacity < SPINS || capacity > THROWS_TORN) return;
  const before = Atomics.load(graph.writeSequence, 0);
  graph.poolUpdatedBlock[pool] = ENTERED;
  while (capacity === SPINS || Atomics.load(graph.writeSequence, 0) !== before + 2) {
    // until the next block has been applied, or for ever
  }
  if (capacity === THROWS_TORN) throw new Error("a search of torn numbers");
}

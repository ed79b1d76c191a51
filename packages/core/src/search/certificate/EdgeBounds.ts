import { CURVE_STRIDE, type PoolFamily } from "../../Curve.ts";
import { allocate, grown } from "../../graph/buffers.ts";
import { PIECE_STRIDE, type PoolGraph, type PoolIndex } from "../../graph/PoolGraph.ts";
import type { QuoteStep } from "../quote.ts";

/**
 * A straight line above the curve of each edge, slope × input + offset: of an edge that a route
 * uses its tangent where the route leaves it, and of all others the tangent at nothing. Curves are
 * concave, or families give their concave hulls, so that no input gives more than its line.
 */
export class EdgeBounds {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #piece = new Float64Array(CURVE_STRIDE);
  // Index: pool. 1: one of its edges has a slope of its own.
  #isUsed = allocate(Uint8Array, 0);
  readonly #pools: number[] = [];
  /** By pool, then by the positions in and out: see `keyOf`. */
  readonly #slopes = new Map<number, number>();
  /** Of the edges that a route uses. */
  readonly used: UsedEdge[] = [];

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#families = families;
  }

  /** As a market is that nobody trades in. */
  clear(): void {
    for (const pool of this.#pools) this.#isUsed[pool] = 0;
    this.#pools.length = 0;
    this.#slopes.clear();
    this.used.length = 0;
    this.#isUsed = grown(Uint8Array, this.#isUsed, this.#graph.poolCount);
  }

  /** The steps of a route that use pools of two tokens. */
  use(steps: ReadonlyArray<QuoteStep>): void {
    const graph = this.#graph;
    const amounts = new Map<number, number>();
    for (const { pool, tokenIn, tokenOut, amountIn } of steps) {
      if (graph.poolTokenCount[pool]! > 2) continue;
      const key = keyOf(
        pool,
        graph.poolPosition(pool, tokenIn),
        graph.poolPosition(pool, tokenOut),
      );
      amounts.set(key, (amounts.get(key) ?? 0) + Number(amountIn));
    }
    for (const [key, amount] of amounts) this.#useEdge(key, amount);
  }

  /** Gives an edge another slope. */
  setSlope(pool: PoolIndex, positionIn: number, positionOut: number, slope: number): void {
    this.#slopes.set(keyOf(pool, positionIn, positionOut), slope);
    if (this.#isUsed[pool] === 1) return;
    this.#isUsed[pool] = 1;
    this.#pools.push(pool);
  }

  /** Output per input of the edge that enters the token of a slot's list. */
  slopeIn(slot: number): number {
    const { slotIn, slotPool, slotPositions } = this.#graph;
    const positions = slotPositions[slot]!;
    const pool = slotPool[slot]!;
    const own = this.#isUsed[pool] === 1 ? this.#own(pool, positions & 7, positions >> 3) : -1;
    if (own >= 0) return own;
    return slotIn[slot * PIECE_STRIDE + 1]! / slotIn[slot * PIECE_STRIDE]!;
  }

  /** Of the edge that leaves it. */
  slopeOut(slot: number): number {
    const { slotOut, slotPool, slotPositions } = this.#graph;
    const positions = slotPositions[slot]!;
    const pool = slotPool[slot]!;
    const own = this.#isUsed[pool] === 1 ? this.#own(pool, positions >> 3, positions & 7) : -1;
    if (own >= 0) return own;
    return slotOut[slot * PIECE_STRIDE + 1]! / slotOut[slot * PIECE_STRIDE]!;
  }

  #own(pool: number, positionIn: number, positionOut: number): number {
    return this.#slopes.get(keyOf(pool, positionIn, positionOut)) ?? -1;
  }

  #useEdge(key: number, amount: number): void {
    const graph = this.#graph;
    const pool = Math.floor(key / 64) as PoolIndex;
    const positionIn = (key >> 3) & 7;
    const positionOut = key & 7;
    const family = this.#families[graph.poolCurve[pool]!]!;
    const piece = this.#piece;
    family.pieceAt(pool, positionIn, positionOut, amount, piece, 0);
    const [x, y, , start, before] = piece as unknown as [number, number, number, number, number];
    // Of a full pool there is no piece: nothing more comes out.
    const rest = y > 0 ? amount - start : 0;
    const depth = x + rest;
    const slope = (x / depth) * (y / depth);
    // Output less slope × input, without the difference of two near numbers in the piece itself.
    const offset = before + (y > 0 ? (y / depth) * rest * (rest / depth) - slope * start : 0);
    this.setSlope(pool, positionIn, positionOut, slope);
    const from = graph.poolToken(pool, positionIn);
    const to = graph.poolToken(pool, positionOut);
    this.used.push({ from, to, offset: Math.max(offset, 0) });
  }
}

export interface UsedEdge {
  readonly from: number;
  readonly to: number;
  /** What the line gives for nothing. */
  readonly offset: number;
}

/** One number of an edge. */
function keyOf(pool: number, positionIn: number, positionOut: number): number {
  return pool * 64 + positionIn * 8 + positionOut;
}

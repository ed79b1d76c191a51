import { CURVE_STRIDE, type PoolFamily } from "../../Curve.ts";
import { allocate, grown } from "../../graph/buffers.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import type { PathFlows } from "./PathFlows.ts";

/**
 * Where the curves of all edges stand while paths are chosen: first where the flows left them, then
 * after what the chosen ones are expected to take.
 */
export class EdgeStates {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #edges: CandidateEdges;
  readonly #piece = new Float64Array(CURVE_STRIDE);

  // Index: edge. What has gone in and come out.
  #amountIn = allocate(Float64Array, 0);
  #amountOut = allocate(Float64Array, 0);
  // What the next unit gives, 0 where the edge is closed; so much more in brings it to a quarter;
  // and so much more the same piece of the curve holds for.
  rate = allocate(Float64Array, 0);
  depth = allocate(Float64Array, 0);
  #room = allocate(Float64Array, 0);

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>, edges: CandidateEdges) {
    this.#graph = graph;
    this.#families = families;
    this.#edges = edges;
  }

  /** Every edge as the flows left it. */
  begin({ edgeDepth, edgeIn, edgeOut, edgeRate, edgeRoom }: PathFlows): void {
    const { count } = this.#edges;
    this.#amountIn = grown(Float64Array, this.#amountIn, count);
    this.#amountOut = grown(Float64Array, this.#amountOut, count);
    this.rate = grown(Float64Array, this.rate, count);
    this.depth = grown(Float64Array, this.depth, count);
    this.#room = grown(Float64Array, this.#room, count);
    this.#amountIn.set(edgeIn.subarray(0, count));
    this.#amountOut.set(edgeOut.subarray(0, count));
    this.rate.set(edgeRate.subarray(0, count));
    this.depth.set(edgeDepth.subarray(0, count));
    this.#room.set(edgeRoom.subarray(0, count));
  }

  /** What comes out for so much more. */
  output(edge: number, amount: number): number {
    const rate = this.rate[edge]!;
    if (rate === 0) return 0;
    const depth = this.depth[edge]!;
    if (amount <= this.#room[edge]!) return (rate * depth * amount) / (depth + amount);
    const [x, y, , start, before] = this.#pieceAt(edge, this.#amountIn[edge]! + amount);
    const rest = this.#amountIn[edge]! + amount - start;
    return Math.max(0, before + (y * rest) / (x + rest) - this.#amountOut[edge]!);
  }

  /** As `output`, and the edge stands after it. */
  advance(edge: number, amount: number): number {
    const given = this.output(edge, amount);
    const stands = this.#amountIn[edge]! + amount;
    const [x, y, limit, start] = this.#pieceAt(edge, stands);
    const depth = y > 0 ? x + stands - start : stands;
    this.#amountIn[edge] = stands;
    this.#amountOut[edge]! += given;
    this.rate[edge] = (x / depth) * (y / depth);
    this.depth[edge] = depth;
    this.#room[edge] = limit - (stands - start);
    return given;
  }

  #pieceAt(edge: number, amount: number): Piece {
    const { pool, positionIn, positionOut } = this.#edges;
    const index = pool[edge]! as PoolIndex;
    const family = this.#families[this.#graph.poolCurve[index]!]!;
    family.pieceAt(index, positionIn[edge]!, positionOut[edge]!, amount, this.#piece, 0);
    return this.#piece as unknown as Piece;
  }
}

/** See `PoolFamily.pieceAt`. */
type Piece = readonly [x: number, y: number, limit: number, amountIn: number, amountOut: number];

import { CURVE_STRIDE, type Curve, type PoolFamily } from "../../Curve.ts";
import { allocate, grown } from "../../graph/buffers.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import { swapWhole } from "./MixedPools.ts";
import type { PathFlows } from "./PathFlows.ts";
import { StatesAfter } from "./StatesAfter.ts";

/**
 * The positions of all edges on their curves while paths are chosen: first where the flows left
 * them, then after the expected inputs of chosen paths. A swap over one edge of a pool of many
 * tokens moves its other edges.
 */
export class EdgeStates {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #edges: CandidateEdges;
  readonly #states: StatesAfter;
  readonly #piece = new Float64Array(CURVE_STRIDE);

  // Index: edge. Input and output so far.
  #amountIn = allocate(Float64Array, 0);
  #amountOut = allocate(Float64Array, 0);
  // The rate of the next unit, 0 where the edge is closed; the further input that brings the rate
  // to a quarter; and the further input up to the end of the piece.
  rate = allocate(Float64Array, 0);
  depth = allocate(Float64Array, 0);
  room = allocate(Float64Array, 0);
  // A further piece, in which the last output beyond `room` ended; stride CURVE_STRIDE.
  #beyond = allocate(Float64Array, 0);

  constructor(
    graph: PoolGraph,
    curves: ReadonlyArray<Curve>,
    families: ReadonlyArray<PoolFamily>,
    edges: CandidateEdges,
  ) {
    this.#graph = graph;
    this.#families = families;
    this.#edges = edges;
    this.#states = new StatesAfter(graph, curves, families);
  }

  /** To be called after edges were collected. */
  open(): void {
    const { count } = this.#edges;
    this.#beyond = grown(Float64Array, this.#beyond, count * CURVE_STRIDE);
    // No piece holds anything yet.
    for (let edge = 0; edge < count; edge++) this.#beyond[edge * CURVE_STRIDE + 2] = -1;
  }

  /** Sets every edge to where the flows left it. */
  begin({ edgeDepth, edgeIn, edgeOut, edgeRate, edgeRoom, mixed }: PathFlows): void {
    const { count, groupCount } = this.#edges;
    this.#amountIn = grown(Float64Array, this.#amountIn, count);
    this.#amountOut = grown(Float64Array, this.#amountOut, count);
    this.rate = grown(Float64Array, this.rate, count);
    this.depth = grown(Float64Array, this.depth, count);
    this.room = grown(Float64Array, this.room, count);
    this.#amountIn.set(edgeIn.subarray(0, count));
    this.#amountOut.set(edgeOut.subarray(0, count));
    this.rate.set(edgeRate.subarray(0, count));
    this.depth.set(edgeDepth.subarray(0, count));
    this.room.set(edgeRoom.subarray(0, count));
    if (groupCount === 0) return;
    this.#states.begin();
    mixed.copyTo(this.#states, edgeIn, (edge) => this.#standAnew(edge));
  }

  /** The output of so much further input. */
  output(edge: number, amount: number): number {
    const rate = this.rate[edge]!;
    if (rate === 0) return 0;
    const depth = this.depth[edge]!;
    if (amount <= this.room[edge]!) return (rate * depth * amount) / (depth + amount);
    const pieces = this.#beyond;
    const at = edge * CURVE_STRIDE;
    const stands = this.#amountIn[edge]! + amount;
    let rest = stands - pieces[at + 3]!;
    // The pools of groups move.
    if (!(rest >= 0 && rest <= pieces[at + 2]!) || this.#edges.group[edge]! > 0) {
      this.#findPiece(edge, stands, pieces, at);
      rest = stands - pieces[at + 3]!;
    }
    const given = pieces[at + 4]! + (pieces[at + 1]! * rest) / (pieces[at]! + rest);
    return Math.max(0, given - this.#amountOut[edge]!);
  }

  /** As `output`, and moves the edge there. */
  advance(edge: number, amount: number): number {
    const given = this.output(edge, amount);
    if (this.#edges.group[edge]! > 0) {
      swapWhole(this.#states, this.#edges, edge, amount);
      this.#standAnew(edge);
      return given;
    }
    const stands = this.#amountIn[edge]! + amount;
    const [x, y, limit, start] = this.#pieceAt(edge, stands);
    const depth = y > 0 ? x + stands - start : stands;
    this.#amountIn[edge] = stands;
    this.#amountOut[edge]! += given;
    this.rate[edge] = (x / depth) * (y / depth);
    this.depth[edge] = depth;
    this.room[edge] = limit - (stands - start);
    return given;
  }

  /** Restarts all open edges of a group at the state of their pool. */
  #standAnew(first: number): void {
    const { nextInGroup } = this.#edges;
    let edge = first;
    do {
      if (this.rate[edge]! > 0) {
        const [x, y, limit] = this.#pieceAt(edge, 0);
        this.#amountIn[edge] = 0;
        this.#amountOut[edge] = 0;
        this.rate[edge] = y / x;
        this.depth[edge] = x;
        this.room[edge] = limit;
      }
      edge = nextInGroup[edge]!;
    } while (edge !== first);
  }

  #pieceAt(edge: number, amount: number): Piece {
    this.#findPiece(edge, amount, this.#piece, 0);
    return this.#piece as unknown as Piece;
  }

  #findPiece(edge: number, amount: number, into: Float64Array, at: number): void {
    const { group, pool, positionIn, positionOut } = this.#edges;
    const index = pool[edge]! as PoolIndex;
    const family =
      group[edge]! > 0
        ? this.#states.familyOf(index)
        : this.#families[this.#graph.poolCurve[index]!]!;
    family.pieceAt(index, positionIn[edge]!, positionOut[edge]!, amount, into, at);
  }
}

/** See `PoolFamily.pieceAt`. */
type Piece = readonly [x: number, y: number, limit: number, amountIn: number, amountOut: number];

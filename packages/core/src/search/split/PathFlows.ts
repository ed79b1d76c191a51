import { CURVE_STRIDE, type Curve, type PoolFamily } from "../../Curve.ts";
import { allocate, grown, moveRow } from "../../graph/buffers.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import { HOPS_MAX } from "../quote.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import { InputFit } from "./InputFit.ts";
import { MixedPools } from "./MixedPools.ts";

/** A path with a tiny part of a pool is not slowed down by the paths with the rest. */
const SHARE_MIN = 0.02;
/** Less than this part of a pool's capacity is too little for another path. */
const CROWDED = 2 ** -16;

/**
 * Paths with the input of each, in floats. They run one after the other, as on the chain: a later
 * use of a pool starts where the earlier one left it. `run` computes the outputs and, backwards
 * (reverse-mode differentiation), the derivative of the total output by each input, which includes
 * what a path takes from later ones. An edge is where its total input has moved it; if several
 * edges of one pool are used, it starts from the state of the pool (`MixedPools`).
 */
export class PathFlows {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #edges: CandidateEdges;
  readonly mixed: MixedPools;

  count = 0;
  // Index: path.
  hops = allocate(Uint8Array, 0);
  amountIn = allocate(Float64Array, 0);
  amountOut = allocate(Float64Array, 0);
  bound = allocate(Float64Array, 0); // the most input, where a capacity was met
  gradient = allocate(Float64Array, 0); // of all output by the path's input
  depth = allocate(Float64Array, 0); // further input that quarters the gradient, or `depthMost`
  // Index: path × HOPS_MAX + hop.
  edges = allocate(Uint32Array, 0);
  amounts = allocate(Float64Array, 0); // what goes into the edge
  given = allocate(Float64Array, 0); // what comes out
  #rateBefore = allocate(Float64Array, 0);
  #rateAfter = allocate(Float64Array, 0);
  #pieces = allocate(Float64Array, 0); // stride CURVE_STRIDE

  // Index: edge. Input and output so far; the rate of the next unit; the further input that brings
  // it to a quarter; and the further input up to the end of the piece.
  edgeIn = allocate(Float64Array, 0);
  edgeOut = allocate(Float64Array, 0);
  edgeRate = allocate(Float64Array, 0);
  edgeDepth = allocate(Float64Array, 0);
  edgeRoom = allocate(Float64Array, 0);
  #edgeAdjoint = allocate(Float64Array, 0);

  totalIn = 0;
  totalOut = 0;
  /** Floats must tell the rates of amounts apart: a flat path counts as no deeper than this. */
  depthMost = Number.POSITIVE_INFINITY;
  readonly inputFit = new InputFit();

  constructor(
    graph: PoolGraph,
    curves: ReadonlyArray<Curve>,
    families: ReadonlyArray<PoolFamily>,
    edges: CandidateEdges,
  ) {
    this.#graph = graph;
    this.#families = families;
    this.#edges = edges;
    this.mixed = new MixedPools(graph, curves, families, edges);
  }

  /** Removes all paths, for newly collected edges. */
  clear(): void {
    const { count } = this.#edges;
    this.count = 0;
    this.totalIn = 0;
    this.totalOut = 0;
    this.edgeIn = grown(Float64Array, this.edgeIn, count);
    this.edgeOut = grown(Float64Array, this.edgeOut, count);
    this.edgeRate = grown(Float64Array, this.edgeRate, count);
    this.edgeDepth = grown(Float64Array, this.edgeDepth, count);
    this.edgeRoom = grown(Float64Array, this.edgeRoom, count);
    this.#edgeAdjoint = grown(Float64Array, this.#edgeAdjoint, count);
    for (let edge = 0; edge < count; edge++) this.#resetEdge(edge);
    this.mixed.open();
  }

  /** Appends a path without input. */
  add(edges: ArrayLike<number>): void {
    const path = this.count++;
    this.#reserve(this.count);
    this.hops[path] = edges.length;
    this.amountIn[path] = 0;
    this.bound[path] = Number.POSITIVE_INFINITY;
    for (let hop = 0; hop < edges.length; hop++) {
      const at = path * HOPS_MAX + hop;
      this.edges[at] = edges[hop]!;
      this.amounts[at] = 0;
      this.#pieces[at * CURVE_STRIDE + 2] = -1; // no piece holds anything yet
    }
  }

  /** Removes a path; those after it move up. Its edges are reset until the next `run`. */
  remove(path: number): void {
    this.removeAll(new Set([path]));
  }

  /** Removes all paths, and resets their edges. */
  removeEvery(): void {
    for (let path = 0; path < this.count; path++) this.#resetEdges(path);
    this.count = 0;
  }

  removeAll(paths: ReadonlySet<number>): void {
    let kept = 0;
    for (let path = 0; path < this.count; path++) {
      if (!paths.has(path)) this.#move(path, kept++);
      else this.#resetEdges(path);
    }
    this.count = kept;
  }

  #resetEdges(path: number): void {
    const start = path * HOPS_MAX;
    for (let at = start; at < start + this.hops[path]!; at++) this.#resetEdge(this.edges[at]!);
  }

  #move(from: number, to: number): void {
    if (from === to) return;
    for (const values of [this.hops, this.amountIn, this.amountOut, this.bound, this.gradient]) {
      values[to] = values[from]!;
    }
    for (const values of [this.edges, this.amounts]) moveRow(values, from, to, HOPS_MAX);
    moveRow(this.#pieces, from, to, HOPS_MAX * CURVE_STRIDE);
  }

  /** Removes the paths without input. */
  removeEmpty(): void {
    const empty = new Set<number>();
    for (let path = 0; path < this.count; path++) if (!(this.amountIn[path]! > 0)) empty.add(path);
    this.removeAll(empty);
    this.run();
  }

  /** Runs all paths in order, then backwards. Cuts and bounds paths that would overfill a pool. */
  run(): void {
    this.#reset();
    this.totalIn = 0;
    this.totalOut = 0;
    for (let path = 0; path < this.count; path++) this.#runForward(path);
    if (this.mixed.any) this.mixed.end(this);
    for (let path = this.count - 1; path >= 0; path--) this.#runBackward(path);
  }

  #runForward(path: number): void {
    const start = path * HOPS_MAX;
    const end = start + this.hops[path]!;
    if (this.#stopAt(start, end, this.amountIn[path]!) < end) this.#fit(path, start, end);
    for (let at = start; at < end; at++) this.#pass(at);
    this.totalIn += this.amountIn[path]!;
    this.amountOut[path] = this.given[end - 1]!;
    this.totalOut += this.amountOut[path]!;
  }

  /** Where an input would overfill a pool; `end` where it passes all. Moves no edge. */
  #stopAt(start: number, end: number, amountIn: number): number {
    let amount = amountIn;
    let at = start;
    while (at < end && this.#canPass(at, amount)) amount = this.given[at++]!;
    return at;
  }

  /** Cuts and bounds an input that would overfill a pool. */
  #fit(path: number, start: number, end: number): void {
    const fit = this.inputFit;
    fit.begin();
    for (;;) {
      const tried = this.amountIn[path]!;
      const at = this.#stopAt(start, end, tried);
      const next =
        at === end ? fit.afterFit(tried) : fit.afterOverfill(tried, at, this.#partTaken(at));
      if (next === undefined) return;
      this.amountIn[path] = next;
      this.bound[path] = next;
    }
  }

  #reset(): void {
    const { mixed } = this;
    const hasGroups = this.#edges.groupCount > 0;
    if (hasGroups) mixed.begin(this.count * HOPS_MAX);
    for (let path = 0; path < this.count; path++) {
      const start = path * HOPS_MAX;
      for (let at = start; at < start + this.hops[path]!; at++) {
        const edge = this.edges[at]!;
        this.#resetEdge(edge);
        if (hasGroups) mixed.note(edge);
      }
    }
  }

  #resetEdge(edge: number): void {
    const { limit, x, y } = this.#edges;
    this.edgeIn[edge] = 0;
    this.edgeOut[edge] = 0;
    this.edgeRate[edge] = y[edge]! / x[edge]!;
    this.edgeDepth[edge] = x[edge]!;
    this.edgeRoom[edge] = limit[edge]!;
    this.#edgeAdjoint[edge] = 0;
  }

  /** Whether an edge can take so much more; notes its output. */
  #canPass(at: number, amount: number): boolean {
    const pieces = this.#pieces;
    const edge = this.edges[at]!;
    const piece = at * CURVE_STRIDE;
    if (this.isMixed(edge)) return this.#canPassMixed(at, amount);
    const stands = this.edgeIn[edge]! + amount;
    let rest = stands - pieces[piece + 3]!;
    if (!(rest >= 0 && rest <= pieces[piece + 2]!)) {
      this.#findPiece(edge, stands, piece);
      rest = stands - pieces[piece + 3]!;
    }
    this.amounts[at] = amount;
    const out = pieces[piece + 4]! + (pieces[piece + 1]! * rest) / (pieces[piece]! + rest);
    // Zero gives zero, whatever came before: so a path that is cut to zero passes.
    this.given[at] = amount > 0 ? Math.max(0, out - this.edgeOut[edge]!) : 0;
    return pieces[piece + 1]! > 0 || amount === 0;
  }

  /** As `#canPass`, from the state of the edge's pool. */
  #canPassMixed(at: number, amount: number): boolean {
    const pieces = this.#pieces;
    const piece = at * CURVE_STRIDE;
    this.mixed.findPiece(this.edges[at]!, amount, pieces, piece);
    const rest = amount - pieces[piece + 3]!;
    const out = pieces[piece + 4]! + (pieces[piece + 1]! * rest) / (pieces[piece]! + rest);
    this.amounts[at] = amount;
    this.given[at] = amount > 0 ? Math.max(0, out) : 0;
    return pieces[piece + 1]! > 0 || amount === 0;
  }

  /** Whether other edges use the edge's pool too. */
  isMixed(edge: number): boolean {
    return this.mixed.any && this.mixed.has(edge);
  }

  /** The part that a pool takes of the amount by which `canPass` found it overfilled. */
  #partTaken(at: number): number {
    const edge = this.edges[at]!;
    const capacity = this.#pieces[at * CURVE_STRIDE + 3]!;
    const room = capacity - (this.isMixed(edge) ? 0 : this.edgeIn[edge]!);
    return room > capacity * CROWDED ? Math.min(room / this.amounts[at]!, 1) : 0;
  }

  /** Moves an edge by the amount that `canPass` allowed. */
  #pass(at: number): void {
    const edge = this.edges[at]!;
    const piece = at * CURVE_STRIDE;
    const x = this.#pieces[piece]!;
    const y = this.#pieces[piece + 1]!;
    if (this.isMixed(edge)) return this.#passMixed(at);
    const stands = this.edgeIn[edge]! + this.amounts[at]!;
    const rest = stands - this.#pieces[piece + 3]!;
    // A full edge has no piece, and passes nothing.
    const depth = y > 0 ? x + rest : this.edgeDepth[edge]!;
    this.#rateBefore[at] = this.edgeRate[edge]!;
    this.edgeIn[edge] = stands;
    this.edgeOut[edge]! += this.given[at]!;
    this.edgeRate[edge] = (x / depth) * (y / depth);
    this.edgeDepth[edge] = depth;
    this.edgeRoom[edge] = this.#pieces[piece + 2]! - rest;
    this.#rateAfter[at] = this.edgeRate[edge]!;
  }

  #passMixed(at: number): void {
    const pieces = this.#pieces;
    const edge = this.edges[at]!;
    const piece = at * CURVE_STRIDE;
    const amount = this.amounts[at]!;
    const depth = pieces[piece]! + amount - pieces[piece + 3]!;
    const y = pieces[piece + 1]!;
    this.#rateAfter[at] = y > 0 ? (pieces[piece]! / depth) * (y / depth) : 0;
    this.edgeIn[edge]! += amount;
    this.edgeOut[edge]! += this.given[at]!;
    this.mixed.pass(edge, amount, at);
    pieces[piece + 2] = -1; // of a state that is not the market's
  }

  #findPiece(edge: number, stands: number, at: number): void {
    const { pool, positionIn, positionOut } = this.#edges;
    const index = pool[edge]! as PoolIndex;
    const family = this.#families[this.#graph.poolCurve[index]!]!;
    family.pieceAt(index, positionIn[edge]!, positionOut[edge]!, stands, this.#pieces, at);
  }

  /** The gradient of the total output by the path's input, and how fast it falls. */
  #runBackward(path: number): void {
    const adjoints = this.#edgeAdjoint;
    const start = path * HOPS_MAX;
    const end = start + this.hops[path]!;
    let adjoint = 1;
    for (let at = end - 1; at >= start; at--) {
      const edge = this.edges[at]!;
      const after = this.#rateAfter[at]!;
      if (this.isMixed(edge)) {
        adjoint = this.mixed.back(edge, at, adjoint, after);
        continue;
      }
      const later = adjoints[edge]!;
      adjoints[edge] = later + adjoint * (after - this.#rateBefore[at]!);
      adjoint = adjoint * after + later;
    }
    this.gradient[path] = Math.max(adjoint, 0);
    // In a chain of curves, 1 / depth adds up, each times the rate up to it. All paths of a pool
    // move together, so each may count only on its share of the pool's depth.
    let reciprocal = 0;
    let upTo = 1;
    for (let at = start; at < end; at++) {
      const edge = this.edges[at]!;
      const amount = this.amounts[at]!;
      const share = this.isMixed(edge)
        ? this.mixed.shareOf(edge, amount)
        : amount / this.edgeIn[edge]!;
      const slowed = share > 0 ? 1 / Math.max(share, SHARE_MIN) : 1;
      reciprocal += (upTo * slowed) / this.edgeDepth[edge]!;
      upTo *= this.#rateAfter[at]!;
    }
    // A path that all but drained a pool must find its way back.
    this.depth[path] = Math.min(1 / reciprocal, Math.max(this.depthMost, 2 * this.amountIn[path]!));
  }

  #reserve(count: number): void {
    if (this.hops.length >= count) return;
    const places = Math.ceil(count * 1.5) + 16;
    this.hops = grown(Uint8Array, this.hops, places);
    this.amountIn = grown(Float64Array, this.amountIn, places);
    this.amountOut = grown(Float64Array, this.amountOut, places);
    this.bound = grown(Float64Array, this.bound, places);
    this.gradient = grown(Float64Array, this.gradient, places);
    this.depth = grown(Float64Array, this.depth, places);
    this.edges = grown(Uint32Array, this.edges, places * HOPS_MAX);
    this.amounts = grown(Float64Array, this.amounts, places * HOPS_MAX);
    this.given = grown(Float64Array, this.given, places * HOPS_MAX);
    this.#rateBefore = grown(Float64Array, this.#rateBefore, places * HOPS_MAX);
    this.#rateAfter = grown(Float64Array, this.#rateAfter, places * HOPS_MAX);
    this.#pieces = grown(Float64Array, this.#pieces, places * HOPS_MAX * CURVE_STRIDE);
  }
}

import { CURVE_STRIDE, type PoolFamily } from "../../Curve.ts";
import { allocate, grown } from "../../graph/buffers.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import { HOPS_MAX } from "../quote.ts";
import { type CandidateEdges, ORIGIN } from "./CandidateEdges.ts";
import type { Layers } from "./Layers.ts";

/**
 * Of a depth that several share, this part is divided by what they carry, the rest by what they
 * move.
 */
const SHARED_BY_AMOUNT = 0.5;
/** The least share of an edge's depth, and of a token's, before division by their number. */
const SHARE_MIN = 0.5;
/** An edge that carries nothing, and gives less than this part of a token's worth, is left out. */
const HOPEFUL = 0.999;
/** Rounds that find which edges of a token carry anything. */
const ROUNDS_MAX = 12;
/** Scales that differ by less than this part count as equal. */
const SAME = 1e-10;
/** An edge is filled a hair below its capacity, so that rounding cannot take it past. */
const FILLED = 1 - 2 ** -30;

/**
 * The sweeps that lead a flow over layers to its optimum. Backwards, each token treats its edges as
 * curves, as `FlowSettler` does with paths, with rates seen at the goal; at their common rate they
 * form such a curve together. Forwards, each token passes on its inflow so that its edges end at
 * one rate. An edge or token that several share counts for each with the depth of its share. Since
 * curves are concave, that is never better than the truth, so sweeps hardly make the flow worse.
 */
export class LayerSweeps {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #edges: CandidateEdges;
  readonly #layers: Layers;
  #maxHops = 0;
  totalIn = 0;
  totalOut = 0;

  // Index: edge. Total input and output; the rate of the next unit; the further input that brings
  // it to a quarter; the most input; what was moved; and the current piece.
  #edgeIn = allocate(Float64Array, 0);
  #edgeOut = allocate(Float64Array, 0);
  #rate = allocate(Float64Array, 0);
  #depth = allocate(Float64Array, 0);
  #capacity = allocate(Float64Array, 0);
  #edgeMoved = allocate(Float64Array, 0);
  #pieces = allocate(Float64Array, 0); // stride CURVE_STRIDE
  // Index: layer × edges + edge. Input and output there; the last change of the input, and the size
  // of that of the output; the root of the next unit's rate at the goal; and the further input that
  // brings that rate to a quarter.
  amounts = allocate(Float64Array, 0);
  #given = allocate(Float64Array, 0);
  #moved = allocate(Float64Array, 0);
  #givenMoved = allocate(Float64Array, 0);
  #root = allocate(Float64Array, 0);
  #reach = allocate(Float64Array, 0);
  // Index: layer × tokens + token. The inflow; how much of it was moved; the rate of the next unit
  // at the goal; and the further inflow that brings that rate to a quarter.
  #inflow = allocate(Float64Array, 0);
  #inflowMoved = allocate(Float64Array, 0);
  #worth = allocate(Float64Array, 0);
  #worthReach = allocate(Float64Array, 0);
  // The edges of a token that carry something or could, one token after the other; index of start
  // and end: layer × tokens + token.
  #hopefulStart = allocate(Uint32Array, 0);
  #hopefulEnd = allocate(Uint32Array, 0);
  #hopeful = allocate(Uint32Array, 0);
  #hopefulCount = 0;

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>, layers: Layers) {
    this.#graph = graph;
    this.#families = families;
    this.#edges = layers.edges;
    this.#layers = layers;
  }

  /** Begins with an empty flow. */
  begin(maxHops: number): void {
    this.totalOut = 0;
    this.#maxHops = maxHops;
    this.#layers.list(maxHops);
    this.#reset();
  }

  /** The rate of the next unit of input, at the goal. */
  get rate(): number {
    return this.#worth[ORIGIN]!;
  }

  /** The input with which the goal gets so much more, by the current curve of the origin. */
  inputForMore(output: number): number {
    const reach = this.#worthReach[ORIGIN]!;
    const rest = this.#worth[ORIGIN]! * reach - output;
    return this.totalIn + (rest > 0 ? (reach * output) / rest : Number.POSITIVE_INFINITY);
  }

  /** Finds what each token is worth at the goal. */
  backward(): void {
    this.#hopefulCount = 0;
    for (let layer = this.#maxHops - 1; layer >= 0; layer--) {
      for (const token of this.#layers.tokens[layer]!) this.#value(layer, token);
    }
  }

  /** Computes the rates of a token's edges, and the token's worth from them. */
  #value(layer: number, token: number): void {
    const { count, middleEnd, to, tokenCount } = this.#edges;
    const end = this.#layers.endOf(token);
    const node = layer * tokenCount + token;
    const least = this.#worth[node]! * HOPEFUL;
    let best = 0;
    let bestReach = 0;
    this.#hopefulStart[node] = this.#hopefulCount;
    for (let at = this.#layers.startOf(layer, token); at < end; at++) {
      const edge = this.#layers.edgeAt(at);
      const place = layer * count + edge;
      const next = (layer + 1) * tokenCount + to[edge]!;
      const rate = this.#rate[edge]!;
      const worth = edge < middleEnd ? rate * this.#worth[next]! : rate;
      const amount = this.amounts[place]!;
      if (amount === 0 && !(worth > least)) continue;
      this.#hopeful[this.#hopefulCount++] = edge;
      this.#root[place] = Math.sqrt(worth);
      if (worth === 0) continue;
      const whole = this.#edgeIn[edge]!;
      const share =
        whole > 0
          ? shareOf(amount / whole, Math.abs(this.#moved[place]!), this.#edgeMoved[edge]!)
          : 1;
      let reciprocal = 1 / (Math.max(share, SHARE_MIN / HOPS_MAX) * this.#depth[edge]!);
      if (edge < middleEnd)
        reciprocal += rate / (this.#shareOfNext(place, next) * this.#worthReach[next]!);
      this.#reach[place] = 1 / reciprocal;
      if (worth <= best) continue;
      best = worth;
      bestReach = 1 / reciprocal;
    }
    this.#hopefulEnd[node] = this.#hopefulCount;
    this.#worth[node] = best;
    this.#worthReach[node] = bestReach;
    if (best > 0 && this.#inflow[node]! > 0) this.#balance(layer, token, this.#inflow[node]!, 0);
  }

  #shareOfNext(place: number, next: number): number {
    const all = this.#inflow[next]!;
    if (all === 0) return 1;
    const moved = this.#inflowMoved[next]!;
    const share = shareOf(this.#given[place]! / all, this.#givenMoved[place]!, moved);
    return Math.max(share, SHARE_MIN / this.#layers.entries[next]!);
  }

  /**
   * Sets the token's worth to where its edges together take `amount`, and returns 1 / √worth: an
   * edge's amount is linear in that from where it takes anything. Each edge begins where a part
   * `momentum` of its last move takes it.
   */
  #balance(layer: number, token: number, amount: number, momentum: number): number {
    const { count, tokenCount } = this.#edges;
    const node = layer * tokenCount + token;
    const start = this.#hopefulStart[node]!;
    const end = this.#hopefulEnd[node]!;
    let scale = 1 / Math.sqrt(this.#worth[node]!);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      let fixed = 0;
      let slope = 0;
      for (let at = start; at < end; at++) {
        const edge = this.#hopeful[at]!;
        const place = layer * count + edge;
        const root = this.#root[place]!;
        if (root === 0) continue;
        const reach = this.#reach[place]!;
        const from = this.#movedOn(place, momentum);
        const taken = from + reach * (root * scale - 1);
        if (taken < 0) continue;
        const most = this.#capacity[edge]! - this.#edgeIn[edge]! + this.amounts[place]!;
        if (taken > most) {
          fixed += most;
          continue;
        }
        fixed += from - reach;
        slope += reach * root;
      }
      const next = slope > 0 ? (amount - fixed) / slope : 2 * scale;
      if (!(next > 0)) {
        scale /= 2;
        continue;
      }
      const isSame = Math.abs(next - scale) <= SAME * scale;
      scale = next;
      if (slope === 0) continue;
      this.#worth[node] = 1 / (scale * scale);
      this.#worthReach[node] = slope * scale;
      if (isSame) break;
    }
    return scale;
  }

  /** What a place would carry if it only repeated a part of its last move. */
  #movedOn(place: number, momentum: number): number {
    const carried = this.amounts[place]!;
    return carried > 0 ? carried + momentum * this.#moved[place]! : 0;
  }

  /** Passes `totalIn` on; each amount repeats a part of its last move. */
  forward(momentum: number): void {
    const { count, middleEnd, tokenCount } = this.#edges;
    this.#edgeMoved.fill(0, 0, count);
    this.#inflow.fill(0, 0, this.#maxHops * tokenCount);
    this.#inflowMoved.fill(0, 0, this.#maxHops * tokenCount);
    this.#inflow[ORIGIN] = this.totalIn;
    for (let layer = 0; layer < this.#maxHops; layer++) {
      for (const token of this.#layers.tokens[layer]!) {
        if (this.#worth[layer * tokenCount + token]! > 0) this.#handOn(layer, token, momentum);
      }
    }
    this.totalOut = 0;
    for (let edge = middleEnd; edge < count; edge++) this.totalOut += this.#edgeOut[edge]!;
  }

  #handOn(layer: number, token: number, momentum: number): void {
    const { count, tokenCount } = this.#edges;
    const node = layer * tokenCount + token;
    const arrived = this.#inflow[node]!;
    const scale = arrived > 0 ? this.#balance(layer, token, arrived, momentum) : 0;
    const end = this.#hopefulEnd[node]!;
    for (let at = this.#hopefulStart[node]!; at < end; at++) {
      const edge = this.#hopeful[at]!;
      const place = layer * count + edge;
      const root = this.#root[place]!;
      const wanted =
        scale > 0 && root > 0
          ? this.#movedOn(place, momentum) + this.#reach[place]! * (root * scale - 1)
          : 0;
      if (wanted > 0 || this.amounts[place]! > 0) this.#carry(layer, edge, Math.max(0, wanted));
    }
  }

  /** Makes an edge carry an amount in a layer. */
  #carry(layer: number, edge: number, wanted: number): void {
    const { count, middleEnd, to, tokenCount } = this.#edges;
    const place = layer * count + edge;
    const carried = this.amounts[place]!;
    const most = this.#capacity[edge]! - this.#edgeIn[edge]! + carried;
    const amount = Math.min(wanted, most);
    this.#stand(edge, Math.max(amount, this.#edgeIn[edge]! + amount - carried));
    const given = amount > 0 ? (amount / this.#edgeIn[edge]!) * this.#edgeOut[edge]! : 0;
    this.amounts[place] = amount;
    this.#moved[place] = amount - carried;
    this.#edgeMoved[edge]! += Math.abs(amount - carried);
    if (edge >= middleEnd) return;
    const next = (layer + 1) * tokenCount + to[edge]!;
    this.#givenMoved[place] = Math.abs(given - this.#given[place]!);
    this.#given[place] = given;
    this.#inflow[next]! += given;
    this.#inflowMoved[next]! += this.#givenMoved[place]!;
  }

  /** Moves an edge to where its total input is `amount`. */
  #stand(edge: number, amount: number): void {
    const pieces = this.#pieces;
    const at = edge * CURVE_STRIDE;
    let rest = amount - pieces[at + 3]!;
    if (!(rest >= 0 && rest <= pieces[at + 2]!)) {
      const { pool, positionIn, positionOut } = this.#edges;
      const index = pool[edge]! as PoolIndex;
      const family = this.#families[this.#graph.poolCurve[index]!]!;
      family.pieceAt(index, positionIn[edge]!, positionOut[edge]!, amount, pieces, at);
      rest = amount - pieces[at + 3]!;
    }
    const x = pieces[at]!;
    const y = pieces[at + 1]!;
    this.#edgeIn[edge] = amount;
    if (y === 0) {
      // Full: the rest is lost in this sweep, and goes elsewhere in later ones.
      this.#capacity[edge] = pieces[at + 3]! * FILLED;
      this.#edgeOut[edge] = pieces[at + 4]!;
      return;
    }
    const depth = x + rest;
    this.#edgeOut[edge] = pieces[at + 4]! + (y * rest) / depth;
    this.#depth[edge] = depth;
    this.#rate[edge] = (x / depth) * (y / depth);
  }

  #reset(): void {
    const { count, limit, tokenCount, x, y } = this.#edges;
    this.#reserve(count, tokenCount);
    for (let edge = 0; edge < count; edge++) {
      const at = edge * CURVE_STRIDE;
      this.#edgeIn[edge] = 0;
      this.#edgeOut[edge] = 0;
      this.#rate[edge] = y[edge]! / x[edge]!;
      this.#depth[edge] = x[edge]!;
      this.#capacity[edge] = Number.POSITIVE_INFINITY;
      this.#pieces[at] = x[edge]!;
      this.#pieces[at + 1] = y[edge]!;
      this.#pieces[at + 2] = limit[edge]!;
      this.#pieces[at + 3] = 0;
      this.#pieces[at + 4] = 0;
    }
    for (const values of [this.amounts, this.#given, this.#moved, this.#givenMoved]) {
      values.fill(0, 0, this.#maxHops * count);
    }
    for (const values of [this.#inflow, this.#inflowMoved, this.#worth]) {
      values.fill(0, 0, this.#maxHops * tokenCount);
    }
  }

  #reserve(edges: number, tokens: number): void {
    const places = this.#maxHops * edges;
    const nodes = this.#maxHops * tokens;
    this.#edgeIn = grown(Float64Array, this.#edgeIn, edges);
    this.#edgeOut = grown(Float64Array, this.#edgeOut, edges);
    this.#rate = grown(Float64Array, this.#rate, edges);
    this.#depth = grown(Float64Array, this.#depth, edges);
    this.#capacity = grown(Float64Array, this.#capacity, edges);
    this.#edgeMoved = grown(Float64Array, this.#edgeMoved, edges);
    this.#pieces = grown(Float64Array, this.#pieces, edges * CURVE_STRIDE);
    this.amounts = grown(Float64Array, this.amounts, places);
    this.#given = grown(Float64Array, this.#given, places);
    this.#moved = grown(Float64Array, this.#moved, places);
    this.#givenMoved = grown(Float64Array, this.#givenMoved, places);
    this.#root = grown(Float64Array, this.#root, places);
    this.#reach = grown(Float64Array, this.#reach, places);
    this.#inflow = grown(Float64Array, this.#inflow, nodes);
    this.#inflowMoved = grown(Float64Array, this.#inflowMoved, nodes);
    this.#worth = grown(Float64Array, this.#worth, nodes);
    this.#worthReach = grown(Float64Array, this.#worthReach, nodes);
    this.#hopefulStart = grown(Uint32Array, this.#hopefulStart, nodes);
    this.#hopefulEnd = grown(Uint32Array, this.#hopefulEnd, nodes);
    this.#hopeful = grown(Uint32Array, this.#hopeful, places);
  }
}

/** The part of a shared depth that one of several gets. */
function shareOf(amountShare: number, moved: number, allMoved: number): number {
  if (allMoved === 0) return amountShare;
  return SHARED_BY_AMOUNT * amountShare + ((1 - SHARED_BY_AMOUNT) * moved) / allMoved;
}

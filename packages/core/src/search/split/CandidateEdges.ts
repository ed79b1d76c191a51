import { allocate, grown } from "../../graph/buffers.ts";
import { PIECE_STRIDE, type PoolGraph } from "../../graph/PoolGraph.ts";
import type { PoolMask } from "../PoolMask.ts";
import { HOPS_MAX } from "../quote.ts";
import { type EdgeTerms, isOfUse } from "./edgeTerms.ts";

/** Local index of the token in, and of the token out. */
export const ORIGIN = 0;
export const GOAL = 1;

/**
 * The edges that a split could use: those on some walk of at most `maxHops` edges from origin to
 * goal whose first unit beats the floor. Rates only fall with the input, so no other edge helps
 * while the last unit of every path gives the floor.
 *
 * They come in three parts: edges that leave the origin, edges between, edges that enter the goal
 * (which include any that do both). Allocates only to grow.
 */
export class CandidateEdges {
  readonly #graph: PoolGraph;
  readonly #mask: PoolMask;

  firstEnd = 0;
  middleEnd = 0;
  count = 0;
  // Index: edge.
  from = allocate(Uint32Array, 0); // local token
  to = allocate(Uint32Array, 0);
  pool = allocate(Uint32Array, 0);
  positionIn = allocate(Uint8Array, 0);
  positionOut = allocate(Uint8Array, 0);
  x = allocate(Float64Array, 0); // of the leading piece: y × a / (x + a)
  y = allocate(Float64Array, 0);
  limit = allocate(Float64Array, 0); // of a
  group = allocate(Uint32Array, 0); // see `#findGroups`; 0 for no group
  nextInGroup = allocate(Uint32Array, 0); // the next edge of its group, in a ring
  /** Groups are numbered from 1 on. */
  groupCount = 0;

  tokenCount = 0;
  // Index: local token.
  tokens = allocate(Uint32Array, 0);

  // Index: token. Local index plus one; all 0 between two searches.
  #local = allocate(Uint32Array, 0);
  // Index: pool. The first edge of a pool of many tokens plus one; all 0 between two searches.
  #firstEdge = allocate(Uint32Array, 0);
  // Index: hops, then token: best rate from the origin over so many edges, and to the goal over at
  // most so many. All 0 between two searches.
  readonly #forward = Array.from({ length: HOPS_MAX }, () => allocate(Float64Array, 0));
  readonly #backward = Array.from({ length: HOPS_MAX }, () => allocate(Float64Array, 0));
  // Index: hops. The tokens that have a label.
  readonly #forwardTokens: number[][] = Array.from({ length: HOPS_MAX }, () => []);
  readonly #backwardTokens: number[][] = Array.from({ length: HOPS_MAX }, () => []);
  // Index: slot of the list of the token in. 1: among the edges. All 0 between searches.
  #isKept = allocate(Uint8Array, 0);
  readonly #kept: number[] = [];

  #terms: EdgeTerms = { origin: 0, goal: 0, maxHops: 0, floorRate: 0, output: 0 };

  constructor(graph: PoolGraph, mask: PoolMask) {
    this.#graph = graph;
    this.#mask = mask;
  }

  collect(terms: EdgeTerms): void {
    this.#terms = terms;
    this.#reserve();
    this.count = 0;
    this.tokenCount = 0;
    this.#localOf(terms.origin);
    this.#localOf(terms.goal);
    if (terms.maxHops > 1) this.#labelGoalNeighbours();
    for (let hops = 2; hops <= terms.maxHops - 2; hops++) this.#labelBackward(hops);
    if (terms.maxHops > 1) this.#labelOriginNeighbours();
    for (let hops = 2; hops < terms.maxHops; hops++) this.#keepBetween(hops);
    this.#addFirst();
    this.firstEnd = this.count;
    for (const slot of this.#kept) this.#addOut(slot);
    this.middleEnd = this.count;
    this.#addLast();
    this.#findGroups();
    this.#forget();
  }

  /** The edge through a pool, if it was collected. */
  find(pool: number, positionIn: number, positionOut: number): number | undefined {
    for (let edge = 0; edge < this.count; edge++) {
      if (this.pool[edge] !== pool || this.positionIn[edge] !== positionIn) continue;
      if (this.positionOut[edge] === positionOut) return edge;
    }
    return undefined;
  }

  /** Tokens from which one edge leads to the goal. */
  #labelGoalNeighbours(): void {
    const { slotIn, slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const { origin, goal } = this.#terms;
    const labels = this.#backward[1]!;
    for (let slot = slotStart[goal]!; slot < slotTransitEnd[goal]!; slot++) {
      const token = slotNeighbour[slot]!;
      if (token === origin || this.#mask.blocks(slotPool[slot]!)) continue;
      const rate = rateOf(slotIn, slot);
      if (labels[token] === 0 && rate > 0) this.#backwardTokens[1]!.push(token);
      if (rate > labels[token]!) labels[token] = rate;
    }
  }

  /** Tokens from which at most `hops` edges lead to the goal, from those with one fewer. */
  #labelBackward(hops: number): void {
    const { slotIn, slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const { origin, goal } = this.#terms;
    const nearer = this.#backward[hops - 1]!;
    const labels = this.#backward[hops]!;
    const reached = this.#backwardTokens[hops]!;
    for (const token of this.#backwardTokens[hops - 1]!) {
      labels[token] = nearer[token]!;
      reached.push(token);
    }
    for (const token of this.#backwardTokens[hops - 1]!) {
      const label = nearer[token]!;
      for (let slot = slotStart[token]!; slot < slotTransitEnd[token]!; slot++) {
        const neighbour = slotNeighbour[slot]!;
        const rate = rateOf(slotIn, slot) * label;
        if (!(rate > labels[neighbour]!) || neighbour === origin || neighbour === goal) continue;
        if (this.#mask.blocks(slotPool[slot]!)) continue;
        if (labels[neighbour] === 0) reached.push(neighbour);
        labels[neighbour] = rate;
      }
    }
  }

  #labelOriginNeighbours(): void {
    const { slotNeighbour, slotOut, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const { origin, goal } = this.#terms;
    const labels = this.#forward[1]!;
    for (let slot = slotStart[origin]!; slot < slotTransitEnd[origin]!; slot++) {
      const token = slotNeighbour[slot]!;
      if (token === goal || this.#mask.blocks(slotPool[slot]!)) continue;
      const rate = rateOf(slotOut, slot);
      if (labels[token] === 0 && rate > 0) this.#forwardTokens[1]!.push(token);
      if (rate > labels[token]!) labels[token] = rate;
    }
  }

  /** Keeps the edges that could be the `hops`-th of a walk, and labels their ends. */
  #keepBetween(hops: number): void {
    const { slotNeighbour, slotOut, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const { origin, maxHops, floorRate } = this.#terms;
    const before = this.#forward[hops - 1]!;
    const after = this.#backward[maxHops - hops]!;
    const labels = this.#forward[hops]!;
    for (const token of this.#forwardTokens[hops - 1]!) {
      const label = before[token]!;
      // The best rate of the rest from here, where it is known.
      const rest = this.#backward[maxHops - hops + 1]![token]!;
      if (hops > 2 && label * rest <= floorRate) continue;
      for (let slot = slotStart[token]!; slot < slotTransitEnd[token]!; slot++) {
        const neighbour = slotNeighbour[slot]!;
        const toGoal = after[neighbour]!; // 0 at the origin and the goal
        if (toGoal === 0) continue;
        const rate = rateOf(slotOut, slot);
        if (!isOfUse(this.#terms, label, rate, toGoal, slotOut[slot * PIECE_STRIDE]!)) continue;
        if (neighbour === origin || this.#mask.blocks(slotPool[slot]!)) continue;
        if (labels[neighbour] === 0) this.#forwardTokens[hops]!.push(neighbour);
        if (label * rate > labels[neighbour]!) labels[neighbour] = label * rate;
        this.#raiseBackward(maxHops - hops + 1, token, rate * toGoal);
        if (this.#isKept[slot] === 1) continue;
        this.#isKept[slot] = 1;
        this.#kept.push(slot);
      }
    }
  }

  #raiseBackward(hops: number, token: number, rate: number): void {
    const labels = this.#backward[hops]!;
    if (labels[token] === 0) this.#backwardTokens[hops]!.push(token);
    if (rate > labels[token]!) labels[token] = rate;
  }

  #addFirst(): void {
    const { slotNeighbour, slotOut, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const { origin, goal, maxHops } = this.#terms;
    if (maxHops === 1) return;
    for (let slot = slotStart[origin]!; slot < slotTransitEnd[origin]!; slot++) {
      const token = slotNeighbour[slot]!;
      if (token === goal || this.#mask.blocks(slotPool[slot]!)) continue;
      const toGoal = Math.max(this.#backward[maxHops - 1]![token]!, this.#backward[1]![token]!);
      const x = slotOut[slot * PIECE_STRIDE]!;
      if (isOfUse(this.#terms, 1, rateOf(slotOut, slot), toGoal, x)) this.#addOut(slot);
    }
  }

  #addLast(): void {
    const { slotEnd, slotIn, slotNeighbour, slotPool, slotStart } = this.#graph;
    const { origin, goal, maxHops } = this.#terms;
    for (let slot = slotStart[goal]!; slot < slotEnd[goal]!; slot++) {
      const token = slotNeighbour[slot]!;
      if (this.#mask.blocks(slotPool[slot]!)) continue;
      let before = token === origin ? 1 : 0;
      for (let hops = 1; hops < maxHops; hops++) {
        before = Math.max(before, this.#forward[hops]![token]!);
      }
      const x = slotIn[slot * PIECE_STRIDE]!;
      if (before > 0 && isOfUse(this.#terms, before, rateOf(slotIn, slot), 1, x)) this.#addIn(slot);
    }
  }

  /** Adds the edge that leaves the token of a list. */
  #addOut(slot: number): void {
    const { poolTokens, poolTokenStart, slotNeighbour, slotOut, slotPool, slotPositions } =
      this.#graph;
    const positions = slotPositions[slot]!;
    const from = poolTokens[poolTokenStart[slotPool[slot]!]! + (positions >> 3)]!;
    this.#add(slot, from, slotNeighbour[slot]!, positions >> 3, positions & 7, slotOut);
  }

  /** Adds the edge that enters the goal over a slot of its list. */
  #addIn(slot: number): void {
    const { slotIn, slotNeighbour, slotPositions } = this.#graph;
    const positions = slotPositions[slot]!;
    const from = slotNeighbour[slot]!;
    this.#add(slot, from, this.#terms.goal, positions & 7, positions >> 3, slotIn);
  }

  #add(
    slot: number,
    from: number,
    to: number,
    positionIn: number,
    positionOut: number,
    pieces: Float64Array,
  ): void {
    const edge = this.count++;
    this.#reserveEdges(this.count);
    this.from[edge] = this.#localOf(from);
    this.to[edge] = this.#localOf(to);
    this.pool[edge] = this.#graph.slotPool[slot]!;
    this.positionIn[edge] = positionIn;
    this.positionOut[edge] = positionOut;
    this.x[edge] = pieces[slot * PIECE_STRIDE]!;
    this.y[edge] = pieces[slot * PIECE_STRIDE + 1]!;
    this.limit[edge] = pieces[slot * PIECE_STRIDE + 2]!;
  }

  /**
   * A swap over one edge of a pool moves the pool's other edges. In pools of more than two tokens
   * such edges, if there are several, form a group. The two directions of a pair are no group: no
   * route goes both ways.
   */
  #findGroups(): void {
    const { poolTokenCount } = this.#graph;
    this.groupCount = 0;
    for (let edge = 0; edge < this.count; edge++) {
      const pool = this.pool[edge]!;
      this.group[edge] = 0;
      if (poolTokenCount[pool]! === 2) continue;
      const first = this.#firstEdge[pool]! - 1;
      if (first < 0) {
        this.#firstEdge[pool] = edge + 1;
        this.nextInGroup[edge] = edge;
        continue;
      }
      if (this.group[first] === 0) this.group[first] = ++this.groupCount;
      this.group[edge] = this.group[first]!;
      this.nextInGroup[edge] = this.nextInGroup[first]!;
      this.nextInGroup[first] = edge;
    }
    for (let edge = 0; edge < this.count; edge++) this.#firstEdge[this.pool[edge]!] = 0;
  }

  #localOf(token: number): number {
    const known = this.#local[token]!;
    if (known > 0) return known - 1;
    const local = this.tokenCount++;
    this.tokens = grown(Uint32Array, this.tokens, this.tokenCount);
    this.tokens[local] = token;
    this.#local[token] = local + 1;
    return local;
  }

  #forget(): void {
    for (let local = 0; local < this.tokenCount; local++) this.#local[this.tokens[local]!] = 0;
    for (const slot of this.#kept) this.#isKept[slot] = 0;
    this.#kept.length = 0;
    for (let hops = 1; hops < HOPS_MAX; hops++) {
      for (const token of this.#forwardTokens[hops]!) this.#forward[hops]![token] = 0;
      for (const token of this.#backwardTokens[hops]!) this.#backward[hops]![token] = 0;
      this.#forwardTokens[hops]!.length = 0;
      this.#backwardTokens[hops]!.length = 0;
    }
  }

  #reserve(): void {
    const { poolCount, slotsLength, tokenCount } = this.#graph;
    this.#firstEdge = grown(Uint32Array, this.#firstEdge, poolCount);
    this.#local = grown(Uint32Array, this.#local, tokenCount);
    this.#isKept = grown(Uint8Array, this.#isKept, slotsLength);
    for (let hops = 1; hops < HOPS_MAX; hops++) {
      this.#forward[hops] = grown(Float64Array, this.#forward[hops]!, tokenCount);
      this.#backward[hops] = grown(Float64Array, this.#backward[hops]!, tokenCount);
    }
  }

  #reserveEdges(count: number): void {
    if (this.x.length >= count) return;
    this.from = grown(Uint32Array, this.from, count);
    this.to = grown(Uint32Array, this.to, count);
    this.pool = grown(Uint32Array, this.pool, count);
    this.positionIn = grown(Uint8Array, this.positionIn, count);
    this.positionOut = grown(Uint8Array, this.positionOut, count);
    this.x = grown(Float64Array, this.x, count);
    this.y = grown(Float64Array, this.y, count);
    this.limit = grown(Float64Array, this.limit, count);
    this.group = grown(Uint32Array, this.group, count);
    this.nextInGroup = grown(Uint32Array, this.nextInGroup, count);
  }
}

/** The rate of the first unit; 0 for an empty pool. */
function rateOf(pieces: Float64Array, slot: number): number {
  return pieces[slot * PIECE_STRIDE + 1]! / pieces[slot * PIECE_STRIDE]!;
}

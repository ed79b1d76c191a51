import { allocate, grown } from "../../graph/buffers.ts";
import { PIECE_STRIDE, type PoolGraph } from "../../graph/PoolGraph.ts";
import type { PoolMask } from "../PoolMask.ts";
import { HOPS_MAX } from "../quote.ts";
import { slotsBetween } from "../slotsBetween.ts";
import { NOBODY } from "../terms.ts";
import type { EdgeCurves } from "./EdgeCurves.ts";
import { MiddleEdges } from "./MiddleEdges.ts";

/**
 * The worth of a unit of each token at the goal over at most so many pools: the greatest product of
 * the edges' slopes over all paths. Such a path passes neither the origin nor the goal, and does
 * not return to a token after two pools.
 */
export class TokenWorths {
  readonly #graph: PoolGraph;
  readonly #mask: PoolMask;
  readonly #edges: EdgeCurves;
  #origin = 0;
  #goal = 0;
  #maxHops = 0;

  // Index: hops left, then token; all 0 between two uses. The greatest worth, its first token on
  // the way, and the greatest with another first token.
  readonly #worth = Array.from({ length: HOPS_MAX }, () => allocate(Float64Array, 0));
  readonly #first = Array.from({ length: HOPS_MAX }, () => allocate(Uint32Array, 0));
  readonly #second = Array.from({ length: HOPS_MAX }, () => allocate(Float64Array, 0));
  // Index: token. 1: a pool leads to it from the origin, so it can have all other hops left.
  #isNearOrigin = allocate(Uint8Array, 0);
  /** By hops left: the tokens with a worth. */
  readonly #tokens: number[][] = Array.from({ length: HOPS_MAX }, () => []);
  /** By hops left before them: the edges between two tokens, kept as long as they stay the same. */
  readonly #middle = Array.from({ length: HOPS_MAX }, () => new MiddleEdges());
  // Slots of edges between two tokens whose first unit beat the worth known at the time: no others
  // rise above the line of their tokens' worths. And the tokens whose lists hold these slots.
  readonly #steepSlots: number[] = [];
  readonly #steepTokens: number[] = [];
  // Index: slot. The labelling in which it was found to be steep.
  #steepSince = allocate(Uint32Array, 0);
  #labelling = 0;
  /** The most that the bonus of any edge is worth; see `PoolFamily.leadingPiece`. */
  bonus = 0;

  constructor(graph: PoolGraph, mask: PoolMask, edges: EdgeCurves) {
    this.#graph = graph;
    this.#mask = mask;
    this.#edges = edges;
  }

  /** For another market, request or filter: the edges may differ. */
  forget(): void {
    for (const edges of this.#middle) edges.forget();
  }

  begin(origin: number, goal: number, maxHops: number): void {
    this.#origin = origin;
    this.#goal = goal;
    this.#maxHops = maxHops;
    const { tokenCount } = this.#graph;
    for (let hops = 0; hops < maxHops; hops++) {
      this.#worth[hops] = grown(Float64Array, this.#worth[hops]!, tokenCount);
      this.#first[hops] = grown(Uint32Array, this.#first[hops]!, tokenCount);
      this.#second[hops] = grown(Float64Array, this.#second[hops]!, tokenCount);
    }
    this.#isNearOrigin = grown(Uint8Array, this.#isNearOrigin, tokenCount);
    this.#steepSince = grown(Uint32Array, this.#steepSince, this.#graph.slotsLength);
    this.#markNearOrigin(1);
  }

  /** Leaves all arrays at 0. */
  end(): void {
    this.#clear();
    this.#markNearOrigin(0);
  }

  #markNearOrigin(mark: 0 | 1): void {
    const { slotNeighbour, slotStart, slotTransitEnd } = this.#graph;
    const end = slotTransitEnd[this.#origin]!;
    for (let slot = slotStart[this.#origin]!; slot < end; slot++) {
      this.#isNearOrigin[slotNeighbour[slot]!] = mark;
    }
  }

  #clear(): void {
    for (let hops = 0; hops < this.#maxHops; hops++) {
      for (const token of this.#tokens[hops]!) {
        this.#worth[hops]![token] = 0;
        this.#second[hops]![token] = 0;
      }
      this.#tokens[hops]!.length = 0;
    }
    this.#steepSlots.length = 0;
    this.#steepTokens.length = 0;
    if (this.#labelling === 2 ** 32 - 1) {
      this.#steepSince.fill(0);
      this.#labelling = 0;
    }
    this.#labelling++;
  }

  /** The worth of a token other than the origin, over at most `hops` pools. */
  at(hops: number, token: number): number {
    return token === this.#goal ? 1 : hops === 0 ? 0 : this.#worth[hops]![token]!;
  }

  /**
   * Computes the worths over ever more pools, and returns that of the origin. `raise` may raise
   * those over a number of pools before the next ones are computed from them.
   */
  label(raise: (hops: number) => void): number {
    this.#clear();
    this.bonus = 0;
    for (let hops = 1; hops < this.#maxHops; hops++) {
      if (hops === 1) this.#labelLast();
      else this.#labelBefore(hops);
      raise(hops);
    }
    return this.#ofOrigin();
  }

  /** Makes a token worth at least so much over at most `hops` pools. */
  raise(hops: number, token: number, worth: number): void {
    if (token !== this.#goal && token !== this.#origin) this.#offer(hops, token, worth, NOBODY);
  }

  #labelLast(): void {
    const { slotIn, slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const end = slotTransitEnd[this.#goal]!;
    for (let slot = slotStart[this.#goal]!; slot < end; slot++) {
      const token = slotNeighbour[slot]!;
      if (token === this.#origin || this.#mask.blocks(slotPool[slot]!)) continue;
      const worth = this.#edges.slopeIn(slot, 1, this.#worth[1]![token]!);
      this.bonus = Math.max(this.bonus, slotIn[slot * PIECE_STRIDE + 3]! * worth);
      if (worth > 0) this.#offer(1, token, worth, this.#goal);
    }
  }

  #labelBefore(hops: number): void {
    const before = hops - 1;
    const worths = this.#worth[before]!;
    const firsts = this.#first[before]!;
    const others = this.#second[before]!;
    const seconds = this.#second[hops]!;
    const middle = this.#middleEdges(hops);
    const { bonuses, ends, from, rates, slots, tokens } = middle;
    let place = 0;
    for (let index = 0; index < tokens.length; index++) {
      const token = tokens[index]!;
      const worth = worths[token]!;
      const first = firsts[token]!;
      const second = others[token]!;
      // Only the first pool of a path leads to tokens with as many hops left.
      if (hops < this.#maxHops - 1 || this.#isNearOrigin[token] === 1) {
        this.#offer(hops, token, worth, first);
        if (second > 0) this.#offer(hops, token, second, NOBODY);
      }
      for (const end = ends[index]!; place < end; place++) {
        const neighbour = from[place]!;
        // Back to the next token of the way: a circle.
        const after = neighbour === first ? second : worth;
        const known = seconds[neighbour]!;
        const most = rates[place]! * after;
        const bonus = bonuses[place]!;
        if (!(most > known)) {
          if (bonus > 0) this.bonus = Math.max(this.bonus, bonus * most);
          continue;
        }
        const slot = slots[place]!;
        this.#noteSteep(slot, token);
        const offered = this.#edges.slopeIn(slot, after, known / after) * after;
        if (bonus > 0) this.bonus = Math.max(this.bonus, bonus * offered);
        if (offered > known) this.#offer(hops, neighbour, offered, token);
      }
    }
  }

  /** The edges after which `hops` − 1 hops are left. */
  #middleEdges(hops: number): MiddleEdges {
    const { slotIn, slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const middle = this.#middle[hops]!;
    if (middle.leadTo(this.#tokens[hops - 1]!, this.#worth[hops - 1]!)) return middle;
    middle.forget();
    const isFirst = hops === this.#maxHops - 1;
    for (const token of this.#tokens[hops - 1]!) {
      const end = slotTransitEnd[token]!;
      middle.beginToken(token, end - slotStart[token]!);
      for (let slot = slotStart[token]!; slot < end; slot++) {
        const neighbour = slotNeighbour[slot]!;
        if (isFirst && this.#isNearOrigin[neighbour] === 0) continue;
        if (neighbour === this.#origin || neighbour === this.#goal) continue;
        if (this.#mask.blocks(slotPool[slot]!)) continue;
        const rate = this.#edges.firstSlopeIn(slot);
        middle.add(slot, neighbour, rate, slotIn[slot * PIECE_STRIDE + 3]!);
      }
    }
    return middle;
  }

  #noteSteep(slot: number, token: number): void {
    if (this.#steepSince[slot] === this.#labelling) return;
    this.#steepSince[slot] = this.#labelling;
    this.#steepSlots.push(slot);
    this.#steepTokens.push(token);
  }

  #ofOrigin(): number {
    const graph = this.#graph;
    const { slotNeighbour, slotStart, slotTransitEnd } = graph;
    let most = 0;
    const direct = slotsBetween(graph, this.#origin, this.#goal);
    for (let slot = direct.start; slot < direct.end; slot++) {
      most = Math.max(most, this.#throughFirst(slot, 1, most));
    }
    if (this.#maxHops === 1) return most;
    const worths = this.#worth[this.#maxHops - 1]!;
    const end = slotTransitEnd[this.#origin]!;
    for (let slot = slotStart[this.#origin]!; slot < end; slot++) {
      most = Math.max(most, this.#throughFirst(slot, worths[slotNeighbour[slot]!]!, most));
    }
    return most;
  }

  /**
   * The most that all edges can give beyond their input, at the computed worths and `ofOrigin`. An
   * edge may stand at several places of paths, and counts at its best for all.
   */
  excess(ofOrigin: number): number {
    return this.#excessOfLast() + this.#excessBetween() + this.#excessOfFirst(ofOrigin);
  }

  #excessOfLast(): number {
    const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    let sum = 0;
    if (this.#maxHops === 1) return sum;
    const end = slotTransitEnd[this.#goal]!;
    for (let slot = slotStart[this.#goal]!; slot < end; slot++) {
      const token = slotNeighbour[slot]!;
      if (!this.#edges.mayExceed(slotPool[slot]!)) continue;
      if (token === this.#origin || this.#mask.blocks(slotPool[slot]!)) continue;
      sum += this.#edges.excessIn(slot, this.#worth[1]![token]!);
    }
    return sum;
  }

  #excessBetween(): number {
    const { slotNeighbour, slotPool } = this.#graph;
    let sum = 0;
    for (let index = 0; index < this.#steepSlots.length; index++) {
      const slot = this.#steepSlots[index]!;
      const token = this.#steepTokens[index]!;
      if (!this.#edges.mayExceed(slotPool[slot]!)) continue;
      const neighbour = slotNeighbour[slot]!;
      let slope = Number.POSITIVE_INFINITY;
      let most = 0;
      const hopsMax = this.#maxHops - (this.#isNearOrigin[neighbour] === 1 ? 1 : 2);
      for (let hops = 2; hops <= hopsMax; hops++) {
        const isCircle = this.#first[hops - 1]![token] === neighbour;
        const after = (isCircle ? this.#second : this.#worth)[hops - 1]![token]!;
        if (after === 0) continue;
        slope = Math.min(slope, this.#worthBefore(hops, neighbour, token) / after);
        most = Math.max(most, after);
      }
      sum += most * this.#edges.excessIn(slot, slope);
    }
    return sum;
  }

  /** The least worth of a token where it is swapped for another, wherever it came from. */
  #worthBefore(hops: number, token: number, next: number): number {
    // Amounts from the origin may go anywhere; others may not go back where they were.
    const isFree = hops === this.#maxHops - 1 || this.#first[hops]![token] === next;
    return (isFree ? this.#worth : this.#second)[hops]![token]!;
  }

  #excessOfFirst(ofOrigin: number): number {
    const graph = this.#graph;
    const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = graph;
    let sum = 0;
    const direct = slotsBetween(graph, this.#origin, this.#goal);
    for (let slot = direct.start; slot < direct.end; slot++) {
      if (!this.#mask.blocks(slotPool[slot]!)) sum += this.#edges.excessOut(slot, ofOrigin);
    }
    if (this.#maxHops === 1) return sum;
    const worths = this.#worth[this.#maxHops - 1]!;
    const end = slotTransitEnd[this.#origin]!;
    for (let slot = slotStart[this.#origin]!; slot < end; slot++) {
      const after = worths[slotNeighbour[slot]!]!;
      if (after === 0 || this.#mask.blocks(slotPool[slot]!)) continue;
      sum += after * this.#edges.excessOut(slot, ofOrigin / after);
    }
    return sum;
  }

  /** The worth of a unit of the origin over a slot of its list, if that is more than `floor`. */
  #throughFirst(slot: number, after: number, floor: number): number {
    const { slotOut, slotPool } = this.#graph;
    if (after === 0 || this.#mask.blocks(slotPool[slot]!)) return 0;
    const worth = this.#edges.slopeOut(slot, after, floor / after) * after;
    this.bonus = Math.max(this.bonus, slotOut[slot * PIECE_STRIDE + 3]! * worth);
    return worth;
  }

  #offer(hops: number, token: number, worth: number, first: number): void {
    const worths = this.#worth[hops]!;
    const firsts = this.#first[hops]!;
    const seconds = this.#second[hops]!;
    const known = worths[token]!;
    if (known === 0) this.#tokens[hops]!.push(token);
    if (worth > known) {
      if (known > 0 && firsts[token] !== first) seconds[token] = known;
      worths[token] = worth;
      firsts[token] = first;
    } else if (worth > seconds[token]! && firsts[token] !== first) {
      seconds[token] = worth;
    }
  }
}

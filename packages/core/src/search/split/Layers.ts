import { allocate, grown } from "../../graph/buffers.ts";
import { HOPS_MAX } from "../quote.ts";
import { type CandidateEdges, GOAL, ORIGIN } from "./CandidateEdges.ts";

/**
 * Candidate edges by the token that they leave and by the number of edges before them on a path: a
 * token stands in each layer in which paths may reach it.
 */
export class Layers {
  readonly edges: CandidateEdges;
  count = 0;
  /** By layer: the tokens that stand there. */
  readonly tokens: ReadonlyArray<number[]> = Array.from({ length: HOPS_MAX }, () => []);
  // Index: layer × tokens + token. Number of edges that lead there.
  entries = allocate(Uint32Array, 0);
  // Index: token. The start and end of its edges in `#leaving`, those into the goal last.
  #start = allocate(Uint32Array, 0);
  #lastStart = allocate(Uint32Array, 0);
  #leaving = allocate(Uint32Array, 0);
  // Index: token. All 0 between two uses.
  #isListed = allocate(Uint8Array, 0);

  constructor(edges: CandidateEdges) {
    this.edges = edges;
  }

  /** Lists the edges that were collected last. */
  list(maxHops: number): void {
    const { count, tokenCount } = this.edges;
    this.count = maxHops;
    this.#leaving = grown(Uint32Array, this.#leaving, count);
    this.#start = grown(Uint32Array, this.#start, tokenCount + 2);
    this.#lastStart = grown(Uint32Array, this.#lastStart, tokenCount);
    this.#isListed = grown(Uint8Array, this.#isListed, tokenCount);
    this.entries = grown(Uint32Array, this.entries, maxHops * tokenCount);
    this.#listLeaving();
    this.#listTokens();
  }

  /**
   * A token's edges start here, and end at `endOf`; in the last layer, only those into the goal.
   */
  startOf(layer: number, token: number): number {
    return layer === this.count - 1 ? this.#lastStart[token]! : this.#start[token]!;
  }

  endOf(token: number): number {
    return this.#start[token + 1]!;
  }

  edgeAt(at: number): number {
    return this.#leaving[at]!;
  }

  #listLeaving(): void {
    const { count, from, middleEnd, tokenCount } = this.edges;
    const start = this.#start;
    const leaving = this.#leaving;
    // A counting sort: `start[token + 1]` runs from the start of the token's edges to their end.
    start.fill(0, 0, tokenCount + 2);
    for (let edge = 0; edge < count; edge++) start[from[edge]! + 2]!++;
    for (let token = 0; token < tokenCount; token++) start[token + 2]! += start[token + 1]!;
    for (let edge = 0; edge < middleEnd; edge++) leaving[start[from[edge]! + 1]!++] = edge;
    this.#lastStart.set(start.subarray(1, tokenCount + 1));
    for (let edge = middleEnd; edge < count; edge++) leaving[start[from[edge]! + 1]!++] = edge;
  }

  #listTokens(): void {
    const { to, tokenCount } = this.edges;
    this.entries.fill(0, 0, this.count * tokenCount);
    for (const tokens of this.tokens) tokens.length = 0;
    this.tokens[0]!.push(ORIGIN);
    for (let layer = 0; layer < this.count - 1; layer++) {
      const further = this.tokens[layer + 1]!;
      for (const token of this.tokens[layer]!) {
        const end = this.endOf(token);
        for (let at = this.startOf(layer, token); at < end; at++) {
          const next = to[this.#leaving[at]!]!;
          if (next === GOAL) continue;
          this.entries[(layer + 1) * tokenCount + next]!++;
          if (this.#isListed[next] === 1) continue;
          this.#isListed[next] = 1;
          further.push(next);
        }
      }
      for (const token of further) this.#isListed[token] = 0;
    }
  }
}

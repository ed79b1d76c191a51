import { HOPS_MAX, PIECE_STRIDE, type PoolGraph } from "@millrace/core";

/**
 * The search that everybody writes first, as a comparison: in floats, it pushes the best amount of
 * each token and number of hops along every edge. It knows constant-product pools as they are, and
 * of concentrated pools only the range at the current price (input beyond the range is dropped). It
 * has no exact pass, does not check that a path visits a token once, and need not find the best
 * path.
 */
export class LayeredSearch {
  // Edges in two orders: by input token (for pushing), and by output token.
  readonly #start: Uint32Array; // index: token
  readonly #end: Uint32Array; // index: token
  readonly #neighbour: Uint32Array; // index: edge
  readonly #out: Float64Array; // token → neighbour; stride PIECE_STRIDE: x, y, limit
  readonly #in: Float64Array; // neighbour → token; likewise
  readonly #amounts: ReadonlyArray<Float64Array>; // index: hops, token; 0 where not reached
  readonly #previous: ReadonlyArray<Uint32Array>; // index: hops, token; the token before it
  readonly #reached: ReadonlyArray<Uint32Array>; // index: hops; the first #reachedCounts
  readonly #reachedCounts = new Uint32Array(HOPS_MAX);
  #closingToken = 0;

  /** The last answer's path, from the goal back: the first `hops` + 1 entries are its tokens. */
  readonly path = new Uint32Array(HOPS_MAX + 1);
  hops = 0;

  constructor(graph: PoolGraph) {
    const { slotsLength, tokenCount } = graph;
    this.#start = new Uint32Array(graph.slotStart.subarray(0, tokenCount));
    this.#end = new Uint32Array(graph.slotEnd.subarray(0, tokenCount));
    this.#neighbour = new Uint32Array(graph.slotNeighbour.subarray(0, slotsLength));
    this.#out = new Float64Array(graph.slotOut.subarray(0, slotsLength * PIECE_STRIDE));
    this.#in = new Float64Array(graph.slotIn.subarray(0, slotsLength * PIECE_STRIDE));
    const layers = Array.from({ length: HOPS_MAX });
    this.#amounts = layers.map(() => new Float64Array(tokenCount));
    this.#previous = layers.map(() => new Uint32Array(tokenCount));
    this.#reached = layers.map(() => new Uint32Array(tokenCount));
  }

  /** The approximate output of the best path of at most `maxHops` pools; 0 without a path. */
  quote(origin: number, goal: number, amountIn: number, maxHops: number): number {
    this.#amounts[0]![origin] = amountIn;
    this.#reached[0]![0] = origin;
    this.#reachedCounts[0] = 1;
    for (let hops = 1; hops < maxHops; hops++) this.#push(hops, goal);
    let best = 0;
    this.hops = 0;
    for (let hops = 1; hops <= maxHops; hops++) {
      const given = this.#close(hops, goal);
      if (given <= best) continue;
      best = given;
      this.#tracePath(hops, goal);
    }
    this.#clear(maxHops);
    return best;
  }

  #push(hops: number, goal: number): void {
    const start = this.#start;
    const neighbour = this.#neighbour;
    const out = this.#out;
    const from = this.#amounts[hops - 1]!;
    const into = this.#amounts[hops]!;
    const previous = this.#previous[hops]!;
    const reachedBefore = this.#reached[hops - 1]!;
    const reached = this.#reached[hops]!;
    const beforeCount = this.#reachedCounts[hops - 1]!;
    let count = 0;
    for (let position = 0; position < beforeCount; position++) {
      const token = reachedBefore[position]!;
      const amount = from[token]!;
      const end = this.#end[token]!;
      for (let edge = start[token]!; edge < end; edge++) {
        const next = neighbour[edge]!;
        if (next === goal) continue; // `#close` does those
        const at = edge * PIECE_STRIDE;
        let taken = out[at + 2]!; // the limit
        if (amount < taken) taken = amount;
        const given = (out[at + 1]! * taken) / (out[at]! + taken);
        const known = into[next]!;
        if (given > known) {
          if (known === 0) reached[count++] = next;
          into[next] = given;
          previous[next] = token;
        }
      }
    }
    this.#reachedCounts[hops] = count;
  }

  /** The best last step into the goal, from the tokens that are reached with one pool less. */
  #close(hops: number, goal: number): number {
    const before = this.#amounts[hops - 1]!;
    const into = this.#in;
    const end = this.#end[goal]!;
    let best = 0;
    for (let edge = this.#start[goal]!; edge < end; edge++) {
      const amount = before[this.#neighbour[edge]!]!;
      if (amount === 0) continue;
      const at = edge * PIECE_STRIDE;
      let taken = into[at + 2]!; // the limit
      if (amount < taken) taken = amount;
      const given = (into[at + 1]! * taken) / (into[at]! + taken);
      if (given > best) {
        best = given;
        this.#closingToken = this.#neighbour[edge]!;
      }
    }
    return best;
  }

  #tracePath(hops: number, goal: number): void {
    this.hops = hops;
    this.path[0] = goal;
    let token = this.#closingToken;
    for (let left = hops - 1; left >= 0; left--) {
      this.path[hops - left] = token;
      token = this.#previous[left]![token]!;
    }
  }

  #clear(maxHops: number): void {
    for (let hops = 0; hops < maxHops; hops++) {
      const amounts = this.#amounts[hops]!;
      const reached = this.#reached[hops]!;
      for (let position = 0; position < this.#reachedCounts[hops]!; position++)
        amounts[reached[position]!] = 0;
      this.#reachedCounts[hops] = 0;
    }
  }
}

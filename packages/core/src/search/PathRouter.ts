import type { PoolFamily } from "../Curve.ts";
import { allocate, grown } from "../graph/buffers.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import { BestPath } from "./BestPath.ts";
import { Estimates } from "./Estimates.ts";
import { noQuoteReason } from "./noQuoteReason.ts";
import { PoolMask } from "./PoolMask.ts";
import { HOPS_MAX, type NoQuoteReason, type QuoteRequest, type QuoteResult } from "./quote.ts";
import { quoteOfPath } from "./quoteOfPath.ts";
import { slotsBetween } from "./slotsBetween.ts";
import { NOBODY, UNREACHED } from "./terms.ts";

/**
 * Finds the best path through one graph. Floats choose, integers decide: `Estimates` bounds the
 * result of each last pool, and paths are evaluated exactly, the most promising first, as long as a
 * bound exceeds the best exact answer. The rest cannot be better, so the answer is the optimum over
 * all paths of at most `maxHops` pools that visit no token and no pool twice.
 *
 * With a gas price, the best path is the best after gas. A bound must then exceed the best net
 * answer by the least gas cost of a path with as many pools. The search goes by stages, one for
 * each number of pools, so that least cost is known.
 */
export class PathRouter {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #mask: PoolMask;
  readonly #estimates: Estimates;
  readonly #best: BestPath;
  readonly #gasLimit: number;

  #origin = 0;
  #goal = 0;
  #gas = 0;
  // The path under construction, from the goal back: #suffix[depth] is the slot of the depth-th
  // last pool, in the list of #suffixTokens[depth].
  readonly #suffix = new Uint32Array(HOPS_MAX);
  readonly #suffixTokens = new Uint32Array(HOPS_MAX);
  readonly #path = new Uint32Array(HOPS_MAX);

  /** Index: depth of `#explore`. The slots found there that could be before the suffix. */
  readonly #hopeful = Array.from({ length: HOPS_MAX }, () => allocate(Uint32Array, 0));

  // Results of the last `#scan`. Index: order of finding. Slots of the goal's list, and bounds.
  #scannedSlots = allocate(Uint32Array, 0);
  #scannedScores = allocate(Float64Array, 0);
  #scannedCount = 0;
  #scannedFirst = NOBODY;
  #scannedFirstScore = Number.NEGATIVE_INFINITY;

  /** `gasLimit` is for all swaps of a path together; see `PoolFamily.gas`. */
  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>, gasLimit: number) {
    this.#graph = graph;
    this.#families = families;
    this.#mask = new PoolMask(graph);
    this.#estimates = new Estimates(graph, families, this.#mask);
    this.#best = new BestPath(graph, families);
    this.#gasLimit = gasLimit;
  }

  /** The best path of a request; see `Quote` and `QuoteRequest`. */
  quote(request: QuoteRequest): QuoteResult {
    this.#mask.set(request.filter);
    try {
      this.#search(request, request.amount);
      return this.#best.hops > 0
        ? quoteOfPath(this.#graph, request, this.#best, this.#gas)
        : { found: false, reason: this.#reason(request) };
    } finally {
      this.#mask.clear(request.filter);
    }
  }

  /** The best path within the gas limit; hardly any search comes near it. */
  #search(request: QuoteRequest, amount: bigint): void {
    this.#searchWithin(request, amount, Number.POSITIVE_INFINITY);
    this.#gas = this.#best.gas();
    if (this.#gas <= this.#gasLimit) return;
    this.#searchWithin(request, amount, this.#gasLimit);
    this.#gas = this.#best.gas();
  }

  #searchWithin(request: QuoteRequest, amount: bigint, gasLimit: number): void {
    const { kind, tokenIn, tokenOut } = request;
    this.#origin = kind === "exactIn" ? tokenIn : tokenOut;
    this.#goal = kind === "exactIn" ? tokenOut : tokenIn;
    const terms = { origin: this.#origin, goal: this.#goal, amount: Number(amount), kind };
    this.#best.begin({ amount, kind, gasLimit, gasPrice: request.gasPrice ?? 0 });
    this.#suffixTokens[0] = this.#goal;
    this.#estimates.begin(terms);
    try {
      this.#best.beginHops(1);
      this.#closePath(this.#goal, 0);
      for (let hops = 2; hops <= request.maxHops && this.#best.beginHops(hops); hops++) {
        this.#estimates.forgetLongLabels();
        this.#scan(hops);
        this.#exploreScanned(hops);
      }
    } finally {
      this.#estimates.end();
    }
  }

  /** Finds the last pools with which a path of `hops` (2 …) pools could be the best. */
  #scan(hops: number): void {
    const { slotNeighbour, slotPool, slotStart, slotTransitEnd } = this.#graph;
    const estimates = this.#estimates;
    const best = this.#best.floor;
    const listLength = slotTransitEnd[this.#goal]! - slotStart[this.#goal]!;
    this.#scannedSlots = grown(Uint32Array, this.#scannedSlots, listLength);
    this.#scannedScores = grown(Float64Array, this.#scannedScores, listLength);
    const candidates = estimates.collectLast(hops, best, this.#scannedSlots);
    this.#scannedCount = 0;
    this.#scannedFirst = NOBODY;
    this.#scannedFirstScore = Number.NEGATIVE_INFINITY;
    let floored = NOBODY;
    let floor = UNREACHED;
    for (let index = 0; index < candidates; index++) {
      const slot = this.#scannedSlots[index]!;
      const token = slotNeighbour[slot]!;
      if (token === this.#origin || this.#mask.blocks(slotPool[slot]!)) continue;
      // Pools with the same neighbour are adjacent; the label is computed for the first of them.
      if (token !== floored && hops > 2) floor = this.#floor(slot);
      floored = token;
      const label = estimates.label(hops - 1, token, floor);
      if (label === UNREACHED || estimates.cannotExceed(slot, label, best)) continue;
      if (estimates.stepBound(slot, label) <= best) continue;
      const score = estimates.step(slot, label);
      if (score !== UNREACHED) this.#keepScanned(slot, score);
    }
  }

  /** The least score at a token with which any of its pools with the goal makes a better path. */
  #floor(slot: number): number {
    const { slotNeighbour, slotTransitEnd } = this.#graph;
    const end = slotTransitEnd[this.#goal]!;
    let floor = Number.POSITIVE_INFINITY;
    // Pools with the same neighbour are adjacent, and those before this one were hopeless.
    for (let other = slot; other < end && slotNeighbour[other] === slotNeighbour[slot]; other++) {
      floor = Math.min(floor, this.#estimates.needed(other, this.#best.floor));
    }
    return floor;
  }

  #keepScanned(slot: number, score: number): void {
    // Never ahead of the candidates that are read from the same array.
    const index = this.#scannedCount++;
    this.#scannedSlots[index] = slot;
    this.#scannedScores[index] = score;
    if (score <= this.#scannedFirstScore) return;
    this.#scannedFirstScore = score;
    this.#scannedFirst = slot;
  }

  /** Explores the results of the last scan, the most promising last pool first. */
  #exploreScanned(hops: number): void {
    if (this.#scannedFirst === NOBODY) return;
    if (!this.#best.couldImprove(this.#scannedFirstScore)) return;
    this.#explore(this.#scannedFirst, hops, 0);
    for (let index = 0; index < this.#scannedCount; index++) {
      const slot = this.#scannedSlots[index]!;
      if (slot === this.#scannedFirst) continue;
      if (this.#best.couldImprove(this.#scannedScores[index]!)) this.#explore(slot, hops, 0);
    }
  }

  /**
   * Offers every path that could be the best of those with `hops` pools from the origin, the last
   * of them `slot`, followed by the suffix of `depth` pools. The best child goes first: after it,
   * few of the others still could be the best.
   */
  #explore(slot: number, hops: number, depth: number): void {
    const { slotNeighbour, slotStart, slotTransitEnd } = this.#graph;
    const token = slotNeighbour[slot]!;
    this.#suffix[depth] = slot;
    this.#suffixTokens[depth + 1] = token;
    if (hops === 2) {
      this.#closePath(token, depth + 1);
      return;
    }
    const start = slotStart[token]!;
    const end = slotTransitEnd[token]!;
    const hopeful = this.#reserveHopeful(depth, end - start);
    const floor = this.#neededBefore(depth + 1);
    let count = 0;
    let first = NOBODY;
    let firstScore = Number.NEGATIVE_INFINITY;
    for (let child = start; ; child++) {
      child = this.#estimates.nextHopeful(hops - 1, child, end, floor);
      if (child === end) break;
      const score = this.#childScore(child, hops - 1, depth + 1, floor);
      if (score === UNREACHED || !this.#best.couldImprove(score)) continue;
      hopeful[count++] = child;
      if (score <= firstScore) continue;
      firstScore = score;
      first = child;
    }
    if (first === NOBODY) return;
    this.#explore(first, hops - 1, depth + 1);
    const raised = this.#neededBefore(depth + 1);
    for (let index = 0; index < count; index++) {
      const child = hopeful[index]!;
      if (child === first) continue;
      const score = this.#childScore(child, hops - 1, depth + 1, raised);
      if (score !== UNREACHED && this.#best.couldImprove(score)) {
        this.#explore(child, hops - 1, depth + 1);
      }
    }
  }

  #reserveHopeful(depth: number, length: number): Uint32Array {
    const hopeful = grown(Uint32Array, this.#hopeful[depth]!, length);
    this.#hopeful[depth] = hopeful;
    return hopeful;
  }

  /** The score up to which an input of the suffix of `depth` pools cannot exceed the best. */
  #neededBefore(depth: number): number {
    let needed = this.#best.floor;
    for (let index = 0; index < depth; index++) {
      needed = this.#estimates.needed(this.#suffix[index]!, needed);
    }
    return needed;
  }

  /**
   * A bound at the goal for `hops` pools that end with `slot`, followed by the suffix; UNREACHED
   * also where the score is below `floor`, which the suffix needs.
   */
  #childScore(slot: number, hops: number, depth: number, floor: number): number {
    const token = this.#graph.slotNeighbour[slot]!;
    if (token === this.#origin || this.#isInSuffix(token, depth)) return UNREACHED;
    const label = this.#estimates.labelWithout(hops - 1, token, this.#suffixTokens[depth]!);
    if (label === UNREACHED || this.#estimates.stepBound(slot, label) < floor) return UNREACHED;
    if (this.#isUsed(slot, depth) || this.#mask.blocks(this.#graph.slotPool[slot]!))
      return UNREACHED;
    return this.#throughSuffix(this.#estimates.step(slot, label), depth);
  }

  #isInSuffix(token: number, depth: number): boolean {
    for (let index = 0; index <= depth; index++)
      if (this.#suffixTokens[index] === token) return true;
    return false;
  }

  /** Whether a slot's pool is already in the suffix: pools may have many tokens. */
  #isUsed(slot: number, depth: number): boolean {
    const { slotPool } = this.#graph;
    for (let index = 0; index < depth; index++) {
      if (slotPool[this.#suffix[index]!] === slotPool[slot]) return true;
    }
    return false;
  }

  #throughSuffix(score: number, depth: number): number {
    let through = score;
    for (let index = depth - 1; index >= 0 && through !== UNREACHED; index--) {
      through = this.#estimates.step(this.#suffix[index]!, through);
    }
    return through;
  }

  /** Offers the suffix with each pool between the origin and `token` in front, the best first. */
  #closePath(token: number, depth: number): void {
    const range = slotsBetween(this.#graph, token, this.#origin);
    let first = NOBODY;
    let firstScore = Number.NEGATIVE_INFINITY;
    let bestAtToken = UNREACHED;
    for (let slot = range.start; slot < range.end; slot++) {
      if (this.#mask.blocks(this.#graph.slotPool[slot]!)) continue;
      const used = this.#isUsed(slot, depth);
      let atToken = this.#estimates.boundFromOrigin(slot);
      let score = used ? UNREACHED : this.#throughSuffix(atToken, depth);
      if (score > firstScore && this.#best.couldImprove(score)) {
        atToken = this.#estimates.stepFromOrigin(slot);
        score = used ? UNREACHED : this.#throughSuffix(atToken, depth);
      }
      if (atToken === UNREACHED) continue;
      if (bestAtToken === UNREACHED || atToken > bestAtToken) bestAtToken = atToken;
      if (score === UNREACHED || score <= firstScore) continue;
      firstScore = score;
      first = slot;
    }
    if (token !== this.#goal) this.#estimates.tighten(token, bestAtToken);
    if (first === NOBODY || !this.#best.couldImprove(firstScore)) return;
    this.#offer(first, depth);
    for (let slot = range.start; slot < range.end; slot++) {
      if (slot === first) continue;
      const score = this.#closingScore(slot, depth);
      if (score !== UNREACHED && this.#best.couldImprove(score)) this.#offer(slot, depth);
    }
  }

  /** A bound at the goal for a first pool and the suffix. */
  #closingScore(slot: number, depth: number): number {
    if (this.#isUsed(slot, depth)) return UNREACHED;
    if (this.#mask.blocks(this.#graph.slotPool[slot]!)) return UNREACHED;
    const bound = this.#throughSuffix(this.#estimates.boundFromOrigin(slot), depth);
    if (bound === UNREACHED || !this.#best.couldImprove(bound)) return UNREACHED;
    return this.#throughSuffix(this.#estimates.stepFromOrigin(slot), depth);
  }

  #offer(first: number, depth: number): void {
    this.#path[0] = first;
    for (let index = 0; index < depth; index++) this.#path[depth - index] = this.#suffix[index]!;
    this.#best.offer(this.#path, depth + 1);
  }

  #reason(request: QuoteRequest): NoQuoteReason {
    return noQuoteReason(this.#graph, this.#families, this.#mask, request, (amount) => {
      this.#search(request, amount);
      return this.#best.hops > 0;
    });
  }
}

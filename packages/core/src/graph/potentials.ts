import { PIECE_STRIDE, type PoolGraph, type PoolIndex } from "./PoolGraph.ts";

const NO_SLOT = 2 ** 32 - 1;
/**
 * A straight piece ends at about this part of what its pool holds; other pieces seldom end so soon.
 */
const HELD_TO_LIMIT = 2 ** 18;
/** Buckets of widths: half a power of two each, from 2^-512 to 2^511. */
const BUCKETS_A_DOUBLING = 2;
const BUCKET_COUNT = 1024 * BUCKETS_A_DOUBLING;
/** Tokens, and slots, between two yields to other work. */
const TOKENS_A_SLICE = 4_096;
const SLOTS_A_SLICE = 1_024;

/** Potentials, and the slots that they are chosen by. Arrays are as in `PoolGraph`. */
type Prices = Pick<PoolGraph, "tokenPotential" | "tokenPriceSlot" | "tokenPriceOrder">;

/**
 * Chooses new potentials, after pools came or went, in slices; `bounds.ts` says what they are for.
 * Bounds must be computed from them afterwards.
 *
 * Prices all tokens linked to a root along the widest paths; a path's width is the least value that
 * one of its pools holds on the side nearer to the root. Widths only shrink along a path, so
 * buckets are emptied from the widest down (Dial's algorithm).
 */
export function* choosePotentials(graph: PoolGraph, into: Prices): Generator<void> {
  const { slotEnd, slotNeighbour, slotOut, slotStart } = graph;
  const { tokenPotential, tokenPriceOrder, tokenPriceSlot } = into;
  tokenPotential.fill(0);
  tokenPriceSlot.fill(NO_SLOT);
  let settled = 0;
  let untilYield = SLOTS_A_SLICE;
  const buckets = new SlotBuckets(graph.slotsLength);
  yield;
  const roots = yield* byDegree(graph);
  /** Queues the slots that lead on from a token: gives the work where that takes several slices. */
  function settle(token: number, width: number): Generator<void> | undefined {
    tokenPriceOrder[settled++] = token;
    const start = slotStart[token]!;
    const end = slotEnd[token]!;
    if (end - start >= untilYield) return settleMany(token, width, start, end);
    wait(token, width, start, end);
    untilYield -= end - start;
    return undefined;
  }
  function* settleMany(token: number, width: number, start: number, end: number): Generator<void> {
    for (let slot = start; slot < end; ) {
      const until = Math.min(slot + untilYield, end);
      wait(token, width, slot, until);
      untilYield -= until - slot;
      slot = until;
      if (untilYield > 0) continue;
      untilYield = SLOTS_A_SLICE;
      yield;
    }
  }
  function wait(token: number, width: number, start: number, end: number): void {
    for (let slot = start; slot < end; slot++) {
      if (tokenPotential[slotNeighbour[slot]!]! > 0) continue;
      const value = heldAt(slotOut, slot) * tokenPotential[token]!;
      buckets.add(Math.min(width, bucketOf(value)), slot);
    }
  }
  for (let place = 0; settled < roots.length; place++) {
    if (place % TOKENS_A_SLICE === 0) yield;
    const root = roots[place]!;
    if (tokenPotential[root]! > 0) continue;
    tokenPotential[root] = 1;
    const settling = settle(root, BUCKET_COUNT - 1);
    if (settling !== undefined) yield* settling;
    while (buckets.length > 0) {
      const slot = buckets.takeWidest();
      const token = slotNeighbour[slot]!;
      if (tokenPotential[token]! > 0) continue;
      tokenPriceSlot[token] = reverseSlot(graph, slot);
      tokenPotential[token] = 1;
      reprice(graph, into, token);
      const settling = settle(token, buckets.widest);
      if (settling !== undefined) yield* settling;
    }
  }
}

/** Slots by bucket, in the order in which they came. A slot may be added once. */
class SlotBuckets {
  /** Slots that wait. */
  length = 0;
  /** No slot waits in a bucket above this one. */
  widest = 0;
  readonly #first = new Uint32Array(BUCKET_COUNT).fill(NO_SLOT);
  readonly #last = new Uint32Array(BUCKET_COUNT);
  /** Index: slot; the next one in its bucket, or NO_SLOT. */
  readonly #next: Uint32Array;

  constructor(slotsLength: number) {
    this.#next = new Uint32Array(slotsLength);
  }

  add(bucket: number, slot: number): void {
    this.#next[slot] = NO_SLOT;
    if (this.#first[bucket] === NO_SLOT) this.#first[bucket] = slot;
    else this.#next[this.#last[bucket]!] = slot;
    this.#last[bucket] = slot;
    this.widest = Math.max(this.widest, bucket);
    this.length++;
  }

  /** Removes the first slot of the widest bucket with any, and gives it. `length` must not be 0. */
  takeWidest(): number {
    while (this.#first[this.widest] === NO_SLOT) this.widest--;
    const slot = this.#first[this.widest]!;
    this.#first[this.widest] = this.#next[slot]!;
    this.length--;
    return slot;
  }
}

/** Tokens by number of slots, descending, then by index. A counting sort, in slices. */
function* byDegree({ slotEnd, slotStart, tokenCount }: PoolGraph): Generator<void, Uint32Array> {
  // Copied, since the graph may change between two slices.
  const degrees = new Uint32Array(tokenCount);
  let degreeMax = 0;
  for (let token = 0; token < tokenCount; token++) {
    if (token % TOKENS_A_SLICE === 0) yield;
    degrees[token] = slotEnd[token]! - slotStart[token]!;
    degreeMax = Math.max(degreeMax, degrees[token]!);
  }
  // Index: the highest degree minus the token's.
  const next = new Uint32Array(degreeMax + 2);
  for (let token = 0; token < tokenCount; token++) {
    if (token % TOKENS_A_SLICE === 0) yield;
    next[degreeMax - degrees[token]! + 1]!++;
  }
  for (let lack = 0; lack < degreeMax; lack++) next[lack + 1]! += next[lack]!;
  const tokens = new Uint32Array(tokenCount);
  for (let token = 0; token < tokenCount; token++) {
    if (token % TOKENS_A_SLICE === 0) yield;
    tokens[next[degreeMax - degrees[token]!]!++] = token;
  }
  return tokens;
}

/**
 * Prices tokens that had no pool until now, by the pool that holds the most value. That may allow
 * better potentials for others: `choosePotentials` should follow.
 */
export function priceNewTokens(graph: PoolGraph, tokens: Iterable<number>): void {
  const { slotEnd, slotIn, slotNeighbour, slotStart, tokenPotential } = graph;
  const unpriced = new Set(tokens);
  for (const token of unpriced) tokenPotential[token] = 0;
  while (unpriced.size > 0) {
    let [best, bestSlot, bestValue] = [-1, NO_SLOT, -1];
    for (const token of unpriced) {
      for (let slot = slotStart[token]!; slot < slotEnd[token]!; slot++) {
        const value = heldAt(slotIn, slot) * tokenPotential[slotNeighbour[slot]!]!;
        if (tokenPotential[slotNeighbour[slot]!] === 0 || value <= bestValue) continue;
        [best, bestSlot, bestValue] = [token, slot, value];
      }
    }
    if (best === -1) best = unpriced.values().next().value!;
    tokenPotential[best] = 1;
    if (bestSlot !== NO_SLOT) priceBy(graph, tokenPotential, best, bestSlot);
    unpriced.delete(best);
  }
}

/** About what a pool holds of the token in; a straight piece shows it by its limit. */
function heldAt(pieces: Float64Array, slot: number): number {
  const at = slot * PIECE_STRIDE;
  return Math.min(pieces[at]!, pieces[at + 2]! * HELD_TO_LIMIT);
}

function bucketOf(value: number): number {
  const doublings = value > 0 ? Math.log2(value) + 512 : 0;
  return Math.min(Math.max(Math.floor(doublings * BUCKETS_A_DOUBLING), 0), BUCKET_COUNT - 1);
}

/** The slot of the same pool and tokens in the neighbour's list. */
function reverseSlot(graph: PoolGraph, slot: number): number {
  const positions = graph.slotPositions[slot]!;
  return graph.poolSlot(graph.slotPool[slot]! as PoolIndex, positions & 7, positions >> 3);
}

/**
 * Updates the prices of tokens, each after the token that it is priced by: only those priced by a
 * changed pool, or by a token that moved. The others would come out as before.
 */
export function* repricePotentials(
  graph: PoolGraph,
  into: Prices,
  changedPools: Iterable<PoolIndex>,
): Generator<void> {
  const { tokenCount, slotNeighbour } = graph;
  const { tokenPotential, tokenPriceOrder, tokenPriceSlot } = into;
  const hasMoved = new Uint8Array(tokenCount); // index: token; before its turn: its pool changed
  for (const pool of changedPools) {
    for (let position = 0; position < graph.poolTokenCount[pool]!; position++) {
      const token = graph.poolToken(pool, position);
      const slot = tokenPriceSlot[token]!;
      if (slot !== NO_SLOT && graph.slotPool[slot] === pool) hasMoved[token] = 1;
    }
  }
  for (let index = 0; index < tokenCount; index++) {
    if (index % TOKENS_A_SLICE === 0) yield;
    const token = tokenPriceOrder[index]!;
    const slot = tokenPriceSlot[token]!;
    if (slot === NO_SLOT || (hasMoved[token] === 0 && hasMoved[slotNeighbour[slot]!] === 0))
      continue;
    const before = tokenPotential[token]!;
    reprice(graph, into, token);
    hasMoved[token] = tokenPotential[token] === before ? 0 : 1;
  }
}

function reprice(
  graph: PoolGraph,
  { tokenPotential, tokenPriceSlot }: Prices,
  token: number,
): void {
  const slot = tokenPriceSlot[token]!;
  if (slot !== NO_SLOT) priceBy(graph, tokenPotential, token, slot);
}

/** Prices a token by one of its slots, if that gives a price. */
function priceBy(graph: PoolGraph, potentials: Float64Array, token: number, slot: number): void {
  const price = potentials[graph.slotNeighbour[slot]!]! / midPriceIn(graph, slot);
  if (price > 0 && price < Number.POSITIVE_INFINITY) potentials[token] = price;
}

/** Price of the neighbour in the owner's token; the fees of both directions cancel out. */
function midPriceIn(graph: PoolGraph, slot: number): number {
  return Math.sqrt(graph.slotRateIn[slot]! / graph.slotRateOut[slot]!);
}

import { grown } from "./buffers.ts";
import { PIECE_STRIDE, type PoolGraph, type PoolIndex } from "./PoolGraph.ts";
import { rateAt } from "./SlotRates.ts";

const NO_SLOT = 2 ** 32 - 1;
/** A straight piece ends at about this part of what its pool holds, others seldom so soon. */
const HELD_TO_LIMIT = 2 ** 18;
/** Widths are kept apart by halves of a power of two, from 2^-512 to 2^511. */
const BUCKETS_A_DOUBLING = 2;
const BUCKET_COUNT = 1024 * BUCKETS_A_DOUBLING;
/** Between two looks whether others are to have their turn. */
const TOKENS_A_SLICE = 4_096;

/**
 * Chooses potentials anew, after pools came or went; see `bounds.ts` for what they are for. Bounds
 * by them are yet to be worked out.
 */
export function rebuildPotentials(graph: PoolGraph): void {
  const { tokenCount } = graph;
  graph.tokenPriceSlot = grown(Uint32Array, graph.tokenPriceSlot, tokenCount);
  graph.tokenPriceOrder = grown(Uint32Array, graph.tokenPriceOrder, tokenCount);
  graph.tokenPotential.fill(0);
  graph.tokenPriceSlot.fill(NO_SLOT);
  const degree = (token: number) => graph.slotStart[token + 1]! - graph.slotStart[token]!;
  const roots = Array.from({ length: tokenCount }, (_, token) => token);
  roots.sort((a, b) => degree(b) - degree(a));
  let settled = 0;
  for (const root of roots) {
    if (graph.tokenPotential[root] === 0) settled = settleFrom(graph, root, settled);
  }
}

/**
 * Prices all tokens that are linked to a root by the widest paths, a path being as wide as the
 * least value that one of its pools holds on the nearer side. Widths only shrink along a path, so
 * buckets are emptied from the widest down (Dial's algorithm). Gives the count of settled tokens.
 */
function settleFrom(graph: PoolGraph, root: number, settledBefore: number): number {
  const { slotNeighbour, slotStart, tokenPotential, tokenPriceOrder, tokenPriceSlot } = graph;
  const buckets: number[][] = [];
  let settled = settledBefore;
  const settle = (token: number, width: number) => {
    tokenPriceOrder[settled++] = token;
    for (let slot = slotStart[token]!; slot < slotStart[token + 1]!; slot++) {
      if (tokenPotential[slotNeighbour[slot]!]! > 0) continue;
      const value = heldAt(graph.slotOut, slot) * tokenPotential[token]!;
      const bucket = Math.min(width, bucketOf(value));
      const waiting = buckets[bucket];
      if (waiting === undefined) buckets[bucket] = [slot];
      else waiting.push(slot);
    }
  };
  tokenPotential[root] = 1;
  settle(root, BUCKET_COUNT - 1);
  for (let bucket = BUCKET_COUNT - 1; bucket >= 0; bucket--) {
    // A settled token may add to the bucket that is being emptied.
    for (const slot of buckets[bucket] ?? []) {
      const token = slotNeighbour[slot]!;
      if (tokenPotential[token]! > 0) continue;
      tokenPriceSlot[token] = reverseSlot(graph, slot);
      tokenPotential[token] = 1;
      reprice(graph, tokenPotential, token);
      settle(token, bucket);
    }
  }
  return settled;
}

/** What a pool holds of the token that goes in, about: a straight piece tells it by its limit. */
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
 * Prices tokens anew, each after the one that it is priced by: those that are priced by a changed
 * pool or by a token that moved. For all others it would come out as before.
 */
export function* repricePotentials(
  graph: PoolGraph,
  potentials: Float64Array,
  changedPools: Iterable<PoolIndex>,
): Generator<void> {
  const { tokenCount, tokenPriceOrder, tokenPriceSlot, slotNeighbour } = graph;
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
    const before = potentials[token]!;
    reprice(graph, potentials, token);
    hasMoved[token] = potentials[token] === before ? 0 : 1;
  }
}

function reprice(graph: PoolGraph, potentials: Float64Array, token: number): void {
  const slot = graph.tokenPriceSlot[token]!;
  if (slot === NO_SLOT) return;
  const price = potentials[graph.slotNeighbour[slot]!]! / midPriceIn(graph, slot);
  if (price > 0 && price < Number.POSITIVE_INFINITY) potentials[token] = price;
}

/** Price of the neighbour in the owner's token; the fees of the two directions cancel out. */
function midPriceIn(graph: PoolGraph, slot: number): number {
  return Math.sqrt(rateAt(graph.slotIn, slot) / rateAt(graph.slotOut, slot));
}

import { grown } from "./buffers.ts";
import { NO_RANK, PIECE_STRIDE, type PoolGraph, type PoolIndex } from "./PoolGraph.ts";
import { rateAt, type SlotRates } from "./SlotRates.ts";

/**
 * Bounds that let a search pass over a token without reading its list. A *potential* is a price of
 * each token in some common unit; any positive numbers would do, good prices make tight bounds.
 * With them, per token t:
 *
 * - `rankInflow`: the greatest rate × 1 / potential(u) over all usual edges u → t. What arrives at
 *   t in one swap is at most this times the greatest value (amount × potential) at a neighbour,
 *   or, by an edge that is not usual, at most `rankSurplus`: all that such a pool has to give.
 * - `tokenOutflow`: the greatest rate × potential(u) over all edges t → u. What must leave t for a
 *   value at a neighbour is at least that value divided by this.
 *
 * Fees make the value shrink with every swap of a market without arbitrage; edges where it could
 * grow by more than GAIN_USUAL are not usual: dust pools left behind by the price, mostly. Their
 * tokens are listed as outliers, for a search to look at one by one.
 *
 * A pool's best rate is y / x of its leading piece.
 */

/** How much more value than it started with a usual swap may end with. */
export const GAIN_USUAL = 1.002;

/** All that the edge neighbour → own of a slot can give, as its family estimates it. */
export type GivesAtMost = (slot: number) => number;

const NO_SLOT = 2 ** 32 - 1;
/** A straight piece ends at about this part of what its pool holds, others seldom so soon. */
const HELD_TO_LIMIT = 2 ** 18;
/** Widths are kept apart by halves of a power of two, from 2^-512 to 2^511. */
const BUCKETS_A_DOUBLING = 2;
const BUCKET_COUNT = 1024 * BUCKETS_A_DOUBLING;

/** Chooses potentials anew, after pools came or went. */
export function rebuildPotentials(
  graph: PoolGraph,
  rates: SlotRates,
  givesAtMost: GivesAtMost,
): void {
  const { tokenCount } = graph;
  graph.tokenPotential = grown(Float64Array, graph.tokenPotential, tokenCount);
  graph.tokenPriceSlot = grown(Uint32Array, graph.tokenPriceSlot, tokenCount);
  graph.tokenPriceOrder = grown(Uint32Array, graph.tokenPriceOrder, tokenCount);
  graph.rankPotential = grown(Float64Array, graph.rankPotential, graph.transitCount);
  graph.rankInflow = grown(Float64Array, graph.rankInflow, graph.transitCount);
  graph.rankSurplus = grown(Float64Array, graph.rankSurplus, graph.transitCount);
  graph.tokenOutflow = grown(Float64Array, graph.tokenOutflow, tokenCount);
  graph.outliers = grown(Uint32Array, graph.outliers, tokenCount);
  graph.tokenIsOutlier = grown(Uint8Array, graph.tokenIsOutlier, tokenCount);
  graph.tokenPotential.fill(0);
  graph.tokenPriceSlot.fill(NO_SLOT);
  const degree = (token: number) => graph.slotStart[token + 1]! - graph.slotStart[token]!;
  const roots = Array.from({ length: tokenCount }, (_, token) => token);
  roots.sort((a, b) => degree(b) - degree(a));
  let settled = 0;
  for (const root of roots) {
    if (graph.tokenPotential[root] === 0) settled = settleFrom(graph, root, settled);
  }
  refreshBounds(graph, rates, givesAtMost);
}

/**
 * Follows the prices of a block, in one pass over tokens and one over slots. `changedPools` are
 * those whose pieces changed since this, or `rebuildPotentials`, was called last.
 */
export function refreshPotentials(
  graph: PoolGraph,
  rates: SlotRates,
  changedPools: Iterable<PoolIndex>,
  givesAtMost: GivesAtMost,
): void {
  repricePotentials(graph, changedPools);
  refreshBounds(graph, rates, givesAtMost);
}

/** Keeps the bounds true, though not tight, after one slot's pieces changed. */
export function raiseBounds(
  graph: PoolGraph,
  token: number,
  slot: number,
  givesAtMost: GivesAtMost,
): void {
  const { rankInflow, rankSurplus, tokenOutflow } = graph;
  const rank = graph.tokenRank[token]!;
  const own = graph.tokenPotential[token]!;
  const neighbour = graph.tokenPotential[graph.slotNeighbour[slot]!]!;
  const inflow = rateAt(graph.slotIn, slot) / neighbour;
  const outflow = rateAt(graph.slotOut, slot) * neighbour;
  raiseBonus(graph, token, slot);
  if (rank === NO_RANK) return; // no path passes it
  tokenOutflow[token] = Math.max(tokenOutflow[token]!, outflow);
  const isUsual = inflow * own <= GAIN_USUAL;
  if (isUsual) rankInflow[rank] = Math.max(rankInflow[rank]!, inflow);
  else rankSurplus[rank] = Math.max(rankSurplus[rank]!, givesAtMost(slot));
  if ((isUsual && outflow <= GAIN_USUAL * own) || graph.tokenIsOutlier[token] === 1) return;
  graph.tokenIsOutlier[token] = 1;
  graph.outliers[graph.outlierCount++] = token;
}

function raiseBonus(graph: PoolGraph, token: number, slot: number): void {
  const bonus = graph.slotOut[slot * PIECE_STRIDE + 3]!;
  if (bonus === 0) return;
  graph.bonusMax = Math.max(graph.bonusMax, bonus);
  graph.bonusValueMax = Math.max(graph.bonusValueMax, bonus * graph.tokenPotential[token]!);
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
      reprice(graph, token);
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
function repricePotentials(graph: PoolGraph, changedPools: Iterable<PoolIndex>): void {
  const { tokenCount, tokenPotential, tokenPriceOrder, tokenPriceSlot, slotNeighbour } = graph;
  const hasMoved = new Uint8Array(tokenCount); // index: token; before its turn: its pool changed
  for (const pool of changedPools) {
    for (let position = 0; position < graph.poolTokenCount[pool]!; position++) {
      const token = graph.poolToken(pool, position);
      const slot = tokenPriceSlot[token]!;
      if (slot !== NO_SLOT && graph.slotPool[slot] === pool) hasMoved[token] = 1;
    }
  }
  for (let index = 0; index < tokenCount; index++) {
    const token = tokenPriceOrder[index]!;
    const slot = tokenPriceSlot[token]!;
    if (slot === NO_SLOT || (hasMoved[token] === 0 && hasMoved[slotNeighbour[slot]!] === 0))
      continue;
    const before = tokenPotential[token]!;
    reprice(graph, token);
    hasMoved[token] = tokenPotential[token] === before ? 0 : 1;
  }
}

function reprice(graph: PoolGraph, token: number): void {
  const slot = graph.tokenPriceSlot[token]!;
  if (slot === NO_SLOT) return;
  const price = graph.tokenPotential[graph.slotNeighbour[slot]!]! / midPriceIn(graph, slot);
  if (price > 0 && price < Number.POSITIVE_INFINITY) graph.tokenPotential[token] = price;
}

/** Price of the neighbour in the owner's token; the fees of the two directions cancel out. */
function midPriceIn(graph: PoolGraph, slot: number): number {
  return Math.sqrt(rateAt(graph.slotIn, slot) / rateAt(graph.slotOut, slot));
}

/**
 * `raiseBounds` of all slots, from nothing. Written out, since this is done for every block: with
 * the arrays at hand, a token's bounds in variables, and nothing of tokens that no path passes but
 * their bonus.
 */
function refreshBounds(graph: PoolGraph, rates: SlotRates, givesAtMost: GivesAtMost): void {
  const { slotNeighbour, slotStart, tokenCount, tokenPotential, tokenRank } = graph;
  const { inward, outward, bonusOwners } = rates;
  graph.outlierCount = 0;
  graph.tokenIsOutlier.fill(0);
  graph.tokenOutflow.fill(0);
  for (const [slot, token] of bonusOwners) raiseBonus(graph, token, slot);
  for (let token = 0; token < tokenCount; token++) {
    const rank = tokenRank[token]!;
    if (rank === NO_RANK) continue;
    const own = tokenPotential[token]!;
    const start = slotStart[token]!;
    const end = slotStart[token + 1]!;
    let inflowMax = 0;
    let outflowMax = 0;
    let surplusMax = 0;
    let isOutlier = false;
    for (let slot = start; slot < end; slot++) {
      const neighbour = tokenPotential[slotNeighbour[slot]!]!;
      const inflow = inward[slot]! / neighbour;
      const outflow = outward[slot]! * neighbour;
      outflowMax = Math.max(outflowMax, outflow);
      const isUsual = inflow * own <= GAIN_USUAL;
      if (isUsual) inflowMax = Math.max(inflowMax, inflow);
      else surplusMax = Math.max(surplusMax, givesAtMost(slot));
      isOutlier ||= !(isUsual && outflow <= GAIN_USUAL * own);
    }
    graph.rankPotential[rank] = own;
    graph.rankInflow[rank] = inflowMax;
    graph.rankSurplus[rank] = surplusMax;
    graph.tokenOutflow[token] = outflowMax;
    if (!isOutlier) continue;
    graph.tokenIsOutlier[token] = 1;
    graph.outliers[graph.outlierCount++] = token;
  }
}

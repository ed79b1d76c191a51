import {
  INFLOW,
  OUTFLOW,
  PIECE_STRIDE,
  type PoolGraph,
  RANK_STRIDE,
  SURPLUS,
  UNUSUAL_INFLOW,
} from "../graph/PoolGraph.ts";
import type { PoolMask } from "./PoolMask.ts";
import { DOWN, UP } from "./pieces.ts";
import type { RankMarks } from "./RankMarks.ts";
import { UNREACHED } from "./terms.ts";

/**
 * Scans over the whole adjacency list of a token, the origin or goal of a search: flat, over plain
 * arrays. Most slots are ruled out by their best rate and one number of their neighbour.
 */

/** The factor by which a swap may raise the value before its token counts as gaining. */
const VALUE_USUAL = 1.002;

/** What `labelOutputs` and `labelInputs` tell beside the labels. */
export interface FirstValues {
  /** The best value of tokens that do not gain. */
  usual: number;
  /** Tokens with a better value, some twice in a row; `gainingCount` of them. */
  gaining: Uint32Array;
  gainingCount: number;
}

/**
 * Exact input: writes to `labels` (index: rank), for each transit next to an origin, the most that
 * `amount` of the origin's token can give there (`mostOutputByTangent`, inlined). The tangent saves
 * thousands of calls to families where the origin is a hub. Values are (label + bonus) × potential;
 * the best is the greatest. `gaining` must have room for the origin's list.
 */
export function labelOutputs(
  graph: PoolGraph,
  mask: PoolMask,
  origin: number,
  amount: number,
  labels: Float64Array,
  values: FirstValues,
): void {
  const { bonusMax, rankPotential, slotOut, slotPool, slotRank, slotStart } = graph;
  const usualMax = amount * graph.tokenPotential[origin]! * VALUE_USUAL;
  const { gaining } = values;
  const end = graph.slotTransitEnd[origin]!;
  const isMasked = mask.isActive;
  let usual = 0;
  let gainingCount = 0;
  for (let slot = slotStart[origin]!; slot < end; slot++) {
    if (isMasked && mask.blocks(slotPool[slot]!)) continue;
    const at = slot * PIECE_STRIDE;
    const x = slotOut[at]!;
    const y = slotOut[at + 1]!;
    const raised = amount + slotOut[at + 3]!;
    const inside = Math.min(raised, slotOut[at + 2]!);
    const divided = 1 / (x + inside);
    const reached = inside + (raised - inside) * (x * divided);
    const label = Math.floor(y * divided * reached * UP);
    const rank = slotRank[slot]!;
    if (label > labels[rank]!) labels[rank] = label;
    const value = (label + bonusMax) * rankPotential[rank]!;
    if (value > usualMax) gaining[gainingCount++] = graph.slotNeighbour[slot]!;
    else if (value > usual) usual = value;
  }
  values.usual = usual;
  values.gainingCount = gainingCount;
}

/**
 * Exact output: as `labelOutputs`, minus the least that `amount` of the origin's token can cost
 * there (`leastInputByTangent`, inlined). Values are −label × potential; the best is the least.
 */
export function labelInputs(
  graph: PoolGraph,
  mask: PoolMask,
  origin: number,
  amount: number,
  labels: Float64Array,
  values: FirstValues,
): void {
  const { rankPotential, slotIn, slotPool, slotRank, slotStart } = graph;
  const usualMin = (amount * graph.tokenPotential[origin]!) / VALUE_USUAL;
  const { gaining } = values;
  const end = graph.slotTransitEnd[origin]!;
  const isMasked = mask.isActive;
  let usual = Number.POSITIVE_INFINITY;
  let gainingCount = 0;
  for (let slot = slotStart[origin]!; slot < end; slot++) {
    if (isMasked && mask.blocks(slotPool[slot]!)) continue;
    const at = slot * PIECE_STRIDE;
    const x = slotIn[at]!;
    const y = slotIn[at + 1]!;
    const limit = slotIn[at + 2]!;
    let amountIn = (x * amount) / (y - amount);
    // Not positive when the output exceeds what the piece holds.
    if (!(amountIn > 0 && amountIn <= limit)) {
      const beyond = amount - (y * limit) / (x + limit);
      amountIn = limit + beyond * ((x + limit) / x) * ((x + limit) / y);
    }
    const needs = Math.max(1, Math.ceil((amountIn - slotIn[at + 3]!) * DOWN));
    if (!(needs < Number.POSITIVE_INFINITY)) continue; // the pool is empty
    const rank = slotRank[slot]!;
    const label = labels[rank]!;
    if (label === UNREACHED || -needs > label) labels[rank] = -needs;
    const value = needs * rankPotential[rank]!;
    if (value < usualMin) gaining[gainingCount++] = graph.slotNeighbour[slot]!;
    else if (value < usual) usual = value;
  }
  values.usual = usual;
  values.gainingCount = gainingCount;
}

/**
 * Exact input: the first slot of a token's list from `from` on that could give it more than `best`
 * from a neighbour with a label, judged by the pool's best rate; the end of the list when there is
 * none.
 */
export function nextArrival(
  graph: PoolGraph,
  from: number,
  end: number,
  labels: Float64Array,
  best: number,
): number {
  const { bonusMax, slotRank, slotRateIn } = graph;
  const least = best * DOWN;
  for (let slot = from; slot < end; slot++) {
    const label = labels[slotRank[slot]!]!;
    if ((label + bonusMax) * slotRateIn[slot]! <= least || label === UNREACHED) continue;
    return slot;
  }
  return end;
}

/**
 * Exact output: the first slot of a token's list from `from` on over which that token could need
 * less than −`best` for a neighbour with a label, judged by the pool's best rate; the end of the
 * list when there is none.
 */
export function nextDeparture(
  graph: PoolGraph,
  from: number,
  end: number,
  labels: Float64Array,
  best: number,
): number {
  const { bonusMax, slotRank, slotRateOut } = graph;
  const amountIn = (bonusMax - best) * UP;
  for (let slot = from; slot < end; slot++) {
    const label = labels[slotRank[slot]!]!;
    if (-label >= amountIn * slotRateOut[slot]! || label === UNREACHED) continue;
    return slot;
  }
  return end;
}

/*
 * Which pools could be the last of a path that beats the best, judged by a bound on what arrives at
 * (or is needed of) the token before. Nothing is divided. All give the count of slots that they
 * write to `into`.
 */

/** All slots that a path may go on from. */
export function collectAll(
  { slotStart, slotTransitEnd }: PoolGraph,
  goal: number,
  into: Uint32Array,
): number {
  const start = slotStart[goal]!;
  const count = slotTransitEnd[goal]! - start;
  for (let index = 0; index < count; index++) into[index] = start + index;
  return count;
}

/**
 * Exact input: at most inflow × factor arrives, or unusual inflow × factor up to the surplus, and
 * the output must exceed `best`. Marked tokens are hopeful in any case.
 */
export function collectHopefulIn(
  graph: PoolGraph,
  goal: number,
  factor: number,
  best: number,
  { marks, current }: RankMarks,
  into: Uint32Array,
): number {
  const { bonusMax, rankBounds, slotIn, slotRank, slotRateIn, slotStart, slotTransitEnd } = graph;
  const least = best * DOWN;
  const end = slotTransitEnd[goal]!;
  let count = 0;
  for (let slot = slotStart[goal]!; slot < end; slot++) {
    const rank = slotRank[slot]!;
    const bounds = rank * RANK_STRIDE;
    const usually = rankBounds[bounds + INFLOW]! * factor;
    const surplus = rankBounds[bounds + SURPLUS]!;
    if (marks[rank] !== current) {
      if ((Math.max(usually, surplus) + bonusMax) * slotRateIn[slot]! <= least) continue;
      const unusually = Math.min(rankBounds[bounds + UNUSUAL_INFLOW]! * factor, surplus);
      const at = slot * PIECE_STRIDE;
      const arrives = Math.max(usually, unusually);
      const x = slotIn[at]!;
      const amountIn = arrives + slotIn[at + 3]!;
      // y × in / (x + in) within the piece, and beyond it at most its best rate.
      const divisor = arrives <= slotIn[at + 2]! ? x + amountIn : x;
      if (slotIn[at + 1]! * amountIn <= least * divisor) continue;
    }
    into[count++] = slot;
  }
  return count;
}

/**
 * Exact output: needs at least factor / outflow − bonus, for an input below `best`. Marked tokens
 * are hopeful in any case.
 */
export function collectHopefulOut(
  graph: PoolGraph,
  goal: number,
  factor: number,
  best: number,
  { marks, current }: RankMarks,
  into: Uint32Array,
): number {
  const { bonusMax, rankBounds, slotOut, slotRank, slotRateOut, slotStart } = graph;
  const most = (best + bonusMax) * UP * UP;
  const end = graph.slotTransitEnd[goal]!;
  let count = 0;
  for (let slot = slotStart[goal]!; slot < end; slot++) {
    const rank = slotRank[slot]!;
    if (marks[rank] !== current) {
      const outflow = rankBounds[rank * RANK_STRIDE + OUTFLOW]!;
      if ((most * slotRateOut[slot]! + bonusMax) * outflow < factor) continue;
      const at = slot * PIECE_STRIDE;
      const x = slotOut[at]!;
      const amountIn = best * UP + slotOut[at + 3]!;
      const divisor = amountIn <= slotOut[at + 2]! ? x + amountIn : x;
      if (slotOut[at + 1]! * amountIn * UP < (factor / outflow - bonusMax) * divisor) continue;
    }
    into[count++] = slot;
  }
  return count;
}

/** Paths of two pools: the slots with a label that `next` (one of the two above) finds. */
export function collectReached(
  next: typeof nextArrival,
  graph: PoolGraph,
  goal: number,
  labels: Float64Array,
  best: number,
  into: Uint32Array,
): number {
  const end = graph.slotTransitEnd[goal]!;
  let count = 0;
  let slot = next(graph, graph.slotStart[goal]!, end, labels, best);
  while (slot < end) {
    into[count++] = slot;
    slot = next(graph, slot + 1, end, labels, best);
  }
  return count;
}

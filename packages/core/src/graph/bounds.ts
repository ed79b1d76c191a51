import type { BonusSlots } from "./BonusSlots.ts";
import { grown } from "./buffers.ts";
import {
  INFLOW,
  NO_RANK,
  OUTFLOW,
  PIECE_STRIDE,
  PoolGraph,
  RANK_STRIDE,
  SURPLUS,
  UNUSUAL_INFLOW,
} from "./PoolGraph.ts";

/**
 * Bounds that let a search skip a token without reading its list. A *potential* is a price of each
 * token in some common unit; any positive numbers would do, good prices make tight bounds. Per
 * transit t, `rankBounds` has:
 *
 * - INFLOW: the greatest rate × 1 / potential(u) over all usual edges u → t. A swap gives t
 *   at most this times the greatest value (amount × potential) at a neighbour. Over an unusual edge
 *   it gives at most UNUSUAL_INFLOW, the same of those edges, times that value, and at most
 *   SURPLUS: the most that such a pool can give.
 * - OUTFLOW: the greatest rate × potential(u) over all edges t → u. A value at a neighbour
 *   needs at least that value divided by this to leave t.
 *
 * Fees make the value shrink with every swap in a market without arbitrage. Edges where it could
 * grow by a factor above GAIN_USUAL are unusual: mostly dust pools that the price has left behind.
 * Their tokens are listed as outliers, and a search looks at them one by one.
 *
 * A pool's best rate is y / x of its leading piece.
 */

/** The greatest factor by which the value may grow in a usual swap. */
export const GAIN_USUAL = 1.002;

/** The most that the edge neighbour → own of a slot can give, as its family estimates it. */
export type GivesAtMost = (slot: number) => number;

/** Slots between two yields to other work. */
const SLOTS_A_SLICE = 4_096;

/**
 * Potentials, the slots that they are chosen by, and the bounds made with them. Arrays are as in
 * `PoolGraph`.
 */
export type Bounds = Pick<
  PoolGraph,
  | "tokenPotential"
  | "tokenPriceSlot"
  | "tokenPriceOrder"
  | "rankPotential"
  | "rankBounds"
  | "outliers"
  | "outlierCount"
  | "tokenIsOutlier"
>;

/** Empty bounds; `reserveBounds` makes room. */
export function noBounds(): Bounds {
  return boundsOf(new PoolGraph(0, []));
}

export function boundsOf({
  tokenPotential,
  tokenPriceSlot,
  tokenPriceOrder,
  rankPotential,
  rankBounds,
  outliers,
  outlierCount,
  tokenIsOutlier,
}: Bounds): Bounds {
  return {
    tokenPotential,
    tokenPriceSlot,
    tokenPriceOrder,
    rankPotential,
    rankBounds,
    outliers,
    outlierCount,
    tokenIsOutlier,
  };
}

/** Makes room for the tokens of a graph. */
export function reserveBounds({ tokenCount, transitCount }: PoolGraph, bounds: Bounds): void {
  bounds.tokenPotential = grown(Float64Array, bounds.tokenPotential, tokenCount);
  bounds.tokenPriceSlot = grown(Uint32Array, bounds.tokenPriceSlot, tokenCount);
  bounds.tokenPriceOrder = grown(Uint32Array, bounds.tokenPriceOrder, tokenCount);
  bounds.rankPotential = grown(Float64Array, bounds.rankPotential, transitCount);
  bounds.rankBounds = grown(Float64Array, bounds.rankBounds, transitCount * RANK_STRIDE);
  bounds.outliers = grown(Uint32Array, bounds.outliers, tokenCount);
  bounds.tokenIsOutlier = grown(Uint8Array, bounds.tokenIsOutlier, tokenCount);
}

/** Resets the bounds of a priced token without slots, or of a new transit. */
export function clearBounds(graph: PoolGraph, token: number): void {
  const rank = graph.tokenRank[token]!;
  if (rank === NO_RANK) return;
  graph.rankPotential[rank] = graph.tokenPotential[token]!;
  graph.rankBounds.fill(0, rank * RANK_STRIDE, (rank + 1) * RANK_STRIDE);
}

/** Keeps the bounds true, though not tight, after one slot's pieces changed. */
export function raiseBounds(
  graph: PoolGraph,
  token: number,
  slot: number,
  givesAtMost: GivesAtMost,
): void {
  const { rankBounds } = graph;
  const rank = graph.tokenRank[token]!;
  const own = graph.tokenPotential[token]!;
  const neighbour = graph.tokenPotential[graph.slotNeighbour[slot]!]!;
  const inflow = graph.slotRateIn[slot]! / neighbour;
  const outflow = graph.slotRateOut[slot]! * neighbour;
  raiseBonus(graph, token, slot);
  if (rank === NO_RANK) return; // no path goes through it
  const raise = (which: number, bound: number) => {
    const at = rank * RANK_STRIDE + which;
    rankBounds[at] = Math.max(rankBounds[at]!, bound);
  };
  raise(OUTFLOW, outflow);
  const isUsual = inflow * own <= GAIN_USUAL;
  if (isUsual) raise(INFLOW, inflow);
  else {
    raise(UNUSUAL_INFLOW, inflow);
    raise(SURPLUS, givesAtMost(slot));
  }
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

/** Raises the greatest bonuses to those of all slots. */
export function raiseBonuses(graph: PoolGraph, { owners }: BonusSlots): void {
  for (const [slot, token] of owners) raiseBonus(graph, token, slot);
}

/**
 * `raiseBounds` for all slots except for bonuses, from zero, with the potentials in `into`. Works
 * in slices: the graph may change meanwhile. Inlined, because it runs with every block: it keeps
 * the arrays at hand, and skips tokens that no path goes through.
 */
export function* refreshBounds(
  graph: PoolGraph,
  into: Bounds,
  givesAtMost: GivesAtMost,
): Generator<void> {
  const { slotEnd, slotStart, tokenCount, tokenRank } = graph;
  const { tokenPotential } = into;
  const scan = new SlotScan(graph, tokenPotential, givesAtMost);
  into.outlierCount = 0;
  into.tokenIsOutlier.fill(0);
  let untilYield = SLOTS_A_SLICE;
  for (let token = 0; token < tokenCount; token++) {
    const rank = tokenRank[token]!;
    if (rank === NO_RANK) continue;
    const own = tokenPotential[token]!;
    const last = slotEnd[token]!;
    scan.clear();
    for (let start = slotStart[token]!; start < last; ) {
      const end = Math.min(start + untilYield, last);
      scan.read(own, start, end);
      untilYield -= end - start;
      start = end;
      if (untilYield > 0) continue;
      untilYield = SLOTS_A_SLICE;
      yield;
    }
    into.rankPotential[rank] = own;
    const at = rank * RANK_STRIDE;
    into.rankBounds[at + INFLOW] = scan.inflowMax;
    into.rankBounds[at + UNUSUAL_INFLOW] = scan.unusualInflowMax;
    into.rankBounds[at + SURPLUS] = scan.surplusMax;
    into.rankBounds[at + OUTFLOW] = scan.outflowMax;
    if (!scan.isOutlier) continue;
    into.tokenIsOutlier[token] = 1;
    into.outliers[into.outlierCount++] = token;
  }
}

/** The bounds of one token, slot by slot. */
class SlotScan {
  inflowMax = 0;
  outflowMax = 0;
  unusualInflowMax = 0;
  surplusMax = 0;
  isOutlier = false;
  readonly #neighbours: Uint32Array;
  readonly #potentials: Float64Array;
  readonly #ratesIn: Float64Array;
  readonly #ratesOut: Float64Array;
  readonly #givesAtMost: GivesAtMost;

  constructor(graph: PoolGraph, potentials: Float64Array, givesAtMost: GivesAtMost) {
    this.#neighbours = graph.slotNeighbour;
    this.#potentials = potentials;
    this.#ratesIn = graph.slotRateIn;
    this.#ratesOut = graph.slotRateOut;
    this.#givesAtMost = givesAtMost;
  }

  clear(): void {
    this.inflowMax = 0;
    this.outflowMax = 0;
    this.unusualInflowMax = 0;
    this.surplusMax = 0;
    this.isOutlier = false;
  }

  /** Reads some slots of a token with this potential. */
  read(own: number, start: number, end: number): void {
    const neighbours = this.#neighbours;
    const potentials = this.#potentials;
    const ratesIn = this.#ratesIn;
    const ratesOut = this.#ratesOut;
    let { inflowMax, outflowMax, isOutlier } = this;
    for (let slot = start; slot < end; slot++) {
      const neighbour = potentials[neighbours[slot]!]!;
      const inflow = ratesIn[slot]! / neighbour;
      const outflow = ratesOut[slot]! * neighbour;
      outflowMax = Math.max(outflowMax, outflow);
      const isUsual = inflow * own <= GAIN_USUAL;
      if (isUsual) inflowMax = Math.max(inflowMax, inflow);
      else {
        this.unusualInflowMax = Math.max(this.unusualInflowMax, inflow);
        this.surplusMax = Math.max(this.surplusMax, this.#givesAtMost(slot));
      }
      isOutlier ||= !(isUsual && outflow <= GAIN_USUAL * own);
    }
    this.inflowMax = inflowMax;
    this.outflowMax = outflowMax;
    this.isOutlier = isOutlier;
  }
}

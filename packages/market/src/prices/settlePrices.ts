import { Observations } from "./Observations.ts";
import type { PoolMeasures } from "./PoolMeasures.ts";
import { observe, observedWeight, priceAnchor, priceToken } from "./priceToken.ts";
import { UNSETTLED } from "./TokenPrices.ts";
import type { Valuation } from "./Valuation.ts";

/** An anchor of the graph. */
export interface AnchorToken {
  readonly token: number;
  readonly priceUsd: number;
}

/** Slots between two pauses. */
const SLOTS_A_SLICE = 256;

/**
 * Prices every token that a path of deep enough pools joins to an anchor.
 *
 * Tokens are settled from the anchors outwards, the one behind the widest path first (Dijkstra's
 * algorithm with min for plus); of equals, the lower address. A token's price is the depth-weighted
 * median of what its pools with tokens settled before say: see `priceToken`.
 */
export function* settlePrices(
  valuation: Valuation,
  measures: PoolMeasures,
  anchors: ReadonlyArray<AnchorToken>,
  depthFloorUsd: number,
): Generator<void> {
  const { poolTokenCount, slotEnd, slotNeighbour, slotPool, slotPositions, slotStart } =
    valuation.topology;
  const { tokenCount, tokenDecimals } = valuation.topology;
  const { addressRank, poolRank } = valuation.catalogue;
  const comparePools = (a: number, b: number) => poolRank[a]! - poolRank[b]!;
  const { heap } = valuation;
  const observations = new Observations();
  heap.begin(tokenCount, addressRank);
  for (const { token, priceUsd } of anchors) {
    priceAnchor(valuation, token, priceUsd, tokenDecimals[token]!);
    heap.raise(token, Number.POSITIVE_INFINITY);
  }
  let untilYield = SLOTS_A_SLICE;
  for (let token = heap.take(); token !== -1; token = heap.take()) {
    const width = heap.width(token);
    if (width < Number.POSITIVE_INFINITY) {
      // The neighbour that gave the width is among them.
      const decimals = tokenDecimals[token]!;
      observeAll(token, decimals);
      priceToken(valuation, token, observations, comparePools, decimals, depthFloorUsd);
    }
    valuation.widthUsd[token] = width;
    valuation.settledAt[token] = valuation.settledCount;
    valuation.settled[valuation.settledCount++] = token;
    const end = slotEnd[token]!;
    for (let slot = slotStart[token]!; slot < end; ) {
      const until = Math.min(slot + untilYield, end);
      widenNeighbours(token, slot, until);
      untilYield -= until - slot;
      slot = until;
      if (untilYield > 0) continue;
      untilYield = SLOTS_A_SLICE;
      yield;
    }
  }

  /** Raises the widths of the neighbours at some of the token's slots. */
  function widenNeighbours(from: number, start: number, end: number): void {
    for (let slot = start; slot < end; slot++) {
      const token = slotNeighbour[slot]!;
      if (valuation.settledAt[token] !== UNSETTLED) continue;
      const pool = slotPool[slot]!;
      const fromPosition = slotPositions[slot]! >> 3;
      const position = slotPositions[slot]! & 7;
      const weight = observedWeight(
        valuation,
        from,
        measures.midPrice[cellOf(pool, position, fromPosition)]!,
        measures.own[cellOf(pool, fromPosition, position)]!,
        tokenDecimals[token]!,
        depthFloorUsd,
      );
      if (weight > 0 && heap.raise(token, weight)) valuation.widestFrom[token] = from;
    }
  }

  /** Takes what each pool with a settled neighbour says about a token. */
  function observeAll(token: number, decimals: number): void {
    observations.clear();
    for (let slot = slotStart[token]!; slot < slotEnd[token]!; slot++) {
      const from = slotNeighbour[slot]!;
      if (valuation.settledAt[from] === UNSETTLED) continue;
      const pool = slotPool[slot]!;
      const position = slotPositions[slot]! >> 3;
      const fromPosition = slotPositions[slot]! & 7;
      observe(
        observations,
        valuation,
        from,
        pool,
        measures.midPrice[cellOf(pool, position, fromPosition)]!,
        measures.own[cellOf(pool, fromPosition, position)]!,
        decimals,
        depthFloorUsd,
      );
    }
  }

  function cellOf(pool: number, position: number, other: number): number {
    return measures.cellStart[pool]! + position * poolTokenCount[pool]! + other;
  }
}

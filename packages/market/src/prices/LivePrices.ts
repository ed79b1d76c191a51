import { ADDRESS_BYTES, type PoolFamily, type PoolGraph, type PoolIndex } from "@millrace/core";
import { enlarged } from "../enlarged.ts";
import { Observations } from "./Observations.ts";
import { poolBacking, sound } from "./poolBacking.ts";
import { observe, priceAnchor, priceToken } from "./priceToken.ts";
import type { AnchorToken } from "./settlePrices.ts";
import { type TokenPrices, UNSETTLED } from "./TokenPrices.ts";

/** A token is not priced if more tokens than this must be priced for it. */
const TOKENS_MAX = 4_096;
/** A token with more slots than this caches the list of those that matter. */
const FEW_SLOTS = 64;
const TOKENS_A_SLICE = 1_024;

/**
 * Prices of the block that the graph shows, at once: a token is priced on demand, and once for each
 * version of the graph.
 *
 * It is priced as by `settlePrices`: from its pools as they are now, and from those neighbours that
 * precede it in the order of the last settled valuation; these are priced first in the same way.
 * Tokens without a position in that order come after all that have one. Width, depth, confidence
 * and floor are of this block, too. So:
 * - wherever settling this block would put the same neighbours before a token, and before those
 *   that it is priced from, the price is exactly the one that settling gives;
 * - where the order differs now, which happens for neighbours of nearly the same width or behind
 *   pools that came or were emptied, the price still is that of a path of pools of this block, each
 *   above the floor, and the weighted median of its sources; until the next settled valuation it
 *   may be another path's, or 0 where all pools above the floor are with tokens later in the order.
 */
export class LivePrices implements TokenPrices {
  unitPriceUsd = new Float64Array(0);
  priceUsd = new Float64Array(0);
  widthUsd = new Float64Array(0);
  widestFrom = new Int32Array(0);
  depthUsd = new Float64Array(0);
  confidence = new Float64Array(0);
  priceFrom = new Int32Array(0);
  pricePool = new Int32Array(0);
  settledAt: Int32Array = new Int32Array(0);

  readonly #graph: PoolGraph;
  readonly #familyOf: (pool: PoolIndex) => PoolFamily;
  readonly #depthFloorUsd: number;
  #anchors = new Map<number, number>();

  // A token is priced when its mark is the current one.
  #pricedMark = new Uint32Array(0); // index: token
  #mark = 0;
  #graphVersion = -1;
  #topologyVersion = -1;
  /** By token: its slots with neighbours before it in the order. */
  readonly #slotsBefore = new Map<number, Uint32Array>();
  readonly #pending: number[] = [];
  readonly #observations = new Observations();

  constructor(graph: PoolGraph, familyOf: (pool: PoolIndex) => PoolFamily, depthFloorUsd: number) {
    this.#graph = graph;
    this.#familyOf = familyOf;
    this.#depthFloorUsd = depthFloorUsd;
  }

  /**
   * Uses another order from now on; the array is not copied, and must not change until the next
   * call.
   */
  reorder(settledAt: Int32Array, anchors: ReadonlyArray<AnchorToken>): void {
    this.settledAt = settledAt;
    this.#anchors = new Map(anchors.map(({ token, priceUsd }) => [token, priceUsd]));
    this.#slotsBefore.clear();
    this.#graphVersion = -1;
  }

  /**
   * Looks up, in slices, what tokens with many pools would otherwise look up when they are priced.
   */
  *prepare(): Generator<void> {
    this.#followGraph();
    for (let token = 0; token < this.#graph.tokenCount; token++) {
      if (token % TOKENS_A_SLICE === 0) yield;
      if (this.#slotCountOf(token) <= FEW_SLOTS) continue;
      this.#slotsOf(token);
      yield;
    }
  }

  /**
   * Prices a token, and everything that its price depends on, into the arrays. False when that
   * takes too many tokens: then the arrays do not have its price.
   */
  update(token: number): boolean {
    this.#followGraph();
    const pending = this.#pending;
    pending.length = 0;
    pending.push(token);
    let priced = 0;
    while (pending.length > 0) {
      const last = pending.at(-1)!;
      if (this.#isPriced(last)) {
        pending.pop();
        continue;
      }
      const slots = this.#slotsOf(last);
      if (this.#pendBefore(slots)) continue;
      if (++priced > TOKENS_MAX) return false;
      this.#price(last, slots);
      this.#pricedMark[last] = this.#mark;
      pending.pop();
    }
    return true;
  }

  #followGraph(): void {
    const { version, topologyVersion, tokenCount } = this.#graph;
    if (version === this.#graphVersion) return;
    this.#graphVersion = version;
    this.#mark++;
    if (topologyVersion === this.#topologyVersion) return;
    this.#topologyVersion = topologyVersion;
    this.#slotsBefore.clear();
    this.#pricedMark = enlarged(this.#pricedMark, tokenCount);
    this.unitPriceUsd = enlarged(this.unitPriceUsd, tokenCount);
    this.priceUsd = enlarged(this.priceUsd, tokenCount);
    this.widthUsd = enlarged(this.widthUsd, tokenCount);
    this.widestFrom = enlarged(this.widestFrom, tokenCount);
    this.depthUsd = enlarged(this.depthUsd, tokenCount);
    this.confidence = enlarged(this.confidence, tokenCount);
    this.priceFrom = enlarged(this.priceFrom, tokenCount);
    this.pricePool = enlarged(this.pricePool, tokenCount);
  }

  #isPriced(token: number): boolean {
    return this.#pricedMark[token] === this.#mark;
  }

  /**
   * Adds the unpriced neighbours of these slots to the pending tokens; false when there are none.
   */
  #pendBefore(slots: ArrayLike<number>): boolean {
    const before = this.#pending.length;
    for (let at = 0; at < slots.length; at++) {
      const neighbour = this.#graph.slotNeighbour[slots[at]!]!;
      if (!this.#isPriced(neighbour)) this.#pending.push(neighbour);
    }
    return this.#pending.length > before;
  }

  /** The slots of a token whose neighbours precede it in the order; none for an anchor. */
  #slotsOf(token: number): ArrayLike<number> {
    if (this.#anchors.has(token)) return NO_SLOTS;
    const hasMany = this.#slotCountOf(token) > FEW_SLOTS;
    const kept = hasMany ? this.#slotsBefore.get(token) : undefined;
    if (kept !== undefined) return kept;
    const { slotEnd, slotNeighbour, slotStart } = this.#graph;
    const start = slotStart[token]!;
    const end = slotEnd[token]!;
    const position = this.#positionOf(token);
    const slots: number[] = [];
    for (let slot = start; slot < end; slot++) {
      const neighbourPosition = this.settledAt[slotNeighbour[slot]!] ?? UNSETTLED;
      if (neighbourPosition !== UNSETTLED && neighbourPosition < position) slots.push(slot);
    }
    if (hasMany) this.#slotsBefore.set(token, Uint32Array.from(slots));
    return slots;
  }

  #slotCountOf(token: number): number {
    return this.#graph.slotEnd[token]! - this.#graph.slotStart[token]!;
  }

  #positionOf(token: number): number {
    const position = this.settledAt[token] ?? UNSETTLED;
    return position === UNSETTLED ? Number.POSITIVE_INFINITY : position;
  }

  #price(token: number, slots: ArrayLike<number>): void {
    const decimals = this.#graph.tokenDecimals[token]!;
    const anchorUsd = this.#anchors.get(token);
    if (anchorUsd !== undefined) return priceAnchor(this, token, anchorUsd, decimals);
    this.#clear(token);
    const observations = this.#observations;
    observations.clear();
    for (let at = 0; at < slots.length; at++) this.#observe(token, slots[at]!, decimals);
    if (observations.length === 0) return;
    priceToken(this, token, observations, this.#comparePools, decimals, this.#depthFloorUsd);
  }

  readonly #comparePools = (a: number, b: number): number => {
    const { poolAddresses } = this.#graph;
    for (let byte = 0; byte < ADDRESS_BYTES; byte++) {
      const first = poolAddresses[a * ADDRESS_BYTES + byte]!;
      const second = poolAddresses[b * ADDRESS_BYTES + byte]!;
      if (first !== second) return first - second;
    }
    return 0;
  };

  #clear(token: number): void {
    this.unitPriceUsd[token] = 0;
    this.priceUsd[token] = 0;
    this.widthUsd[token] = 0;
    this.widestFrom[token] = UNSETTLED;
    this.depthUsd[token] = 0;
    this.confidence[token] = 0;
    this.priceFrom[token] = UNSETTLED;
    this.pricePool[token] = UNSETTLED;
  }

  /** Takes what the pool of a slot says about its token, which has these decimals. */
  #observe(token: number, slot: number, decimals: number): void {
    const { slotNeighbour, slotPool, slotPositions } = this.#graph;
    const from = slotNeighbour[slot]!;
    if (this.unitPriceUsd[from] === 0) return;
    const pool = slotPool[slot]! as PoolIndex;
    const position = slotPositions[slot]! >> 3;
    const fromPosition = slotPositions[slot]! & 7;
    const family = this.#familyOf(pool);
    const midPrice = sound(family.midPrice(pool, position, fromPosition));
    const backing = poolBacking(family, pool, fromPosition, position, midPrice);
    const weight = observe(
      this.#observations,
      this,
      from,
      pool,
      midPrice,
      backing,
      decimals,
      this.#depthFloorUsd,
    );
    if (weight > 0) this.#widen(token, from, weight);
  }

  /** Of several paths of equal width, settling keeps the one that it finds first. */
  #widen(token: number, from: number, weight: number): void {
    const width = this.widthUsd[token]!;
    const isWider = weight > width;
    const isEarlier =
      weight === width && this.settledAt[from]! < this.settledAt[this.widestFrom[token]!]!;
    if (!isWider && !isEarlier) return;
    this.widthUsd[token] = weight;
    this.widestFrom[token] = from;
  }
}

const NO_SLOTS = new Uint32Array(0);

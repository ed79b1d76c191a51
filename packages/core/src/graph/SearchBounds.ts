import type { PoolFamily } from "../Curve.ts";
import type { ExtendedLists } from "./Adjacency.ts";
import { BonusSlots } from "./BonusSlots.ts";
import {
  boundsOf,
  clearBounds,
  noBounds,
  raiseBonuses,
  raiseBounds,
  refreshBounds,
  reserveBounds,
} from "./bounds.ts";
import { OutputBounds } from "./OutputBounds.ts";
import type { PoolGraph, PoolIndex } from "./PoolGraph.ts";
import { choosePotentials, priceNewTokens, repricePotentials } from "./potentials.ts";
import { runToEnd } from "./runToEnd.ts";
import { writing } from "./writeSequence.ts";

/**
 * Keeps the bounds of a graph's search true with every change, at the cost of the changed pools. It
 * makes them tight again in slices, at the cost of all tokens and slots. With loose bounds a search
 * finds the same, but takes longer.
 */
export class SearchBounds {
  readonly #graph: PoolGraph;
  readonly #bonusSlots = new BonusSlots();
  readonly #outputBounds: OutputBounds;
  /** The graph's next bounds while they are prepared; afterwards the former ones. */
  readonly #next = noBounds();
  /** Pools whose pieces changed since potentials were based on them. */
  #loosePools = new Set<PoolIndex>();
  /** Whether pools came since potentials were chosen. */
  #arePricesOld = false;
  /** Tokens that have a potential. */
  #tokenCount = 0;

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#outputBounds = new OutputBounds(graph, families);
  }

  /** Whether prices may have moved since bounds were made tight. */
  get areLoose(): boolean {
    return this.#loosePools.size > 0 || this.#arePricesOld;
  }

  /** Takes over the pieces of a pool as its slots now have them. */
  take(pool: PoolIndex): void {
    const graph = this.#graph;
    this.#loosePools.add(pool);
    const count = graph.poolTokenCount[pool]!;
    for (let own = 0; own < count; own++) {
      const token = graph.poolToken(pool, own);
      for (let other = 0; other < count; other++) {
        if (own !== other) this.#bonusSlots.take(graph, token, graph.poolSlot(pool, own, other));
      }
    }
  }

  /** Keeps the bounds true after a pool's pieces changed. */
  raise(pool: PoolIndex): void {
    const graph = this.#graph;
    const count = graph.poolTokenCount[pool]!;
    for (let own = 0; own < count; own++) {
      const token = graph.poolToken(pool, own);
      for (let other = 0; other < count; other++) {
        if (own === other) continue;
        const slot = graph.poolSlot(pool, own, other);
        raiseBounds(graph, token, slot, this.#outputBounds.givesAtMost);
      }
    }
  }

  /**
   * To be called after slots were laid out anew: takes all pieces, chooses potentials, makes
   * bounds.
   */
  rebuild(): void {
    const graph = this.#graph;
    this.#bonusSlots.clear();
    for (let pool = 0; pool < graph.poolCount; pool++) this.take(pool as PoolIndex);
    reserveBounds(graph, graph);
    runToEnd(choosePotentials(graph, graph));
    runToEnd(refreshBounds(graph, graph, this.#outputBounds.givesAtMost));
    raiseBonuses(graph, this.#bonusSlots);
    graph.boundsVersion++;
    this.#loosePools.clear();
    this.#arePricesOld = false;
    this.#tokenCount = graph.tokenCount;
  }

  /** Takes new pools with their pieces, and slots that moved. Leaves bounds true, but loose. */
  extend(pools: ReadonlyArray<PoolIndex>, { newTransits, lists }: ExtendedLists): void {
    const graph = this.#graph;
    reserveBounds(graph, graph);
    this.#bonusSlots.move(graph, lists);
    priceNewTokens(graph, this.#unpriced(lists));
    for (; this.#tokenCount < graph.tokenCount; this.#tokenCount++) {
      graph.tokenIsOutlier[this.#tokenCount] = 0;
      clearBounds(graph, this.#tokenCount);
    }
    for (const token of newTransits) {
      clearBounds(graph, token);
      for (let slot = graph.slotStart[token]!; slot < graph.slotEnd[token]!; slot++)
        raiseBounds(graph, token, slot, this.#outputBounds.givesAtMost);
    }
    for (const pool of pools) {
      this.#loosePools.add(pool);
      this.raise(pool);
    }
    this.#arePricesOld = true;
    graph.boundsVersion++;
  }

  /** Tokens that are new, or had no pools. */
  *#unpriced(lists: ExtendedLists["lists"]): Generator<number> {
    for (const { token, wasEmpty } of lists) if (wasEmpty && token < this.#tokenCount) yield token;
    for (let token = this.#tokenCount; token < this.#graph.tokenCount; token++) yield token;
  }

  /** Makes bounds tight within a write in progress. */
  tightenNow(): void {
    if (this.areLoose && runToEnd(this.#prepare())) this.#install();
  }

  /** Makes bounds tight in slices, between which blocks may come. Run only one at a time. */
  *tighten(): Generator<void> {
    if (!this.areLoose || !(yield* this.#prepare())) return;
    // Searching threads may keep using their bounds, which are true, until these are written. A
    // write that they notice must come before, unless one has come already.
    if (this.areLoose) writing(this.#graph, () => this.#install());
    else this.#install();
  }

  /** Computes the next bounds; false when pools came or went meanwhile. */
  *#prepare(): Generator<void, boolean> {
    const graph = this.#graph;
    const { topologyVersion } = graph;
    const next = this.#next;
    const pools = this.#loosePools;
    const arePricesOld = this.#arePricesOld;
    this.#loosePools = new Set();
    this.#arePricesOld = false;
    reserveBounds(graph, next);
    for (const work of [
      arePricesOld ? choosePotentials(graph, next) : this.#reprice(pools),
      refreshBounds(graph, next, this.#outputBounds.givesAtMost),
    ]) {
      while (!work.next().done) {
        yield;
        if (graph.topologyVersion === topologyVersion) continue;
        for (const pool of pools) this.#loosePools.add(pool);
        this.#arePricesOld ||= arePricesOld;
        return false;
      }
    }
    return true;
  }

  #reprice(pools: ReadonlySet<PoolIndex>): Generator<void> {
    const graph = this.#graph;
    const next = this.#next;
    next.tokenPotential.set(graph.tokenPotential.subarray(0, graph.tokenCount));
    next.tokenPriceSlot.set(graph.tokenPriceSlot.subarray(0, graph.tokenCount));
    next.tokenPriceOrder.set(graph.tokenPriceOrder.subarray(0, graph.tokenCount));
    return repricePotentials(graph, next, pools);
  }

  #install(): void {
    const graph = this.#graph;
    const before = boundsOf(graph);
    Object.assign(graph, boundsOf(this.#next));
    Object.assign(this.#next, before);
    graph.boundsVersion++;
    raiseBonuses(graph, this.#bonusSlots);
    // The next bounds may have used the pieces of these pools from before they changed.
    for (const pool of this.#loosePools) this.raise(pool);
  }
}

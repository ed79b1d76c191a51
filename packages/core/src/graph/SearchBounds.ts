import type { PoolFamily } from "../Curve.ts";
import {
  boundsOf,
  noBounds,
  raiseBonuses,
  raiseBounds,
  refreshBounds,
  reserveBounds,
} from "./bounds.ts";
import { OutputBounds } from "./OutputBounds.ts";
import type { PoolGraph, PoolIndex } from "./PoolGraph.ts";
import { rebuildPotentials, repricePotentials } from "./potentials.ts";
import { runToEnd } from "./runToEnd.ts";
import { SlotRates } from "./SlotRates.ts";
import { writing } from "./writeSequence.ts";

/**
 * Keeps the bounds of a graph's search true with every change, at the cost of the pools that
 * changed. In slices they are made tight again, at the cost of all tokens and slots: by loose ones
 * a search finds the same, and takes longer.
 */
export class SearchBounds {
  readonly #graph: PoolGraph;
  readonly #rates = new SlotRates();
  readonly #outputBounds: OutputBounds;
  /** What the graph will go by next, and went by before. */
  readonly #next = noBounds();
  /** Pools whose pieces changed since potentials went by them. */
  #loosePools = new Set<PoolIndex>();

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#outputBounds = new OutputBounds(graph, families);
  }

  /** Prices may have moved since bounds were made tight. */
  get areLoose(): boolean {
    return this.#loosePools.size > 0;
  }

  /** Takes the pieces of a pool, as its slots have them now. */
  take(pool: PoolIndex): void {
    const graph = this.#graph;
    this.#loosePools.add(pool);
    const count = graph.poolTokenCount[pool]!;
    for (let own = 0; own < count; own++) {
      const token = graph.poolToken(pool, own);
      for (let other = 0; other < count; other++) {
        if (own !== other) this.#rates.take(graph, token, graph.poolSlot(pool, own, other));
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

  /** Slots are laid out anew: takes all pieces, chooses potentials, and makes bounds by them. */
  rebuild(): void {
    const graph = this.#graph;
    this.#rates.clear(graph.slotCount);
    for (let pool = 0; pool < graph.poolCount; pool++) this.take(pool as PoolIndex);
    reserveBounds(graph, graph);
    rebuildPotentials(graph);
    runToEnd(refreshBounds(graph, graph, this.#rates, this.#outputBounds.givesAtMost));
    raiseBonuses(graph, this.#rates);
    graph.boundsVersion++;
    this.#loosePools.clear();
  }

  /** Makes bounds tight within a write that goes on. */
  tightenNow(): void {
    if (this.areLoose && runToEnd(this.#prepare())) this.#install();
  }

  /** Makes bounds tight, in slices: blocks may come meanwhile. One at a time. */
  *tighten(): Generator<void> {
    if (!this.areLoose || !(yield* this.#prepare())) return;
    // Threads may go on by the bounds that they have, which are true, until those are written: and
    // a write that they see comes before that, unless it has come already.
    if (this.areLoose) writing(this.#graph, () => this.#install());
    else this.#install();
  }

  /** Works out the next bounds; false when pools came or went, and others have been made. */
  *#prepare(): Generator<void, boolean> {
    const graph = this.#graph;
    const { topologyVersion } = graph;
    const next = this.#next;
    const pools = this.#loosePools;
    this.#loosePools = new Set();
    reserveBounds(graph, next);
    next.tokenPotential.set(graph.tokenPotential.subarray(0, graph.tokenCount));
    for (const work of [
      repricePotentials(graph, next.tokenPotential, pools),
      refreshBounds(graph, next, this.#rates, this.#outputBounds.givesAtMost),
    ]) {
      while (!work.next().done) {
        yield;
        if (graph.topologyVersion !== topologyVersion) return false;
      }
    }
    return true;
  }

  #install(): void {
    const graph = this.#graph;
    const before = boundsOf(graph);
    Object.assign(graph, boundsOf(this.#next));
    Object.assign(this.#next, before);
    graph.boundsVersion++;
    raiseBonuses(graph, this.#rates);
    // These may have been read as they were before they changed.
    for (const pool of this.#loosePools) this.raise(pool);
  }
}

import { ESTIMATE_ERROR, type PoolFamily } from "../Curve.ts";
import type { PoolGraph, PoolIndex } from "./PoolGraph.ts";

/** Number of values that `slotPositions` may have. */
const POSITIONS = 64;

/**
 * The most that an edge can give, as its family estimates it, cached until its pool changes: bounds
 * ask for thousands with every block, and walking all ticks of a pool takes microseconds.
 */
export class OutputBounds {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  /** By pool and positions. */
  readonly #known = new Map<number, { readonly poolVersion: number; readonly all: number }>();

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#families = families;
  }

  /** The most that the edge neighbour → own of a slot can give. */
  readonly givesAtMost = (slot: number): number => {
    const graph = this.#graph;
    const pool = graph.slotPool[slot]! as PoolIndex;
    const poolVersion = graph.poolVersion[pool]!;
    const positions = graph.slotPositions[slot]!;
    const edge = pool * POSITIONS + positions;
    const known = this.#known.get(edge);
    if (known?.poolVersion === poolVersion) return known.all;
    const own = positions >> 3;
    const family = this.#families[graph.poolCurve[pool]!]!;
    const estimate = family.estimateExactIn(pool, positions & 7, own, Number.POSITIVE_INFINITY);
    const all = estimate * (1 + ESTIMATE_ERROR);
    this.#known.set(edge, { poolVersion, all });
    return all;
  };
}

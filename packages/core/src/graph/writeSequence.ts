import type { PoolGraph } from "./PoolGraph.ts";

/**
 * The number of a graph's last write, odd while one goes on. What a thread other than the writer's
 * has read is of one block when the number was even before and is the same after: a seqlock.
 *
 * Adding nothing is a full barrier, as a mere load need not be: on ARM, reads before it could slip
 * past it (Boehm, *Can Seqlocks Get Along With Programming Language Memory Models?*, 2012).
 */
export function sequenceOf(graph: PoolGraph): number {
  return Atomics.add(graph.writeSequence, 0, 0);
}

/** Runs a change of a graph. It is given back as it was numbered even where the change throws. */
export function writing<A>(graph: PoolGraph, change: () => A): A {
  Atomics.add(graph.writeSequence, 0, 1);
  try {
    return change();
  } finally {
    Atomics.add(graph.writeSequence, 0, 1);
    for (const written of listeners.get(graph) ?? []) written();
  }
}

/** By graph; called at the end of each write, and must not throw. */
const listeners = new WeakMap<PoolGraph, Set<() => void>>();

/** Calls back, synchronously, after each write of a graph; gives the unsubscriber. */
export function onWritten(graph: PoolGraph, listener: () => void): () => void {
  const known = listeners.get(graph) ?? new Set();
  listeners.set(graph, known.add(listener));
  return () => void known.delete(listener);
}

import type { PoolGraph } from "./PoolGraph.ts";

/**
 * The number of a graph's last write, odd during a write. Data that another thread reads is of one
 * block if the number was even before, and is the same after: a seqlock.
 *
 * Adding 0 is a full barrier, while a mere load may not be one: on ARM, reads before it could slip
 * past it (Boehm, *Can Seqlocks Get Along With Programming Language Memory Models?*, 2012).
 */
export function sequenceOf(graph: PoolGraph): number {
  return Atomics.add(graph.writeSequence, 0, 0);
}

/** Runs a change of a graph as one numbered write, which ends even where the change throws. */
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

/** Calls back, synchronously, after each write of a graph; returns a function that unsubscribes. */
export function onWritten(graph: PoolGraph, listener: () => void): () => void {
  const known = listeners.get(graph) ?? new Set();
  listeners.set(graph, known.add(listener));
  return () => void known.delete(listener);
}

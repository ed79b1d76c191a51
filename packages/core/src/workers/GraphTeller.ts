import type { PoolGraph } from "../graph/PoolGraph.ts";
import { sequenceOf } from "../graph/writeSequence.ts";
import type { GraphUpdate } from "./messages.ts";

/** Keeps what one thread has been told of a graph, and gives what it has to be told next. */
export class GraphTeller {
  readonly #graph: PoolGraph;
  readonly #told = new Map<string, unknown>();
  #toldDexCount = 0;
  #toldSequence: number | undefined;

  constructor(graph: PoolGraph) {
    this.#graph = graph;
  }

  /** Whether all that was told still holds. */
  get isCurrent(): boolean {
    return this.#toldSequence === sequenceOf(this.#graph);
  }

  /** What is new since the last call; undefined when nothing is. Between two writes only. */
  next(): GraphUpdate | undefined {
    if (this.isCurrent) return undefined;
    const fields: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(this.#graph)) {
      if (!isTold(name, value) || this.#told.get(name) === value) continue;
      this.#told.set(name, value);
      fields[name] = value;
    }
    // Venues are only ever added, to the one list.
    const { dexes } = this.#graph;
    if (dexes.length !== this.#toldDexCount) fields["dexes"] = dexes;
    this.#toldDexCount = dexes.length;
    const sequence = sequenceOf(this.#graph);
    this.#toldSequence = sequence;
    return { sequence, fields };
  }
}

/** Numbers, arrays and the stamp: what a search reads. Addresses are looked up by the caller. */
function isTold(name: string, value: unknown): boolean {
  if (!ArrayBuffer.isView(value)) return typeof value === "number" || name === "stamp";
  if (value.buffer instanceof SharedArrayBuffer) return true;
  throw new TypeError(`graph.${name} is not shared`);
}

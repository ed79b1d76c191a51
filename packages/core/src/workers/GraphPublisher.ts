import type { PoolGraph } from "../graph/PoolGraph.ts";
import { sequenceOf } from "../graph/writeSequence.ts";
import type { GraphUpdate } from "./messages.ts";

/**
 * Keeps track of what one thread has received of a graph, and returns what it must receive next.
 */
export class GraphPublisher {
  readonly #graph: PoolGraph;
  readonly #published = new Map<string, unknown>();
  #publishedDexCount = 0;
  #publishedSequence: number | undefined;
  readonly #withIndexes: boolean;
  #indexTables: ReadonlyArray<Uint32Array> = [];

  /** `withIndexes`: also the tables that look addresses up. */
  constructor(graph: PoolGraph, withIndexes = false) {
    this.#graph = graph;
    this.#withIndexes = withIndexes;
  }

  /** Whether all that was published is still current. */
  get isCurrent(): boolean {
    return this.#publishedSequence === sequenceOf(this.#graph);
  }

  /** The changes since the last call; undefined when there are none. Only between two writes. */
  next(): GraphUpdate | undefined {
    if (this.isCurrent) return undefined;
    const fields: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(this.#graph)) {
      if (!isPublished(name, value) || this.#published.get(name) === value) continue;
      this.#published.set(name, value);
      fields[name] = value;
    }
    // DEXes are only ever appended to the one list.
    const { dexes } = this.#graph;
    if (dexes.length !== this.#publishedDexCount) fields["dexes"] = dexes;
    this.#publishedDexCount = dexes.length;
    const sequence = sequenceOf(this.#graph);
    this.#publishedSequence = sequence;
    const indexes = this.#withIndexes ? this.#nextIndexes() : undefined;
    return { sequence, fields, ...(indexes !== undefined && { indexes }) };
  }

  #nextIndexes(): GraphUpdate["indexes"] {
    const { tokenByAddress, poolByAddress } = this.#graph;
    const indexes = { tokens: tokenByAddress.shared, pools: poolByAddress.shared };
    const tables = [indexes.tokens.table, indexes.pools.table];
    if (tables.every((table, at) => table === this.#indexTables[at])) return undefined;
    this.#indexTables = tables;
    return indexes;
  }
}

/** Numbers, arrays and the stamp: what a search reads. */
function isPublished(name: string, value: unknown): boolean {
  if (!ArrayBuffer.isView(value)) return typeof value === "number" || name === "stamp";
  if (value.buffer instanceof SharedArrayBuffer) return true;
  throw new TypeError(`graph.${name} is not shared`);
}

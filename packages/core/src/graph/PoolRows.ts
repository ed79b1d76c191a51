import { ADDRESS_BYTES } from "./address.ts";
import { grown } from "./buffers.ts";
import type { PoolGraph } from "./PoolGraph.ts";

/** What a pool takes in the arrays of words that pools share. */
interface PoolRoom {
  readonly constants: number;
  readonly stateWords: number;
}

/**
 * Indexes of pools, and their room in the arrays of constants, state and tokens. A pool that leaves
 * makes room for the words of the next one of its shape. The array of tokens only grows: by its
 * place in it, readers know a pool from one that had the index before.
 */
export class PoolRows {
  readonly #graph: PoolGraph;
  /** Key: the room of the pool that left. */
  readonly #free = new Map<string, number[]>();

  constructor(graph: PoolGraph) {
    this.#graph = graph;
  }

  /** An index with such room, and room for so many tokens; its state is all zeros. */
  take(room: PoolRoom, tokens: number): number {
    const graph = this.#graph;
    const same = this.#free.get(keyOf(room))?.pop();
    const pool = same ?? this.#anyFree() ?? this.#added();
    graph.poolTokenStart[pool] = graph.poolTokensLength;
    graph.poolTokensLength += tokens;
    graph.poolTokens = grown(Uint32Array, graph.poolTokens, graph.poolTokensLength);
    if (same !== undefined) {
      const start = graph.poolStateStart[same]!;
      graph.stateWords.fill(0n, start, start + room.stateWords);
      return same;
    }
    graph.poolConstantStart[pool] = graph.constantWordsLength;
    graph.constantWordsLength += room.constants;
    graph.constantWords = grown(BigUint64Array, graph.constantWords, graph.constantWordsLength);
    graph.poolStateStart[pool] = graph.stateWordsLength;
    graph.stateWordsLength += room.stateWords;
    graph.stateWords = grown(BigUint64Array, graph.stateWords, graph.stateWordsLength);
    return pool;
  }

  /** Gives an index back, with its room. */
  leave(pool: number, room: PoolRoom): void {
    const key = keyOf(room);
    const free = this.#free.get(key);
    if (free === undefined) this.#free.set(key, [pool]);
    else free.push(pool);
  }

  /** The room of a pool of another shape is lost, but its index is not. */
  #anyFree(): number | undefined {
    for (const free of this.#free.values()) {
      const pool = free.pop();
      if (pool !== undefined) return pool;
    }
    return undefined;
  }

  #added(): number {
    const graph = this.#graph;
    const count = ++graph.poolCount;
    graph.poolAddresses = grown(Uint8Array, graph.poolAddresses, count * ADDRESS_BYTES);
    graph.poolCurve = grown(Uint8Array, graph.poolCurve, count);
    graph.poolDex = grown(Uint16Array, graph.poolDex, count);
    graph.poolFeePips = grown(Uint32Array, graph.poolFeePips, count);
    graph.poolParameter = grown(Int32Array, graph.poolParameter, count);
    graph.poolConstantStart = grown(Uint32Array, graph.poolConstantStart, count);
    graph.poolConstantCount = grown(Uint8Array, graph.poolConstantCount, count);
    graph.poolTokenCount = grown(Uint8Array, graph.poolTokenCount, count);
    graph.poolTokenStart = grown(Uint32Array, graph.poolTokenStart, count);
    graph.poolStateStart = grown(Uint32Array, graph.poolStateStart, count);
    graph.poolVersion = grown(Uint32Array, graph.poolVersion, count);
    graph.poolUpdatedBlock = grown(Float64Array, graph.poolUpdatedBlock, count);
    graph.poolBookStart = grown(Uint32Array, graph.poolBookStart, count);
    graph.poolBookLength = grown(Uint32Array, graph.poolBookLength, count);
    graph.poolBookCapacity = grown(Uint32Array, graph.poolBookCapacity, count);
    graph.poolSlotStart = grown(Uint32Array, graph.poolSlotStart, count);
    return count - 1;
  }
}

const keyOf = ({ constants, stateWords }: PoolRoom): string => `${constants} ${stateWords}`;

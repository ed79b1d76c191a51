import { grown } from "./buffers.ts";
import { NO_RANK, PIECE_STRIDE, type PoolGraph } from "./PoolGraph.ts";

/**
 * Rebuilds the adjacency lists (CSR) after pools came or went, or exclusions: count, fill by
 * neighbour, fill by owner. The two fills are a stable radix sort: within the two parts of a list
 * (transit neighbours, then the others) slots ascend by neighbour and then by pool. Pieces are not
 * written.
 *
 * A token is a *transit* when it has two or more distinct neighbours, and is not excluded: no other
 * can stand in the middle of a path that visits no token twice, or may.
 */
export function rebuildAdjacency(graph: PoolGraph): void {
  const { tokenCount, poolCount } = graph;
  const transit = findTransits(graph);
  rankTransits(graph, transit);
  const slotCount = reserveSlots(graph);

  // Index: token. Slots with that neighbour, then the place of the next one.
  const next = new Uint32Array(tokenCount + 1);
  forEachEdge(graph, (_pool, _own, other) => next[other + 1]!++);
  for (let token = 0; token < tokenCount; token++) next[token + 1]! += next[token]!;
  // Lists are as long by owner as by neighbour: every edge has its reverse.
  graph.slotStart.set(next.subarray(0, tokenCount + 1));

  // Index: rank by neighbour.
  const edgePool = new Uint32Array(slotCount);
  const edgePositions = new Uint8Array(slotCount);
  forEachEdge(graph, (pool, _own, other, positions) => {
    const rank = next[other]!++;
    edgePool[rank] = pool;
    edgePositions[rank] = positions;
  });

  next.set(graph.slotStart.subarray(0, tokenCount + 1));
  for (const wanted of [1, 0]) {
    for (let rank = 0; rank < slotCount; rank++) {
      const pool = edgePool[rank]!;
      const positions = edgePositions[rank]!;
      const start = graph.poolTokenStart[pool]!;
      const own = graph.poolTokens[start + (positions >> 3)]!;
      const other = graph.poolTokens[start + (positions & 7)]!;
      if (transit[other] !== wanted) continue;
      const slot = next[own]!++;
      graph.slotNeighbour[slot] = other;
      graph.slotRank[slot] = graph.tokenRank[other]!;
      graph.slotPool[slot] = pool;
      graph.slotPositions[slot] = positions;
      graph.poolSlots[graph.poolSlotStart[pool]! + edgeOffset(graph, pool, positions)] = slot;
    }
    if (wanted === 1) graph.slotTransitEnd.set(next.subarray(0, tokenCount));
  }
  graph.slotCount = slotCount;

  function edgeOffset(of: PoolGraph, pool: number, positions: number): number {
    const own = positions >> 3;
    const other = positions & 7;
    return own * (of.poolTokenCount[pool]! - 1) + (other < own ? other : other - 1);
  }

  function reserveSlots(of: PoolGraph): number {
    let count = 0;
    for (let pool = 0; pool < poolCount; pool++) {
      of.poolSlotStart[pool] = count;
      const tokens = of.poolTokenCount[pool]!;
      if (tokens > 0) count += tokens * (tokens - 1);
    }
    of.slotStart = grown(Uint32Array, of.slotStart, tokenCount + 1);
    of.slotTransitEnd = grown(Uint32Array, of.slotTransitEnd, tokenCount);
    of.slotNeighbour = grown(Uint32Array, of.slotNeighbour, count);
    of.slotRank = grown(Uint32Array, of.slotRank, count);
    of.slotPool = grown(Uint32Array, of.slotPool, count);
    of.slotPositions = grown(Uint8Array, of.slotPositions, count);
    of.slotIn = grown(Float64Array, of.slotIn, count * PIECE_STRIDE);
    of.slotOut = grown(Float64Array, of.slotOut, count * PIECE_STRIDE);
    of.poolSlots = grown(Uint32Array, of.poolSlots, count);
    return count;
  }
}

function rankTransits(graph: PoolGraph, transit: Uint8Array): void {
  graph.tokenRank = grown(Uint32Array, graph.tokenRank, graph.tokenCount);
  graph.transitCount = 0;
  for (let token = 0; token < graph.tokenCount; token++) {
    graph.tokenRank[token] = transit[token] === 1 ? graph.transitCount++ : NO_RANK;
  }
}

/** Index: token. 1 when it has two distinct neighbours, and is not excluded. */
function findTransits(graph: PoolGraph): Uint8Array {
  const transit = new Uint8Array(graph.tokenCount);
  const firstNeighbour = new Int32Array(graph.tokenCount).fill(-1);
  forEachEdge(graph, (_pool, own, other) => {
    if (firstNeighbour[own] === -1) firstNeighbour[own] = other;
    else if (firstNeighbour[own] !== other) transit[own] = 1 - graph.tokenIsExcluded[own]!;
  });
  return transit;
}

/** Calls `visit` for each ordered pair of tokens of each live pool, pools ascending. */
function forEachEdge(
  graph: PoolGraph,
  visit: (pool: number, own: number, other: number, positions: number) => void,
): void {
  for (let pool = 0; pool < graph.poolCount; pool++) {
    const start = graph.poolTokenStart[pool]!;
    const count = graph.poolTokenCount[pool]!;
    for (let own = 0; own < count; own++) {
      for (let other = 0; other < count; other++) {
        if (own === other) continue;
        visit(
          pool,
          graph.poolTokens[start + own]!,
          graph.poolTokens[start + other]!,
          (own << 3) | other,
        );
      }
    }
  }
}

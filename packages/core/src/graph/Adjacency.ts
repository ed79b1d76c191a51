import { grown } from "./buffers.ts";
import { mergedList, type NewSlot, type Run } from "./mergedList.ts";
import { NO_RANK, type PoolGraph, type PoolIndex } from "./PoolGraph.ts";
import { type KeptSlot, keptSlot, moveSlots, putKept, reserveSlots, writeSlot } from "./slots.ts";

/** The effect of new pools on the lists. */
export interface ExtendedLists {
  /** Tokens that became transits. */
  readonly newTransits: ReadonlyArray<number>;
  readonly lists: ReadonlyArray<ExtendedList>;
}

export interface ExtendedList {
  readonly token: number;
  /** From this slot on, its slots differ from before. */
  readonly from: number;
  /** The same place before the change. */
  readonly fromBefore: number;
  /** It had no slots before. */
  readonly wasEmpty: boolean;
}

/**
 * Keeps the adjacency lists of a graph. Within the two parts of a list (transit neighbours, then
 * the others) slots ascend by neighbour and then by pool. A list without room for new pools moves
 * to the end of all lists.
 *
 * A token is a *transit* when it has two or more distinct neighbours, and is not excluded: only
 * such a token can, and may, stand in the middle of a path that visits no token twice.
 */
export class Adjacency {
  readonly #graph: PoolGraph;
  /** Index: token. Number of slots that its list has room for. */
  #rooms = new Uint32Array(0);
  #poolSlotsLength = 0;
  /** Tokens that have a list. */
  #tokenCount = 0;

  constructor(graph: PoolGraph) {
    this.#graph = graph;
  }

  /**
   * Lays out all lists anew: count, fill by neighbour, fill by owner. The two fills are a stable
   * radix sort. Does not write pieces.
   */
  rebuild(): void {
    const graph = this.#graph;
    const { tokenCount, poolCount } = graph;
    this.#reserveTokens();
    const transit = findTransits(graph);
    graph.transitCount = 0;
    for (let token = 0; token < tokenCount; token++) {
      graph.tokenRank[token] = transit[token] === 1 ? graph.transitCount++ : NO_RANK;
    }
    graph.slotCount = 0;
    for (let pool = 0; pool < poolCount; pool++) {
      graph.poolSlotStart[pool] = graph.slotCount;
      graph.slotCount += edgeCount(graph, pool);
    }
    this.#poolSlotsLength = graph.slotCount;
    graph.poolSlots = grown(Uint32Array, graph.poolSlots, graph.slotCount);

    // Index: token. Number of slots with that neighbour, then the place of the next one.
    const next = new Uint32Array(tokenCount + 1);
    forEachEdge(graph, (_pool, _own, other) => next[other + 1]!++);
    graph.slotsLength = 0;
    for (let token = 0; token < tokenCount; token++) {
      // Lists are as long by owner as by neighbour: every edge has its reverse.
      const count = next[token + 1]!;
      graph.slotStart[token] = graph.slotsLength;
      graph.slotEnd[token] = graph.slotsLength + count;
      this.#rooms[token] = count + (count >> SPARE_SHIFT);
      graph.slotsLength += this.#rooms[token]!;
      next[token + 1]! += next[token]!;
    }
    reserveSlots(graph, graph.slotsLength + (graph.slotsLength >> SPARE_SHIFT));

    // Index: rank by neighbour.
    const edgePool = new Uint32Array(graph.slotCount);
    const edgePositions = new Uint8Array(graph.slotCount);
    forEachEdge(graph, (pool, _own, other, positions) => {
      const rank = next[other]!++;
      edgePool[rank] = pool;
      edgePositions[rank] = positions;
    });

    next.set(graph.slotStart.subarray(0, tokenCount));
    for (const wanted of [1, 0]) {
      for (let rank = 0; rank < graph.slotCount; rank++) {
        const pool = edgePool[rank]!;
        const positions = edgePositions[rank]!;
        const start = graph.poolTokenStart[pool]!;
        const own = graph.poolTokens[start + (positions >> 3)]!;
        const neighbour = graph.poolTokens[start + (positions & 7)]!;
        if (transit[neighbour] === wanted) {
          writeSlot(graph, next[own]!++, pool, positions, neighbour);
        }
      }
      if (wanted === 1) graph.slotTransitEnd.set(next.subarray(0, tokenCount));
    }
  }

  /** Whether lists that moved left so much unused room that all should be laid out anew. */
  get isSparse(): boolean {
    const { slotCount, slotsLength } = this.#graph;
    return slotsLength > SPARSE * slotCount + SPARSE_MIN;
  }

  /**
   * Adds new pools, and tokens that came with them, in time proportional to the lists of their
   * tokens. Pieces move with their slots; those of new slots are not written.
   */
  extend(pools: ReadonlyArray<PoolIndex>): ExtendedLists {
    const graph = this.#graph;
    const first = this.#reserveTokens();
    for (let token = first; token < graph.tokenCount; token++) {
      graph.slotStart[token] = graph.slotsLength;
      graph.slotEnd[token] = graph.slotsLength;
      graph.slotTransitEnd[token] = graph.slotsLength;
      graph.tokenRank[token] = NO_RANK;
      this.#rooms[token] = 0;
    }
    const added = this.#newSlots(pools);
    const newTransits = [...added.keys()].filter((token) => becomesTransit(graph, token, added));
    const besideNewTransits = new Set<number>();
    for (const token of newTransits) {
      graph.tokenRank[token] = graph.transitCount++;
      // All of its pools so far lead to one other token.
      const neighbour = graph.slotNeighbour[graph.slotStart[token]!]!;
      const isListed = graph.slotEnd[token]! > graph.slotStart[token]!;
      if (!isListed) continue;
      besideNewTransits.add(neighbour);
      if (!added.has(neighbour)) added.set(neighbour, []);
    }
    return {
      newTransits,
      lists: Array.from(added, ([token, slots]) =>
        this.#extendList(token, slots, besideNewTransits.has(token)),
      ),
    };
  }

  /** By token: the slots that its list gains. */
  #newSlots(pools: ReadonlyArray<PoolIndex>): Map<number, NewSlot[]> {
    const graph = this.#graph;
    const added = new Map<number, NewSlot[]>();
    for (const pool of pools) {
      graph.poolSlotStart[pool] = this.#poolSlotsLength;
      this.#poolSlotsLength += edgeCount(graph, pool);
      forEachEdgeOf(graph, pool, (_pool, own, neighbour, positions) => {
        const slots = added.get(own) ?? [];
        slots.push({ pool, positions, neighbour });
        added.set(own, slots);
        graph.slotCount++;
      });
    }
    graph.poolSlots = grown(Uint32Array, graph.poolSlots, this.#poolSlotsLength);
    return added;
  }

  #extendList(token: number, added: ReadonlyArray<NewSlot>, hasNewTransits: boolean): ExtendedList {
    const graph = this.#graph;
    const before = graph.slotStart[token]!;
    const endBefore = graph.slotEnd[token]!;
    const { count, runs, transitCount } = mergedList(graph, token, added, hasNewTransits);
    const moves = count > this.#rooms[token]!;
    if (moves) this.#moveToEnd(token, count);
    const start = graph.slotStart[token]!;
    // Slots that stay where they are.
    const same = !moves && runs[0]?.isInserted === false ? runs[0].length : 0;
    this.#placeRuns(runs, start + count, added);
    graph.slotTransitEnd[token] = start + transitCount;
    graph.slotEnd[token] = start + count;
    return { token, from: start + same, fromBefore: before + same, wasEmpty: before === endBefore };
  }

  /** Puts slots where they belong in a list that ends at `end`. */
  #placeRuns(runs: ReadonlyArray<Run>, end: number, added: ReadonlyArray<NewSlot>): void {
    const graph = this.#graph;
    const placed: Placed[] = [];
    let slot = end;
    for (const { length } of runs) slot -= length;
    for (const run of runs) {
      // What comes from another part of the list is kept apart: others may be put over it before.
      const kept = run.isInserted && run.first >= 0 ? keptSlot(graph, run.first) : undefined;
      placed.push({ run, slot, kept });
      slot += run.length;
    }
    // All others move towards the end: from the last to the first, none is put over another.
    for (const { run, slot, kept } of placed.reverse()) {
      if (kept !== undefined) {
        putKept(graph, slot, kept);
      } else if (run.first < 0) {
        const fresh = added[-1 - run.first]!;
        writeSlot(graph, slot, fresh.pool, fresh.positions, fresh.neighbour);
      } else if (slot !== run.first) {
        moveSlots(graph, run.first, slot, run.length);
      }
    }
  }

  /** Moves a list to where it has spare room; the caller writes its slots there. */
  #moveToEnd(token: number, count: number): void {
    const graph = this.#graph;
    const room = count + (count >> SPARE_SHIFT) + SPARE_MIN;
    graph.slotStart[token] = graph.slotsLength;
    this.#rooms[token] = room;
    graph.slotsLength += room;
    reserveSlots(graph, graph.slotsLength);
  }

  /** Makes room for all tokens; returns the first that had none. */
  #reserveTokens(): number {
    const graph = this.#graph;
    const { tokenCount } = graph;
    const before = this.#tokenCount;
    this.#tokenCount = tokenCount;
    graph.slotStart = grown(Uint32Array, graph.slotStart, tokenCount);
    graph.slotEnd = grown(Uint32Array, graph.slotEnd, tokenCount);
    graph.slotTransitEnd = grown(Uint32Array, graph.slotTransitEnd, tokenCount);
    graph.tokenRank = grown(Uint32Array, graph.tokenRank, tokenCount);
    this.#rooms = grown(Uint32Array, this.#rooms, tokenCount);
    return before;
  }
}

/** A sixteenth of a list, and of all lists, is spare room. */
const SPARE_SHIFT = 4;
/** Least spare slots of a list that has moved. */
const SPARE_MIN = 2;
/** Slots of all lists, as a multiple of those in use, beyond which lists are laid out anew. */
const SPARSE = 2;
const SPARSE_MIN = 4_096;

function becomesTransit(
  graph: PoolGraph,
  token: number,
  added: ReadonlyMap<number, ReadonlyArray<NewSlot>>,
): boolean {
  if (graph.tokenRank[token] !== NO_RANK || graph.tokenIsExcluded[token] === 1) return false;
  const slots = added.get(token)!;
  const start = graph.slotStart[token]!;
  const known = graph.slotEnd[token]! > start ? graph.slotNeighbour[start]! : slots[0]!.neighbour;
  return slots.some(({ neighbour }) => neighbour !== known);
}

interface Placed {
  readonly run: Run;
  readonly slot: number;
  /** Of an existing slot that changes its part of the list. */
  readonly kept: KeptSlot | undefined;
}

function edgeCount(graph: PoolGraph, pool: number): number {
  const tokens = graph.poolTokenCount[pool]!;
  return tokens > 0 ? tokens * (tokens - 1) : 0;
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

type VisitEdge = (pool: number, own: number, other: number, positions: number) => void;

/** Calls `visit` for each ordered pair of tokens of each live pool, in ascending order of pools. */
function forEachEdge(graph: PoolGraph, visit: VisitEdge): void {
  for (let pool = 0; pool < graph.poolCount; pool++) forEachEdgeOf(graph, pool, visit);
}

function forEachEdgeOf(graph: PoolGraph, pool: number, visit: VisitEdge): void {
  const { poolTokens } = graph;
  const start = graph.poolTokenStart[pool]!;
  const count = graph.poolTokenCount[pool]!;
  for (let own = 0; own < count; own++) {
    for (let other = 0; other < count; other++) {
      if (own === other) continue;
      visit(pool, poolTokens[start + own]!, poolTokens[start + other]!, (own << 3) | other);
    }
  }
}

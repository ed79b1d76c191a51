import { grown } from "./buffers.ts";
import { BOOK_WORDS, type Book, type PoolGraph, type PoolIndex } from "./PoolGraph.ts";

/** A view, not a copy, of a pool's book; valid until the graph changes. */
export function bookOf(graph: PoolGraph, pool: PoolIndex): Book {
  const assumed = graph.assumedBooks?.get(pool);
  if (assumed !== undefined) return assumed;
  const start = graph.poolBookStart[pool]!;
  const end = start + graph.poolBookLength[pool]!;
  return {
    keys: graph.bookKeys.subarray(start, end),
    words: graph.bookWords.subarray(start * BOOK_WORDS, end * BOOK_WORDS),
  };
}

/**
 * Replaces a pool's book. A book that outgrows its place moves to the end of the arena, with an
 * eighth of slack. When the arena is full and half of it is dead, all books move together.
 */
export function storeBook(graph: PoolGraph, pool: PoolIndex, book: Book): void {
  const length = book.keys.length;
  if (length > graph.poolBookCapacity[pool]!) {
    const capacity = length + (length >> 3);
    reserve(graph, capacity);
    graph.poolBookStart[pool] = graph.bookLength;
    graph.poolBookCapacity[pool] = capacity;
    graph.bookLength += capacity;
  }
  const start = graph.poolBookStart[pool]!;
  graph.bookKeys.set(book.keys, start);
  graph.bookWords.set(book.words, start * BOOK_WORDS);
  graph.poolBookLength[pool] = length;
}

function reserve(graph: PoolGraph, capacity: number): void {
  if (graph.bookLength + capacity > graph.bookKeys.length) compactWhenHalfDead(graph);
  graph.bookKeys = grown(Int32Array, graph.bookKeys, graph.bookLength + capacity);
  graph.bookWords = grown(BigInt64Array, graph.bookWords, graph.bookKeys.length * BOOK_WORDS);
}

/** Amortised: it moves books only when the arena is full, and then frees half of it. */
function compactWhenHalfDead(graph: PoolGraph): void {
  let live = 0;
  for (let pool = 0; pool < graph.poolCount; pool++) live += graph.poolBookLength[pool]!;
  if (2 * live > graph.bookLength) return;
  const keys = graph.bookKeys.slice(0, graph.bookLength);
  const words = graph.bookWords.slice(0, graph.bookLength * BOOK_WORDS);
  let next = 0;
  for (let pool = 0; pool < graph.poolCount; pool++) {
    const start = graph.poolBookStart[pool]!;
    const length = graph.poolBookLength[pool]!;
    graph.bookKeys.set(keys.subarray(start, start + length), next);
    graph.bookWords.set(
      words.subarray(start * BOOK_WORDS, (start + length) * BOOK_WORDS),
      next * BOOK_WORDS,
    );
    graph.poolBookStart[pool] = next;
    graph.poolBookCapacity[pool] = length;
    next += length;
  }
  graph.bookLength = next;
}

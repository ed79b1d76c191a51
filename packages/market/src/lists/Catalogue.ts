import { ADDRESS_BYTES, type PoolGraph } from "@millrace/core";
import type { Topology } from "../prices/Topology.ts";
import { type Compare, mergeSorted } from "./sorting.ts";

const POOLS_A_SLICE = 4096;
const COMPARED_A_SLICE = 512;

/** All texts of one topology as numbers: orders, and ranks by which lists are sorted. */
export interface Catalogue {
  readonly tokensByAddress: Uint32Array;
  readonly tokensBySymbol: Uint32Array;
  readonly tokensByName: Uint32Array;
  /** Live pools. */
  readonly poolsByAddress: Uint32Array;
  // Index: token. Equal texts have equal ranks.
  readonly addressRank: Uint32Array;
  readonly symbolRank: Uint32Array;
  readonly nameRank: Uint32Array;
  readonly poolRank: Uint32Array; // index: pool
  readonly poolTokenStart: Uint32Array; // of the pools that were ordered
}

export const EMPTY_CATALOGUE: Catalogue = {
  tokensByAddress: new Uint32Array(),
  tokensBySymbol: new Uint32Array(),
  tokensByName: new Uint32Array(),
  poolsByAddress: new Uint32Array(),
  addressRank: new Uint32Array(),
  symbolRank: new Uint32Array(),
  nameRank: new Uint32Array(),
  poolRank: new Uint32Array(),
  poolTokenStart: new Uint32Array(),
};

/** The texts by which tokens are ordered, in lower case. */
export interface SortTexts {
  readonly symbols: ReadonlyArray<string>;
  readonly names: ReadonlyArray<string>;
}

/** The catalogue of a topology, made from an earlier one: only what is new is sorted. */
export function* catalogue(
  graph: PoolGraph,
  topology: Topology,
  texts: SortTexts,
  before: Catalogue,
): Generator<void, Catalogue> {
  const pools = yield* poolsByAddress(topology, before);
  const poolRank = new Uint32Array(topology.poolCount);
  for (let position = 0; position < pools.length; position++) {
    if (position % POOLS_A_SLICE === 0) yield;
    poolRank[pools[position]!] = position;
  }
  const { tokenCount, poolTokenStart } = topology;
  if (before.tokensByAddress.length === tokenCount) {
    return { ...before, poolsByAddress: pools, poolRank, poolTokenStart };
  }
  const byAddress: Compare = (a, b) => compareBytes(graph.tokenAddresses, a, b);
  const bySymbol = byText(texts.symbols);
  const byName = byText(texts.names);
  const added = range(before.tokensByAddress.length, tokenCount);
  const tokensByAddress = yield* mergeSorted(before.tokensByAddress, added, byAddress);
  const tokensBySymbol = yield* mergeSorted(
    before.tokensBySymbol,
    added,
    orElse(bySymbol, byAddress),
  );
  const tokensByName = yield* mergeSorted(before.tokensByName, added, orElse(byName, byAddress));
  return {
    tokensByAddress,
    tokensBySymbol,
    tokensByName,
    poolsByAddress: pools,
    addressRank: yield* ranks(tokensByAddress, byAddress, before.addressRank),
    symbolRank: yield* ranks(tokensBySymbol, bySymbol, before.symbolRank),
    nameRank: yield* ranks(tokensByName, byName, before.nameRank),
    poolRank,
    poolTokenStart,
  };
}

function* poolsByAddress(topology: Topology, before: Catalogue): Generator<void, Uint32Array> {
  // An index that another pool took over has another position in the arena of tokens.
  const stays = (pool: number): boolean =>
    topology.poolTokenCount[pool]! > 0 &&
    topology.poolTokenStart[pool] === before.poolTokenStart[pool];
  const known = new Uint8Array(topology.poolCount);
  const kept = new Uint32Array(before.poolsByAddress.length);
  let keptCount = 0;
  for (let position = 0; position < kept.length; position++) {
    if (position % POOLS_A_SLICE === 0) yield;
    const pool = before.poolsByAddress[position]!;
    if (!stays(pool)) continue;
    kept[keptCount++] = pool;
    known[pool] = 1;
  }
  const staying = kept.subarray(0, keptCount);
  const added: number[] = [];
  for (let pool = 0; pool < topology.poolCount; pool++) {
    if (topology.poolTokenCount[pool]! > 0 && known[pool] === 0) added.push(pool);
    if (pool % POOLS_A_SLICE === 0) yield;
  }
  return yield* mergeSorted(staying, Uint32Array.from(added), (a, b) =>
    compareBytes(topology.poolAddresses, a, b),
  );
}

function byText(texts: ReadonlyArray<string>): Compare {
  return (a, b) => {
    const first = texts[a]!;
    const second = texts[b]!;
    return first < second ? -1 : first > second ? 1 : 0;
  };
}

function orElse(compare: Compare, other: Compare): Compare {
  return (a, b) => compare(a, b) || other(a, b);
}

function compareBytes(addresses: Uint8Array, a: number, b: number): number {
  for (let byte = 0; byte < ADDRESS_BYTES; byte++) {
    const difference = addresses[a * ADDRESS_BYTES + byte]! - addresses[b * ADDRESS_BYTES + byte]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** `before`: ranks of tokens that were ordered already, and have the same texts. */
function* ranks(
  order: Uint32Array,
  compare: Compare,
  before: Uint32Array,
): Generator<void, Uint32Array> {
  const known = before.length;
  const isEqual = (a: number, b: number) =>
    a < known && b < known ? before[a] === before[b] : compare(a, b) === 0;
  const rank = new Uint32Array(order.length);
  for (let position = 1; position < order.length; position++) {
    if (position % COMPARED_A_SLICE === 0) yield;
    const step = isEqual(order[position - 1]!, order[position]!) ? 0 : 1;
    rank[order[position]!] = rank[order[position - 1]!]! + step;
  }
  return rank;
}

function range(start: number, end: number): Uint32Array {
  return Uint32Array.from({ length: end - start }, (_, index) => start + index);
}

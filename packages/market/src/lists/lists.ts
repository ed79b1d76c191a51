import type { PoolGraph, PoolIndex, TokenIndex } from "@millrace/core";
import type { PoolQuery, TokenQuery } from "../MarketData.ts";
import type { Valuation } from "../prices/Valuation.ts";
import { foldText } from "../search/SearchIndex.ts";
import type { ListSources } from "./ListSources.ts";
import { POOL_KEYS, TOKEN_KEYS } from "./listKeys.ts";
import { type Marked, type Ordered, selectRange } from "./selectRange.ts";

interface IndexPage<Index> {
  readonly items: ReadonlyArray<Index>;
  readonly total: number;
}

/**
 * One page of the tokens that pass a query's filters, and the number of all that pass; ties by
 * address.
 */
export function tokenPage(
  valuation: Valuation,
  sources: ListSources,
  query: TokenQuery,
): IndexPage<TokenIndex> {
  const { catalogue, listSnapshot } = valuation;
  return listSnapshot.kept(`tokens ${JSON.stringify(query)}`, () => {
    const [field, isDescending] = sortOf(query.sort);
    const among = tokensWanted(valuation, sources, query);
    const keys = TOKEN_KEYS[field](valuation, sources);
    const order = catalogue.tokensByAddress;
    return page({ keys, order, rank: catalogue.addressRank, among }, isDescending, query);
  });
}

/**
 * One page of the pools that pass a query's filters, and the number of all that pass; ties by
 * address.
 */
export function poolPage(
  valuation: Valuation,
  sources: ListSources,
  query: PoolQuery,
): IndexPage<PoolIndex> {
  const { catalogue, listSnapshot } = valuation;
  const { version } = sources.graph;
  return listSnapshot.kept(`pools ${version} ${JSON.stringify(query)}`, () => {
    const [field, isDescending] = sortOf(query.sort);
    const among = poolsWanted(valuation, sources, query);
    const keys = POOL_KEYS[field](valuation, sources);
    const order = catalogue.poolsByAddress;
    return page({ keys, order, rank: catalogue.poolRank, among }, isDescending, query);
  });
}

/** Tokens in a pool: listed ones first, then the most liquid; ties by address. */
export function routableTokens(
  valuation: Valuation,
  sources: ListSources,
): ReadonlyArray<TokenIndex> {
  const { listSnapshot, topology, byLiquidity } = valuation;
  if (listSnapshot.routable !== undefined) return listSnapshot.routable;
  const listed: TokenIndex[] = [];
  const others: TokenIndex[] = [];
  for (const token of byLiquidity.order as Iterable<number> as Iterable<TokenIndex>) {
    if (topology.isPooled(token)) (sources.isListed(token) ? listed : others).push(token);
  }
  listSnapshot.routable = [...listed, ...others];
  return listSnapshot.routable;
}

function sortOf<Field extends string>(sort: Field | `-${Field}`): [field: Field, down: boolean] {
  return sort.startsWith("-") ? [sort.slice(1) as Field, true] : [sort as Field, false];
}

function page<Index extends number>(
  ordered: Ordered,
  isDescending: boolean,
  query: { readonly page: number; readonly limit: number },
): IndexPage<Index> {
  const start = (query.page - 1) * query.limit;
  const items = selectRange(ordered, isDescending, start, start + query.limit);
  const total = ordered.among?.count ?? ordered.order.length;
  return { items: Array.from(items) as Index[], total };
}

/** The tokens that pass the filters of a query; undefined when all do. */
function tokensWanted(
  valuation: Valuation,
  sources: ListSources,
  query: TokenQuery,
): Marked | undefined {
  const { topology, tokenLiquidityUsd, listSnapshot } = valuation;
  const choice = new Choice(topology.tokenCount);
  if (query.symbol !== undefined) choice.only(tokensOfSymbol(valuation, foldText(query.symbol)));
  if (query.dex !== undefined) {
    choice.and(topology.tokensOn(dexesNamed(sources.graph, query.dex)));
  }
  choice.atLeast(tokenLiquidityUsd, query.minLiquidity);
  choice.atLeast(listSnapshot.volume24h, query.minVolume24h);
  return choice.marked;
}

/** The pools that pass the filters of a query; undefined when all indexes do. */
function poolsWanted(
  valuation: Valuation,
  sources: ListSources,
  { token, dex, fee, minLiquidityUsd }: PoolQuery,
): Marked | undefined {
  const { graph } = sources;
  const { topology, catalogue, poolLiquidityUsd } = valuation;
  const { poolCount, poolDex } = topology;
  const choice = new Choice(poolCount);
  // Some indexes have no pool.
  if (catalogue.poolsByAddress.length < poolCount) choice.only(catalogue.poolsByAddress);
  if (token !== undefined) choice.only(poolsWith(valuation, graph.findToken(token)));
  if (dex !== undefined) choice.and(equalToAny(poolDex, dexesNamed(graph, dex)));
  if (fee !== undefined) {
    choice.and(equalToAny(POOL_KEYS.fee(valuation, sources).subarray(0, poolCount), [fee]));
  }
  choice.atLeast(poolLiquidityUsd, minLiquidityUsd);
  return choice.marked;
}

/** A choice among indexes, narrowed step by step. */
class Choice {
  readonly #size: number;
  /** Undefined while all indexes are chosen. */
  marked: Marked | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  /** Keeps only those in the list. */
  only(list: Uint32Array): void {
    const before = this.marked?.marks;
    const marks = new Uint8Array(this.#size);
    let count = 0;
    for (let at = 0; at < list.length; at++) {
      const index = list[at]!;
      const mark = (before === undefined ? 1 : before[index]!) & (1 - marks[index]!);
      marks[index]! |= mark;
      count += mark;
    }
    this.marked = { marks, count };
  }

  /** Keeps only those that are marked; takes over the array. */
  and(marks: Uint8Array): void {
    const before = this.marked?.marks;
    let count = 0;
    if (before === undefined)
      for (let index = 0; index < marks.length; index++) count += marks[index]!;
    else {
      for (let index = 0; index < marks.length; index++) {
        const mark = marks[index]! & before[index]!;
        marks[index] = mark;
        count += mark;
      }
    }
    this.marked = { marks, count };
  }

  /** Keeps only those with a value of at least `least`; every value is at least 0. */
  atLeast(values: Float64Array, least = 0): void {
    if (!(least > 0)) return;
    const marks = new Uint8Array(this.#size);
    for (let index = 0; index < marks.length; index++)
      marks[index] = Number(values[index]! >= least);
    this.and(marks);
  }
}

function equalToAny(values: Uint16Array | Float64Array, wanted: ReadonlyArray<number>): Uint8Array {
  const marks = new Uint8Array(values.length);
  for (const value of wanted) {
    for (let index = 0; index < values.length; index++)
      marks[index]! |= Number(values[index] === value);
  }
  return marks;
}

/** The tokens of a folded symbol. */
function tokensOfSymbol({ catalogue, search }: Valuation, symbol: string): Uint32Array {
  const { tokensBySymbol } = catalogue;
  const symbolAt = (position: number) => search.symbols[tokensBySymbol[position]!]!;
  const start = firstPosition(tokensBySymbol.length, (position) => symbolAt(position) >= symbol);
  const end = firstPosition(tokensBySymbol.length, (position) => symbolAt(position) > symbol);
  return tokensBySymbol.subarray(start, end);
}

/**
 * The first position where a condition holds; it must hold from there on. `count` when there is
 * none.
 */
function firstPosition(count: number, holds: (position: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The pools of a token, some more than once. */
function poolsWith({ topology }: Valuation, token: TokenIndex | undefined): Uint32Array {
  if (token === undefined || token >= topology.tokenCount) return new Uint32Array();
  const { slotEnd, slotPool, slotStart } = topology;
  return slotPool.subarray(slotStart[token]!, slotEnd[token]!);
}

function dexesNamed(graph: PoolGraph, wanted: string): number[] {
  const text = wanted.toLowerCase();
  const dexes: number[] = [];
  for (let dex = 0; dex < graph.dexes.length; dex++) {
    const { id, name } = graph.dexes[dex]!;
    if (id.toLowerCase() === text || name.toLowerCase() === text) dexes.push(dex);
  }
  return dexes;
}

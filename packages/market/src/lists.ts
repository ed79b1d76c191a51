import type { PoolGraph, PoolIndex, TokenIndex } from "@millrace/core";
import type { PoolQuery, TokenQuery } from "./MarketData.ts";
import type { PoolMeasures } from "./PoolMeasures.ts";
import type { PoolSort, PoolSortField, TokenSort, TokenSortField } from "./sortFields.ts";
import { drained, sortByKey } from "./sorting.ts";
import type { Valuation } from "./Valuation.ts";

/** Orders kept for one block; each is an index of all tokens or pools. */
const ORDERS_MAX = 16;

/** What lists are sorted by besides the valuation. */
export interface ListSources {
  readonly graph: PoolGraph;
  readonly measures: PoolMeasures;
  // Index: token. In lower case.
  readonly symbols: ReadonlyArray<string>;
  // Index: token. Whole tokens; 0 when unknown.
  readonly supplies: () => Float64Array;
  readonly tokenUpdatedMs: () => Float64Array;
  // Index: pool.
  readonly poolUpdatedMs: () => Float64Array;
}

interface IndexPage<Index> {
  readonly items: ReadonlyArray<Index>;
  readonly total: number;
}

/** One page of the tokens that pass a query's filters, and how many do. */
export function tokenPage(
  valuation: Valuation,
  sources: ListSources,
  query: TokenQuery,
): IndexPage<TokenIndex> {
  const { topology } = valuation;
  const filters: Array<(token: number) => boolean> = [];
  if (query.symbol !== undefined) {
    const symbol = query.symbol.toLowerCase();
    filters.push((token) => sources.symbols[token] === symbol);
  }
  if (query.dex !== undefined) {
    const dexes = dexesNamed(sources.graph, query.dex);
    filters.push((token) => dexes.some((dex) => topology.isOn(token, dex)));
  }
  const { minLiquidity = 0, minVolume24h = 0 } = query;
  if (minLiquidity > 0)
    filters.push((token) => valuation.tokenLiquidityUsd[token]! >= minLiquidity);
  if (minVolume24h > 0) filters.push(() => false); // nothing has traded
  return page<TokenIndex>(drained(tokenOrder(valuation, sources, query.sort)), filters, query);
}

/** One page of the pools that pass a query's filters, and how many do. */
export function poolPage(
  valuation: Valuation,
  sources: ListSources,
  query: PoolQuery,
): IndexPage<PoolIndex> {
  const { topology } = valuation;
  const { graph } = sources;
  const filters: Array<(pool: number) => boolean> = [];
  if (query.token !== undefined) {
    const token = graph.findToken(query.token);
    filters.push((pool) => token !== undefined && topology.holds(pool, token));
  }
  if (query.dex !== undefined) {
    const dexes = dexesNamed(graph, query.dex);
    filters.push((pool) => dexes.includes(topology.poolDex[pool]!));
  }
  const { fee, minLiquidityUsd = 0 } = query;
  if (fee !== undefined) filters.push((pool) => graph.poolFeePips[pool] === fee);
  if (minLiquidityUsd > 0) {
    filters.push((pool) => valuation.poolLiquidityUsd[pool]! >= minLiquidityUsd);
  }
  return page<PoolIndex>(drained(poolOrder(valuation, sources, query.sort)), filters, query);
}

/** All tokens in the order of a sort; ties in the order of addresses. */
export function* tokenOrder(
  valuation: Valuation,
  sources: ListSources,
  sort: TokenSort,
): Generator<void, Uint32Array> {
  const name = `tokens ${sort}`;
  const known = kept(valuation, name);
  if (known !== undefined) return known;
  const { tokensByAddress } = valuation.catalogue;
  const keys = new Float64Array(tokensByAddress.length);
  const key = tokenKey(valuation, sources, fieldOf(sort));
  for (let token = 0; token < keys.length; token++) keys[token] = key(token);
  const order = yield* sortByKey(tokensByAddress, keys, sort.startsWith("-"));
  keep(valuation, name, order);
  return order;
}

/** All pools of the market in the order of a sort; ties in the order of addresses. */
export function* poolOrder(
  valuation: Valuation,
  sources: ListSources,
  sort: PoolSort,
): Generator<void, Uint32Array> {
  const name = `pools ${sort}`;
  const known = kept(valuation, name);
  if (known !== undefined) return known;
  const { poolsByAddress } = valuation.catalogue;
  const keys = new Float64Array(valuation.topology.poolCount);
  const key = poolKey(valuation, sources, fieldOf(sort));
  for (const pool of poolsByAddress) keys[pool] = key(pool);
  const order = yield* sortByKey(poolsByAddress, keys, sort.startsWith("-"));
  keep(valuation, name, order);
  return order;
}

function fieldOf<Field extends string>(sort: Field | `-${Field}`): Field {
  return (sort.startsWith("-") ? sort.slice(1) : sort) as Field;
}

/** An order of this block that is kept; found, it is the last to go. */
function kept({ orders }: Valuation, name: string): Uint32Array | undefined {
  const order = orders.get(name);
  if (order === undefined) return undefined;
  orders.delete(name);
  orders.set(name, order);
  return order;
}

function keep({ orders }: Valuation, name: string, order: Uint32Array): void {
  if (orders.size >= ORDERS_MAX) orders.delete(orders.keys().next().value!);
  orders.set(name, order);
}

function tokenKey(
  valuation: Valuation,
  sources: ListSources,
  field: TokenSortField,
): (token: number) => number {
  const { catalogue, topology } = valuation;
  switch (field) {
    case "address":
      return (token) => catalogue.addressRank[token]!;
    case "symbol":
      return (token) => catalogue.symbolRank[token]!;
    case "name":
      return (token) => catalogue.nameRank[token]!;
    case "decimals":
      return (token) => topology.tokenDecimals[token]!;
    case "lastUpdated": {
      const times = sources.tokenUpdatedMs();
      return (token) => times[token]!;
    }
    case "price":
      return (token) => valuation.priceUsd[token]!;
    case "liquidity":
      return (token) => valuation.tokenLiquidityUsd[token]!;
    case "marketCap":
    case "fullyDilutedValuation": {
      const supplies = sources.supplies();
      return (token) => valuation.priceUsd[token]! * supplies[token]!;
    }
    case "chainId": // one for all
    case "volume24h": // nothing has traded
    case "volume6h":
    case "volume1h":
    case "volume5m":
    case "txns24h":
    case "buys24h":
    case "sells24h":
      return () => 0;
  }
}

function poolKey(
  valuation: Valuation,
  sources: ListSources,
  field: PoolSortField,
): (pool: number) => number {
  const { catalogue, topology } = valuation;
  const { graph, measures } = sources;
  switch (field) {
    case "poolAddress": {
      const places = new Uint32Array(topology.poolCount);
      for (let place = 0; place < catalogue.poolsByAddress.length; place++) {
        places[catalogue.poolsByAddress[place]!] = place;
      }
      return (pool) => places[pool]!;
    }
    case "token0":
    case "token1": {
      const position = field === "token0" ? 0 : 1;
      return (pool) =>
        catalogue.addressRank[topology.poolTokens[topology.poolTokenStart[pool]! + position]!]!;
    }
    case "fee":
      return (pool) => graph.poolFeePips[pool]!;
    case "liquidity":
      return (pool) => measures.liquidity[pool]!;
    case "sqrtPriceX96":
      return (pool) => measures.sqrtPriceX96[pool]!;
    case "dexName": {
      const ranks = textRanks(graph.dexes.map((dex) => dex.name));
      return (pool) => ranks[topology.poolDex[pool]!]!;
    }
    case "protocol": {
      const ranks = textRanks(graph.dexes.map((dex) => dex.protocol));
      return (pool) => ranks[topology.poolDex[pool]!]!;
    }
    case "blockNumber":
      return (pool) => graph.poolUpdatedBlock[pool]!;
    case "lastUpdated": {
      const times = sources.poolUpdatedMs();
      return (pool) => times[pool]!;
    }
    case "liquidityUsd":
      return (pool) => valuation.poolLiquidityUsd[pool]!;
    case "chainId": // one for all
    case "volume24h": // nothing has traded
      return () => 0;
  }
}

/** Each text's place among the distinct ones, in the order of lower case. */
function textRanks(texts: ReadonlyArray<string>): number[] {
  const folded = texts.map((text) => text.toLowerCase());
  const distinct = [...new Set(folded)].sort();
  return folded.map((text) => distinct.indexOf(text));
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

function page<Index extends number>(
  order: Uint32Array,
  filters: ReadonlyArray<(index: number) => boolean>,
  query: { readonly page: number; readonly limit: number },
): IndexPage<Index> {
  const start = (query.page - 1) * query.limit;
  const end = start + query.limit;
  if (filters.length === 0) {
    return { items: Array.from(order.subarray(start, end)) as Index[], total: order.length };
  }
  const items: Index[] = [];
  let total = 0;
  for (let place = 0; place < order.length; place++) {
    const index = order[place]!;
    if (!passes(filters, index)) continue;
    if (total >= start && total < end) items.push(index as Index);
    total++;
  }
  return { items, total };
}

function passes(filters: ReadonlyArray<(index: number) => boolean>, index: number): boolean {
  for (let at = 0; at < filters.length; at++) if (!filters[at]!(index)) return false;
  return true;
}

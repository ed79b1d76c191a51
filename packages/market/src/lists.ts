import type { PoolGraph, PoolIndex, TokenIndex } from "@millrace/core";
import type { ListSources } from "./ListSources.ts";
import { poolKeys, tokenKeys } from "./listKeys.ts";
import type { PoolQuery, TokenQuery } from "./MarketData.ts";
import type { Members } from "./Orders.ts";
import { foldText } from "./SearchIndex.ts";
import type { PoolSort, TokenSort } from "./sortFields.ts";
import { drained, sortByKey } from "./sorting.ts";
import type { Valuation } from "./Valuation.ts";

/** Of an address that no token has. */
const NO_TOKEN = -1;

interface IndexPage<Index> {
  readonly items: ReadonlyArray<Index>;
  readonly total: number;
}

/** One page of the tokens that pass a query's filters, and how many do; ties by address. */
export function tokenPage(
  valuation: Valuation,
  sources: ListSources,
  query: TokenQuery,
): IndexPage<TokenIndex> {
  const minLiquidity = floorOf(query.minLiquidity);
  const minVolume24h = floorOf(query.minVolume24h);
  const symbol = query.symbol === undefined ? undefined : foldText(query.symbol);
  const dexes = query.dex === undefined ? undefined : dexesNamed(sources.graph, query.dex);
  const wanted = { symbol, dexes, minLiquidity, minVolume24h };
  const { tokensByAddress } = valuation.catalogue;
  const count = tokensByAddress.length;
  const members = matching(valuation, allTokens(valuation), wanted, () => {
    let places = symbol === undefined ? undefined : placesOfSymbol(valuation, sources, symbol);
    if (dexes !== undefined) {
      const isOn = tokensOn(valuation, dexes);
      places = passing(places, count, (place) => isOn[tokensByAddress[place]!] === 1);
    }
    if (minLiquidity !== undefined) {
      const liquidity = tokenKeys(valuation, sources, "liquidity");
      places = passing(places, count, (place) => liquidity[place]! >= minLiquidity);
    }
    if (minVolume24h !== undefined) {
      const volume = tokenKeys(valuation, sources, "volume24h");
      places = passing(places, count, (place) => volume[place]! >= minVolume24h);
    }
    return places;
  });
  sources.recent.tokens.note(query.sort);
  return tokensAt(valuation, sources, members, query);
}

/** One page of the pools that pass a query's filters, and how many do; ties by address. */
export function poolPage(
  valuation: Valuation,
  sources: ListSources,
  query: PoolQuery,
): IndexPage<PoolIndex> {
  const { graph } = sources;
  const { fee } = query;
  const minLiquidityUsd = floorOf(query.minLiquidityUsd);
  const token = query.token === undefined ? undefined : (graph.findToken(query.token) ?? NO_TOKEN);
  const dexes = query.dex === undefined ? undefined : dexesNamed(graph, query.dex);
  const wanted = { token, dexes, fee, minLiquidityUsd };
  const { catalogue, topology } = valuation;
  const { poolsByAddress } = catalogue;
  const count = poolsByAddress.length;
  const members = matching(valuation, allPools(valuation), wanted, () => {
    let places: Uint32Array | undefined;
    if (token !== undefined) {
      const holds = poolsWith(valuation, token);
      places = passing(places, count, (place) => holds[poolsByAddress[place]!] === 1);
    }
    if (dexes !== undefined) {
      const isWanted = marked(dexes);
      places = passing(
        places,
        count,
        (place) => isWanted[topology.poolDex[poolsByAddress[place]!]!] === 1,
      );
    }
    if (fee !== undefined) {
      places = passing(places, count, (place) => graph.poolFeePips[poolsByAddress[place]!] === fee);
    }
    if (minLiquidityUsd !== undefined) {
      const liquidity = poolKeys(valuation, sources, "liquidityUsd");
      places = passing(places, count, (place) => liquidity[place]! >= minLiquidityUsd);
    }
    return places;
  });
  sources.recent.pools.note(query.sort);
  return poolsAt(valuation, sources, members, query);
}

/** Makes the first pages ready, of a block that is still worked on, that will be asked for first. */
export function* prepareOrders(valuation: Valuation, sources: ListSources): Generator<void> {
  const first = { page: 1, limit: 1 };
  for (const sort of sources.recent.tokens.nextBlock()) {
    tokensAt(valuation, sources, allTokens(valuation), { ...first, sort });
    yield;
  }
  for (const sort of sources.recent.pools.nextBlock()) {
    poolsAt(valuation, sources, allPools(valuation), { ...first, sort });
    yield;
  }
}

/** Tokens in a pool: listed ones first, then the most liquid; ties by address. */
export function routableTokens(
  valuation: Valuation,
  sources: ListSources,
): ReadonlyArray<TokenIndex> {
  const { orders, catalogue, topology } = valuation;
  if (orders.routable !== undefined) return orders.routable;
  const { tokensByAddress } = catalogue;
  const isRoutable = (place: number) => topology.isPooled(tokensByAddress[place]!);
  const routable = passing(undefined, tokensByAddress.length, isRoutable);
  const liquidity = tokenKeys(valuation, sources, "liquidity");
  const listed: number[] = [];
  const others: number[] = [];
  for (const place of drained(sortByKey(routable, liquidity, true))) {
    const token = tokensByAddress[place]!;
    (sources.isListed(token) ? listed : others).push(token);
  }
  orders.routable = [...listed, ...others] as TokenIndex[];
  return orders.routable;
}

interface Place<Sort> {
  readonly page: number;
  readonly limit: number;
  readonly sort: Sort;
}

function tokensAt(
  valuation: Valuation,
  sources: ListSources,
  members: Members,
  place: Place<TokenSort>,
): IndexPage<TokenIndex> {
  const field = fieldOf(place.sort);
  return page(valuation, members, field, tokenKeys(valuation, sources, field), place);
}

function poolsAt(
  valuation: Valuation,
  sources: ListSources,
  members: Members,
  place: Place<PoolSort>,
): IndexPage<PoolIndex> {
  const field = fieldOf(place.sort);
  return page(valuation, members, field, poolKeys(valuation, sources, field), place);
}

function page<Index extends number>(
  { orders }: Valuation,
  members: Members,
  field: string,
  keys: Float64Array,
  { page, limit, sort }: Place<string>,
): IndexPage<Index> {
  const start = (page - 1) * limit;
  const descending = sort.startsWith("-");
  const items = orders.range(members, field, keys, descending, start, start + limit);
  return { items: items as Index[], total: (members.places ?? members.byAddress).length };
}

/** A least value that leaves something out; every value is at least 0. */
function floorOf(least: number | undefined): number | undefined {
  return least !== undefined && least > 0 ? least : undefined;
}

/** Those of a list that pass filters: all of it when nothing is wanted. */
function matching(
  { orders }: Valuation,
  all: Members,
  wanted: Readonly<Record<string, unknown>>,
  find: () => Uint32Array | undefined,
): Members {
  if (Object.values(wanted).every((value) => value === undefined)) return all;
  const name = `${all.name} ${JSON.stringify(wanted)}`;
  const places = orders.matches(name, () => find()!);
  return { ...all, name, places };
}

function allTokens({ catalogue }: Valuation): Members {
  return { name: "tokens", byAddress: catalogue.tokensByAddress, places: undefined };
}

function allPools({ catalogue }: Valuation): Members {
  return { name: "pools", byAddress: catalogue.poolsByAddress, places: undefined };
}

function fieldOf<Field extends string>(sort: Field | `-${Field}`): Field {
  return (sort.startsWith("-") ? sort.slice(1) : sort) as Field;
}

/** The places of the tokens of a folded symbol. */
function placesOfSymbol(
  { catalogue }: Valuation,
  { symbols }: ListSources,
  symbol: string,
): Uint32Array {
  const { tokensBySymbol, addressRank } = catalogue;
  const symbolAt = (place: number) => symbols[tokensBySymbol[place]!]!;
  const start = firstPlace(tokensBySymbol.length, (place) => symbolAt(place) >= symbol);
  const end = firstPlace(tokensBySymbol.length, (place) => symbolAt(place) > symbol);
  return tokensBySymbol.slice(start, end).map((token) => addressRank[token]!);
}

/** The first place at which a condition holds that holds from there on; `count` when nowhere. */
function firstPlace(count: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Of some places, ascending, or of so many when undefined: those that pass. */
function passing(
  places: Uint32Array | undefined,
  count: number,
  passes: (place: number) => boolean,
): Uint32Array {
  const size = places?.length ?? count;
  const found = new Uint32Array(size);
  let foundCount = 0;
  for (let at = 0; at < size; at++) {
    const place = places === undefined ? at : places[at]!;
    if (passes(place)) found[foundCount++] = place;
  }
  return found.slice(0, foundCount);
}

/** 1 at some indexes. */
function marked(indexes: ReadonlyArray<number>): Uint8Array {
  const marks = new Uint8Array(1 + Math.max(-1, ...indexes));
  for (const index of indexes) marks[index] = 1;
  return marks;
}

/** Index: token. 1 when one of some DEXes has a pool of it. */
function tokensOn({ topology }: Valuation, dexes: ReadonlyArray<number>): Uint8Array {
  const { tokenCount, poolCount, poolDex, poolTokenStart, poolTokenCount, poolTokens } = topology;
  const isWanted = marked(dexes);
  const isOn = new Uint8Array(tokenCount);
  for (let pool = 0; pool < poolCount; pool++) {
    if (isWanted[poolDex[pool]!] !== 1) continue;
    const start = poolTokenStart[pool]!;
    for (let at = start; at < start + poolTokenCount[pool]!; at++) isOn[poolTokens[at]!] = 1;
  }
  return isOn;
}

/** Index: pool. 1 when it holds a token. */
function poolsWith({ topology }: Valuation, token: number): Uint8Array {
  const { poolCount, tokenCount, slotStart, slotPool } = topology;
  const holds = new Uint8Array(poolCount);
  if (token < 0 || token >= tokenCount) return holds;
  for (let slot = slotStart[token]!; slot < slotStart[token + 1]!; slot++) {
    holds[slotPool[slot]!] = 1;
  }
  return holds;
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

import type { Address, PoolGraph, PoolIndex } from "@millrace/core";
import { PRICE_CHANGES, priceChange } from "../activity/priceChanges.ts";
import type { Valuation } from "../prices/Valuation.ts";
import type { ListSources } from "./ListSources.ts";

type Keys = (valuation: Valuation, sources: ListSources) => Float64Array;

/**
 * Keys by which tokens are sorted or filtered, by index; finite, ≥ 0. Valid until the next call.
 */
export const TOKEN_KEYS = {
  address: ({ catalogue, topology }) => copied(catalogue.addressRank, topology.tokenCount),
  symbol: ({ catalogue, topology }) => copied(catalogue.symbolRank, topology.tokenCount),
  name: ({ catalogue, topology }) => copied(catalogue.nameRank, topology.tokenCount),
  decimals: ({ topology }) => copied(topology.tokenDecimals, topology.tokenCount),
  chainId: ({ topology }) => keysFor(topology.tokenCount).fill(0),
  lastUpdated: ({ listSnapshot }) => listSnapshot.tokenUpdatedMs,
  price: ({ priceUsd }) => priceUsd,
  liquidity: ({ tokenLiquidityUsd }) => tokenLiquidityUsd,
  marketCap: ({ priceUsd, topology }, { supplies }) =>
    worth(priceUsd, supplies.circulating, topology.tokenCount),
  fullyDilutedValuation: ({ priceUsd, topology }, { supplies }) =>
    worth(priceUsd, supplies.total, topology.tokenCount),
  volume24h: ({ listSnapshot }) => listSnapshot.volume24h,
  volume6h: ({ listSnapshot }) => listSnapshot.volume6h,
  volume1h: ({ listSnapshot }) => listSnapshot.volume1h,
  volume5m: ({ listSnapshot }) => listSnapshot.volume5m,
  txns24h: ({ listSnapshot, topology }) => copied(listSnapshot.txns24h, topology.tokenCount),
  buys24h: ({ listSnapshot, topology }) => copied(listSnapshot.buys24h, topology.tokenCount),
  sells24h: ({ listSnapshot, topology }) => copied(listSnapshot.sells24h, topology.tokenCount),
  priceChange5m: (valuation) => changes(valuation, "priceChange5m"),
  priceChange1h: (valuation) => changes(valuation, "priceChange1h"),
  priceChange6h: (valuation) => changes(valuation, "priceChange6h"),
  priceChange24h: (valuation) => changes(valuation, "priceChange24h"),
} satisfies Record<string, Keys>;

/** Keys by which pools are sorted or filtered, by index; finite, ≥ 0. Valid until the next call. */
export const POOL_KEYS = {
  poolAddress: (valuation, { graph }) => contractPlaces(valuation, graph),
  token0: (valuation) => tokenRanks(valuation, 0),
  token1: (valuation) => tokenRanks(valuation, 1),
  fee: ({ topology }, { measures }) => measures.fees(keysFor(topology.poolCount)),
  liquidity: ({ topology }, { measures }) =>
    measures.newest("liquidity", keysFor(topology.poolCount)),
  sqrtPriceX96: ({ topology }, { measures }) =>
    measures.newest("sqrtPriceX96", keysFor(topology.poolCount)),
  dexName: (valuation, { graph }) =>
    dexRanks(
      valuation,
      graph.dexes.map((dex) => dex.name),
    ),
  protocol: (valuation, { graph }) =>
    dexRanks(
      valuation,
      graph.dexes.map((dex) => dex.protocol),
    ),
  chainId: ({ topology }) => keysFor(topology.poolCount).fill(0),
  blockNumber: ({ topology }, { graph }) => copied(graph.poolUpdatedBlock, topology.poolCount),
  lastUpdated: (_, { poolUpdatedMs }) => poolUpdatedMs(),
  liquidityUsd: ({ poolLiquidityUsd }) => poolLiquidityUsd,
  volume24h: ({ listSnapshot }) => listSnapshot.poolVolume24h,
} satisfies Record<string, Keys>;

type TokenSortField = keyof typeof TOKEN_KEYS;
type PoolSortField = keyof typeof POOL_KEYS;

/** A field, ascending; `-field` descending. Ties are in order of address either way. */
export type TokenSort = TokenSortField | `-${TokenSortField}`;
export type PoolSort = PoolSortField | `-${PoolSortField}`;

// Reused, so that a page allocates little more than its content.
let kept = new Float64Array(0);

/** An array for this many keys, with leftover content. */
function keysFor(count: number): Float64Array {
  if (kept.length < count) kept = new Float64Array(Math.ceil(1.25 * count));
  return kept.subarray(0, count);
}

function copied(values: Float64Array | Uint32Array | Uint8Array, count: number): Float64Array {
  const keys = keysFor(count);
  keys.set(values.subarray(0, count));
  return keys;
}

/** Dollars; a value that readers do not see counts as 0. */
function worth(priceUsd: Float64Array, supply: Float64Array, count: number): Float64Array {
  const keys = keysFor(count);
  for (let token = 0; token < count; token++) {
    const dollars = priceUsd[token]! * (supply[token] ?? 0);
    keys[token] = dollars < Number.POSITIVE_INFINITY ? dollars : 0;
  }
  return keys;
}

/**
 * 1 plus the change of each token's price since a window began, since a price falls by 1 at most.
 * An unknown change counts as 0, so that it leads neither up nor down.
 */
function changes(
  { listSnapshot, priceUsd, topology }: Valuation,
  name: (typeof PRICE_CHANGES)[number],
): Float64Array {
  const { earlierCloses } = listSnapshot;
  const keys = keysFor(topology.tokenCount);
  let at = PRICE_CHANGES.indexOf(name);
  for (let token = 0; token < keys.length; token++, at += PRICE_CHANGES.length) {
    const change = priceChange(priceUsd[token]!, earlierCloses[at]!);
    keys[token] = Number.isFinite(change) ? 1 + change : 1;
  }
  return keys;
}

/** For each pool, the place of its contract among the addresses of all pools. */
function contractPlaces({ catalogue, topology }: Valuation, graph: PoolGraph): Float64Array {
  const { poolRank, poolsByAddress } = catalogue;
  const keys = keysFor(topology.poolCount);
  const placeOf = new Map<Address, number>();
  for (let pool = 0; pool < keys.length; pool++) {
    keys[pool] = poolRank[pool]! + 1;
    if (graph.poolId(pool as PoolIndex) === undefined) continue;
    const contract = graph.poolContract(pool as PoolIndex);
    const place = placeOf.get(contract) ?? countBelow(graph, poolsByAddress, contract) + 0.5;
    placeOf.set(contract, place);
    keys[pool] = place;
  }
  return keys;
}

/** How many of the pools, sorted by address, have a lower address. */
function countBelow(graph: PoolGraph, pools: Uint32Array, address: Address): number {
  let low = 0;
  let high = pools.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (graph.poolAddress(pools[middle] as PoolIndex) < address) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** For each pool, the rank by address of its token at a position. */
function tokenRanks({ catalogue, topology }: Valuation, position: number): Float64Array {
  const { addressRank } = catalogue;
  const { poolTokens, poolTokenStart, poolCount } = topology;
  const keys = keysFor(poolCount);
  for (let pool = 0; pool < poolCount; pool++) {
    keys[pool] = addressRank[poolTokens[poolTokenStart[pool]! + position]!] ?? 0;
  }
  return keys;
}

/** For each pool, the rank of its DEX's text among the distinct ones. */
function dexRanks({ topology }: Valuation, texts: ReadonlyArray<string>): Float64Array {
  const ranks = Float64Array.from(textRanks(texts));
  const keys = keysFor(topology.poolCount);
  for (let pool = 0; pool < keys.length; pool++) keys[pool] = ranks[topology.poolDex[pool]!]!;
  return keys;
}

/** Each text's rank among the distinct ones, in lower-case order. */
function textRanks(texts: ReadonlyArray<string>): number[] {
  const folded = texts.map((text) => text.toLowerCase());
  const distinct = [...new Set(folded)].sort();
  return folded.map((text) => distinct.indexOf(text));
}

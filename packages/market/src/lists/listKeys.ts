import type { Valuation } from "../prices/Valuation.ts";
import type { ListSources } from "./ListSources.ts";
import type { PoolSortField, TokenSortField } from "./sortFields.ts";

/** What tokens are sorted or filtered by, by index; finite, ≥ 0. Until the next call only. */
export function tokenKeys(
  valuation: Valuation,
  sources: ListSources,
  field: TokenSortField,
): Float64Array {
  const { catalogue, topology, priceUsd, listSnapshot } = valuation;
  const count = topology.tokenCount;
  switch (field) {
    case "address":
      return copied(catalogue.addressRank, count);
    case "symbol":
      return copied(catalogue.symbolRank, count);
    case "name":
      return copied(catalogue.nameRank, count);
    case "decimals":
      return copied(topology.tokenDecimals, count);
    case "chainId":
      return room(count).fill(0);
    case "lastUpdated":
      return listSnapshot.tokenUpdatedMs;
    case "price":
      return priceUsd;
    case "liquidity":
      return valuation.tokenLiquidityUsd;
    case "marketCap":
      return worth(priceUsd, sources.supplies.circulating, count);
    case "fullyDilutedValuation":
      return worth(priceUsd, sources.supplies.total, count);
    case "volume24h":
    case "volume6h":
    case "volume1h":
    case "volume5m":
      return listSnapshot[field];
    case "txns24h":
    case "buys24h":
    case "sells24h":
      return copied(listSnapshot[field], count);
  }
}

/** What pools are sorted or filtered by, by index; finite, ≥ 0. Until the next call only. */
export function poolKeys(
  valuation: Valuation,
  { graph, measures, poolUpdatedMs }: ListSources,
  field: PoolSortField,
): Float64Array {
  const { catalogue, topology } = valuation;
  const count = topology.poolCount;
  switch (field) {
    case "poolAddress":
      return copied(catalogue.poolRank, count);
    case "token0":
      return tokenRanks(valuation, 0);
    case "token1":
      return tokenRanks(valuation, 1);
    case "fee":
      return copied(graph.poolFeePips, count);
    case "liquidity":
      return measures.newest("liquidity", room(count));
    case "sqrtPriceX96":
      return measures.newest("sqrtPriceX96", room(count));
    case "dexName":
      return dexRanks(
        valuation,
        graph.dexes.map((dex) => dex.name),
      );
    case "protocol":
      return dexRanks(
        valuation,
        graph.dexes.map((dex) => dex.protocol),
      );
    case "blockNumber":
      return copied(graph.poolUpdatedBlock, count);
    case "lastUpdated":
      return poolUpdatedMs();
    case "liquidityUsd":
      return valuation.poolLiquidityUsd;
    case "chainId":
      return room(count).fill(0);
    case "volume24h":
      return valuation.listSnapshot.poolVolume24h;
  }
}

// Kept, so that a page allocates little more than what it holds.
let kept = new Float64Array(0);

/** Room for so many keys, whatever they were. */
function room(count: number): Float64Array {
  if (kept.length < count) kept = new Float64Array(Math.ceil(1.25 * count));
  return kept.subarray(0, count);
}

function copied(values: Float64Array | Uint32Array | Uint8Array, count: number): Float64Array {
  const keys = room(count);
  keys.set(values.subarray(0, count));
  return keys;
}

/** Dollars; a value that nobody shows counts as none. */
function worth(priceUsd: Float64Array, supply: Float64Array, count: number): Float64Array {
  const keys = room(count);
  for (let token = 0; token < count; token++) {
    const dollars = priceUsd[token]! * (supply[token] ?? 0);
    keys[token] = dollars < Number.POSITIVE_INFINITY ? dollars : 0;
  }
  return keys;
}

/** Of the token at a position of each pool, its place in the order of addresses. */
function tokenRanks({ catalogue, topology }: Valuation, position: number): Float64Array {
  const { addressRank } = catalogue;
  const { poolTokens, poolTokenStart, poolCount } = topology;
  const keys = room(poolCount);
  for (let pool = 0; pool < poolCount; pool++) {
    keys[pool] = addressRank[poolTokens[poolTokenStart[pool]! + position]!] ?? 0;
  }
  return keys;
}

/** Of each pool, the place of its DEX's text among the distinct ones. */
function dexRanks({ topology }: Valuation, texts: ReadonlyArray<string>): Float64Array {
  const ranks = Float64Array.from(textRanks(texts));
  const keys = room(topology.poolCount);
  for (let pool = 0; pool < keys.length; pool++) keys[pool] = ranks[topology.poolDex[pool]!]!;
  return keys;
}

/** Each text's place among the distinct ones, in the order of lower case. */
function textRanks(texts: ReadonlyArray<string>): number[] {
  const folded = texts.map((text) => text.toLowerCase());
  const distinct = [...new Set(folded)].sort();
  return folded.map((text) => distinct.indexOf(text));
}

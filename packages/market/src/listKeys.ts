import type { ListSources } from "./ListSources.ts";
import type { PoolSortField, TokenSortField } from "./sortFields.ts";
import type { Valuation } from "./Valuation.ts";

/** What tokens are sorted or filtered by; ≥ 0. Index: place in `catalogue.tokensByAddress`. */
export function tokenKeys(
  valuation: Valuation,
  sources: ListSources,
  field: TokenSortField,
): Float64Array {
  return valuation.orders.keys(`tokens ${field}`, () => {
    const { addressRank } = valuation.catalogue;
    const keys = new Float64Array(addressRank.length);
    const key = tokenKey(valuation, sources, field);
    for (let token = 0; token < keys.length; token++) keys[addressRank[token]!] = key(token);
    return keys;
  });
}

/** What pools are sorted or filtered by; ≥ 0. Index: place in `catalogue.poolsByAddress`. */
export function poolKeys(
  valuation: Valuation,
  sources: ListSources,
  field: PoolSortField,
): Float64Array {
  return valuation.orders.keys(`pools ${field}`, () => {
    const { poolsByAddress } = valuation.catalogue;
    const keys = new Float64Array(poolsByAddress.length);
    const key = poolKey(valuation, sources, field);
    for (let place = 0; place < keys.length; place++) keys[place] = key(poolsByAddress[place]!);
    return keys;
  });
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
    case "marketCap": {
      const { circulating } = sources.supplies;
      return (token) => finite(valuation.priceUsd[token]! * circulating(token));
    }
    case "fullyDilutedValuation": {
      const { total } = sources.supplies;
      return (token) => finite(valuation.priceUsd[token]! * total(token));
    }
    case "chainId": // one for all
      return () => 0;
    case "volume24h":
    case "volume6h":
    case "volume1h":
    case "volume5m":
    case "txns24h":
    case "buys24h":
    case "sells24h":
      return sources.tokenSum(field);
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
      return () => 0;
    case "volume24h":
      return sources.poolSum(field);
  }
}

/** A value that nobody shows counts as none. */
function finite(value: number): number {
  return value < Number.POSITIVE_INFINITY ? value : 0;
}

/** Each text's place among the distinct ones, in the order of lower case. */
function textRanks(texts: ReadonlyArray<string>): number[] {
  const folded = texts.map((text) => text.toLowerCase());
  const distinct = [...new Set(folded)].sort();
  return folded.map((text) => distinct.indexOf(text));
}

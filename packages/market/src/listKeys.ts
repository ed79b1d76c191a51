import type { ListSources } from "./ListSources.ts";
import type { PoolSortField, TokenSortField } from "./sortFields.ts";
import type { Valuation } from "./Valuation.ts";

/** What tokens are sorted or filtered by; ≥ 0. Index: place in `catalogue.tokensByAddress`. */
export function tokenKeys(
  valuation: Valuation,
  sources: ListSources,
  field: TokenSortField,
): Float64Array {
  const { orders, catalogue } = valuation;
  const { addressRank } = catalogue;
  return orders.keys(`tokens ${field}`, addressRank.length, (keys) => {
    const values = tokenValues(valuation, sources, field);
    if (typeof values === "function") {
      for (let token = 0; token < keys.length; token++) keys[addressRank[token]!] = values(token);
    } else {
      for (let token = 0; token < keys.length; token++) keys[addressRank[token]!] = values[token]!;
    }
  });
}

/** What pools are sorted or filtered by; ≥ 0. Index: place in `catalogue.poolsByAddress`. */
export function poolKeys(
  valuation: Valuation,
  sources: ListSources,
  field: PoolSortField,
): Float64Array {
  const { orders, catalogue } = valuation;
  const { poolsByAddress } = catalogue;
  return orders.keys(`pools ${field}`, poolsByAddress.length, (keys) => {
    const values = poolValues(valuation, sources, field);
    if (values === undefined) {
      for (let place = 0; place < keys.length; place++) keys[place] = place;
    } else if (typeof values === "function") {
      for (let place = 0; place < keys.length; place++)
        keys[place] = values(poolsByAddress[place]!);
    } else {
      for (let place = 0; place < keys.length; place++)
        keys[place] = values[poolsByAddress[place]!]!;
    }
  });
}

/** By index of the graph: an array where there is one, which is read much faster. */
type Values = ArrayLike<number> | ((index: number) => number);

function tokenValues(valuation: Valuation, sources: ListSources, field: TokenSortField): Values {
  const { catalogue, topology } = valuation;
  switch (field) {
    case "address":
      return catalogue.addressRank;
    case "symbol":
      return catalogue.symbolRank;
    case "name":
      return catalogue.nameRank;
    case "decimals":
      return topology.tokenDecimals;
    case "lastUpdated":
      return sources.tokenUpdatedMs();
    case "price":
      return valuation.priceUsd;
    case "liquidity":
      return valuation.tokenLiquidityUsd;
    case "marketCap": {
      const { circulating } = sources.supplies;
      return (token) => finite(valuation.priceUsd[token]! * circulating(token));
    }
    case "fullyDilutedValuation": {
      const { total } = sources.supplies;
      return (token) => finite(valuation.priceUsd[token]! * total(token));
    }
    case "chainId":
      return ONE_FOR_ALL;
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

/** Undefined for the order of addresses itself. */
function poolValues(
  valuation: Valuation,
  sources: ListSources,
  field: PoolSortField,
): Values | undefined {
  const { catalogue, topology } = valuation;
  const { graph, measures } = sources;
  switch (field) {
    case "poolAddress":
      return undefined;
    case "token0":
    case "token1": {
      const position = field === "token0" ? 0 : 1;
      const { poolTokens, poolTokenStart } = topology;
      return (pool) => catalogue.addressRank[poolTokens[poolTokenStart[pool]! + position]!]!;
    }
    case "fee":
      return graph.poolFeePips;
    case "liquidity":
      return measures.liquidity;
    case "sqrtPriceX96":
      return measures.sqrtPriceX96;
    case "dexName": {
      const ranks = textRanks(graph.dexes.map((dex) => dex.name));
      return (pool) => ranks[topology.poolDex[pool]!]!;
    }
    case "protocol": {
      const ranks = textRanks(graph.dexes.map((dex) => dex.protocol));
      return (pool) => ranks[topology.poolDex[pool]!]!;
    }
    case "blockNumber":
      return graph.poolUpdatedBlock;
    case "lastUpdated":
      return sources.poolUpdatedMs();
    case "liquidityUsd":
      return valuation.poolLiquidityUsd;
    case "chainId":
      return ONE_FOR_ALL;
    case "volume24h":
      return sources.poolSum(field);
  }
}

const ONE_FOR_ALL = () => 0;

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

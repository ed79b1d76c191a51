import type { ListSources } from "./ListSources.ts";
import type { PoolSortField, TokenSortField } from "./sortFields.ts";
import type { Valuation } from "./Valuation.ts";

/** What tokens are sorted or filtered by; ≥ 0. Index: place in `catalogue.tokensByAddress`. */
export function tokenKeys(
  valuation: Valuation,
  sources: ListSources,
  field: TokenSortField,
): Float64Array {
  const { tokensByAddress } = valuation.catalogue;
  return valuation.orders.keys(`tokens ${field}`, tokensByAddress.length, (keys) =>
    readTokenKeys(valuation, sources, field, keys),
  );
}

/** What pools are sorted or filtered by; ≥ 0. Index: place in `catalogue.poolsByAddress`. */
export function poolKeys(
  valuation: Valuation,
  sources: ListSources,
  field: PoolSortField,
): Float64Array {
  const { poolsByAddress } = valuation.catalogue;
  return valuation.orders.keys(`pools ${field}`, poolsByAddress.length, (keys) =>
    readPoolKeys(valuation, sources, field, keys),
  );
}

function readTokenKeys(
  valuation: Valuation,
  sources: ListSources,
  field: TokenSortField,
  keys: Float64Array,
): void {
  const { catalogue, topology } = valuation;
  const tokens = catalogue.tokensByAddress;
  switch (field) {
    case "address":
      return readPlaces(keys);
    case "symbol":
      return readValues(catalogue.symbolRank, tokens, keys);
    case "name":
      return readValues(catalogue.nameRank, tokens, keys);
    case "decimals":
      return readValues(topology.tokenDecimals, tokens, keys);
    case "lastUpdated":
      return readValues(sources.tokenUpdatedMs(), tokens, keys);
    case "price":
      return readValues(valuation.priceUsd, tokens, keys);
    case "liquidity":
      return readValues(valuation.tokenLiquidityUsd, tokens, keys);
    case "marketCap":
      return readWorth(valuation.priceUsd, sources.supplies.circulating, tokens, keys);
    case "fullyDilutedValuation":
      return readWorth(valuation.priceUsd, sources.supplies.total, tokens, keys);
    case "chainId":
      keys.fill(0);
      return;
    case "volume24h":
    case "volume6h":
    case "volume1h":
    case "volume5m":
    case "txns24h":
    case "buys24h":
    case "sells24h":
      return sources.readTokenSums(field, tokens, keys);
  }
}

function readPoolKeys(
  valuation: Valuation,
  sources: ListSources,
  field: PoolSortField,
  keys: Float64Array,
): void {
  const { graph, measures } = sources;
  const pools = valuation.catalogue.poolsByAddress;
  switch (field) {
    case "poolAddress":
      return readPlaces(keys);
    case "token0":
      return readTokenRanks(valuation, 0, keys);
    case "token1":
      return readTokenRanks(valuation, 1, keys);
    case "fee":
      return readValues(graph.poolFeePips, pools, keys);
    case "liquidity":
      return readValues(measures.liquidity, pools, keys);
    case "sqrtPriceX96":
      return readValues(measures.sqrtPriceX96, pools, keys);
    case "dexName":
      return readDexRanks(
        valuation,
        graph.dexes.map((dex) => dex.name),
        keys,
      );
    case "protocol":
      return readDexRanks(
        valuation,
        graph.dexes.map((dex) => dex.protocol),
        keys,
      );
    case "blockNumber":
      return readValues(graph.poolUpdatedBlock, pools, keys);
    case "lastUpdated":
      return readValues(sources.poolUpdatedMs(), pools, keys);
    case "liquidityUsd":
      return readValues(valuation.poolLiquidityUsd, pools, keys);
    case "chainId":
      keys.fill(0);
      return;
    case "volume24h":
      return sources.readPoolSums(field, pools, keys);
  }
}

function readPlaces(keys: Float64Array): void {
  for (let place = 0; place < keys.length; place++) keys[place] = place;
}

/** The values at some indexes, in their order. */
function readValues(
  values: Float64Array | Uint32Array | Uint8Array,
  indexes: Uint32Array,
  keys: Float64Array,
): void {
  // A loop over arrays of one kind is compiled to a few instructions; over any, to calls.
  const floats = values instanceof Float64Array ? values : new Float64Array(values);
  for (let place = 0; place < keys.length; place++) keys[place] = floats[indexes[place]!]!;
}

/** Dollars; a value that nobody shows counts as none. */
function readWorth(
  priceUsd: Float64Array,
  supply: Float64Array,
  tokens: Uint32Array,
  keys: Float64Array,
): void {
  for (let place = 0; place < keys.length; place++) {
    const token = tokens[place]!;
    const worth = priceUsd[token]! * (supply[token] ?? 0);
    keys[place] = worth < Number.POSITIVE_INFINITY ? worth : 0;
  }
}

/** Of the token at a position of each pool, its place in the order of addresses. */
function readTokenRanks(
  { catalogue, topology }: Valuation,
  position: number,
  keys: Float64Array,
): void {
  const { poolsByAddress, addressRank } = catalogue;
  const { poolTokens, poolTokenStart } = topology;
  // First in the order in which pools lie: what lies together is read together.
  const ranks = new Uint32Array(topology.poolCount);
  for (let pool = 0; pool < ranks.length; pool++) {
    const place = poolTokenStart[pool]! + position;
    if (place < poolTokens.length) ranks[pool] = addressRank[poolTokens[place]!]!;
  }
  for (let place = 0; place < keys.length; place++) keys[place] = ranks[poolsByAddress[place]!]!;
}

/** Of each pool, the place of its DEX's text among the distinct ones. */
function readDexRanks(
  { catalogue, topology }: Valuation,
  texts: ReadonlyArray<string>,
  keys: Float64Array,
): void {
  const { poolsByAddress } = catalogue;
  const { poolDex } = topology;
  const ranks = Float64Array.from(textRanks(texts));
  for (let place = 0; place < keys.length; place++) {
    keys[place] = ranks[poolDex[poolsByAddress[place]!]!]!;
  }
}

/** Each text's place among the distinct ones, in the order of lower case. */
function textRanks(texts: ReadonlyArray<string>): number[] {
  const folded = texts.map((text) => text.toLowerCase());
  const distinct = [...new Set(folded)].sort();
  return folded.map((text) => distinct.indexOf(text));
}

import type { Address, PoolGraph, TokenIndex } from "@millrace/core";
import type { Activity } from "../activity/Activity.ts";
import type { TokenView } from "../MarketData.ts";
import type { Listings } from "../metadata/Listings.ts";
import type { Topology } from "../prices/Topology.ts";
import type { Valuer } from "../prices/Valuer.ts";

/** Number of tokens whose texts are cached: some hundred bytes each. */
const KEPT_MAX = 16_384;

/** The parts of a token that stay until the topology changes. */
interface Fixed {
  readonly address: Address;
  readonly dexes: ReadonlyArray<string>;
}

interface ViewSources {
  readonly graph: PoolGraph;
  readonly valuer: Valuer;
  readonly listings: Listings;
  readonly activity: Activity;
}

/** Tokens as readers see them: single ones as of now; in lists, as of the lists' block. */
export function tokenViews({ graph, valuer, listings, activity }: ViewSources) {
  const { sources } = valuer;
  const fixed = new Map<TokenIndex, Fixed>();
  const namesByKey = new Map<number | string, ReadonlyArray<string>>();
  let fixedOf: Topology | undefined;
  const volume24hUsd = activity.tokenSum("volume24h");
  const volume6hUsd = activity.tokenSum("volume6h");
  const volume1hUsd = activity.tokenSum("volume1h");
  const volume5mUsd = activity.tokenSum("volume5m");
  const txns24h = activity.tokenSum("txns24h");
  const buys24h = activity.tokenSum("buys24h");
  const sells24h = activity.tokenSum("sells24h");

  function single(index: TokenIndex): TokenView {
    if (!(index >= 0 && index < graph.tokenCount)) throw new RangeError(`no token ${index}`);
    const { address, dexes } = fixedPart(index);
    const { symbol, name } = listings.of(index);
    const priceUsd = valuer.priceUsd(index);
    return {
      index,
      address,
      symbol,
      name,
      decimals: graph.tokenDecimals[index]!,
      dexes,
      priceUsd,
      liquidityUsd: valuer.current.tokenLiquidityUsd[index] ?? 0,
      ...sources.supplies.of(index, priceUsd),
      lastUpdatedMs: sources.tokenUpdatedMs()[index] ?? 0,
      hasCandles: activity.hasCandles(index),
      volume24hUsd: volume24hUsd(index),
      volume6hUsd: volume6hUsd(index),
      volume1hUsd: volume1hUsd(index),
      volume5mUsd: volume5mUsd(index),
      txns24h: txns24h(index),
      buys24h: buys24h(index),
      sells24h: sells24h(index),
      ...activity.priceChanges(index, priceUsd, graph.stamp.timestampMs),
    };
  }

  /** Every number is the one by which lists are sorted and filtered. */
  function listed(index: TokenIndex): TokenView {
    const { listSnapshot, priceUsd, tokenLiquidityUsd } = valuer.current;
    const { address, dexes } = fixedPart(index);
    const { symbol, name } = listings.of(index);
    return {
      index,
      address,
      symbol,
      name,
      decimals: graph.tokenDecimals[index]!,
      dexes,
      priceUsd: priceUsd[index]!,
      liquidityUsd: tokenLiquidityUsd[index]!,
      ...sources.supplies.worth(index, priceUsd[index]!),
      lastUpdatedMs: listSnapshot.tokenUpdatedMs[index]!,
      hasCandles: activity.hasCandles(index),
      volume24hUsd: listSnapshot.volume24h[index]!,
      volume6hUsd: listSnapshot.volume6h[index]!,
      volume1hUsd: listSnapshot.volume1h[index]!,
      volume5mUsd: listSnapshot.volume5m[index]!,
      txns24h: listSnapshot.txns24h[index]!,
      buys24h: listSnapshot.buys24h[index]!,
      sells24h: listSnapshot.sells24h[index]!,
      ...listSnapshot.priceChanges(index, priceUsd[index]!),
    };
  }

  function fixedPart(index: TokenIndex): Fixed {
    const { topology } = valuer.current;
    if (fixedOf !== topology) {
      fixed.clear();
      namesByKey.clear();
      fixedOf = topology;
    }
    const known = fixed.get(index);
    if (known !== undefined) return known;
    const part = { address: graph.tokenAddress(index), dexes: dexNames(topology, index) };
    if (fixed.size >= KEPT_MAX) fixed.clear();
    fixed.set(index, part);
    return part;
  }

  /** Nearly all tokens share one of few sets of DEXes. */
  function dexNames(topology: Topology, index: TokenIndex): ReadonlyArray<string> {
    const key = topology.dexesKey(index);
    const known = namesByKey.get(key);
    if (known !== undefined) return known;
    const names = topology.dexesOf(index).map((dex) => graph.dexes[dex]!.name);
    const distinct = [...new Set(names)];
    namesByKey.set(key, distinct);
    return distinct;
  }

  return { single, listed };
}

import type { PoolIndex, TokenIndex } from "@millrace/core";
import { Activity } from "./activity/Activity.ts";
import { Background } from "./Background.ts";
import { poolPage, routableTokens, tokenPage } from "./lists.ts";
import type { MarketData, MarketDataOptions, PoolView, TokenView } from "./MarketData.ts";
import { Listings } from "./metadata/Listings.ts";
import { Supplies } from "./metadata/Supplies.ts";
import { priceView } from "./priceView.ts";
import { Valuer } from "./Valuer.ts";

const DEPTH_FLOOR_USD = 1_000;
const TRADES_MAX = 10_000;
const CANDLE_BYTES = 64 * 2 ** 20;

/**
 * The market data of a graph that already shows its first block; that block is valued before this
 * returns. Throws when the price of an anchor or the floor is not a finite number above, or at, 0.
 */
export function makeMarketData({ saved, ...options }: MarketDataOptions): MarketData {
  const { graph, familyOf } = options;
  const depthFloorUsd = options.depthFloorUsd ?? DEPTH_FLOOR_USD;
  checkNumbers(options, depthFloorUsd);
  const listings = new Listings(options);
  const supplies = new Supplies(options);
  const valuer = new Valuer({ ...options, tokenListing: listings.of }, depthFloorUsd, {
    readTokenSums: (field, tokens, into) => activity.readTokenSums(field, tokens, into),
    readPoolSums: (field, pools, into) => activity.readPoolSums(field, pools, into),
    isListed: listings.isListed,
    supplies,
  });
  const activity = new Activity(
    {
      graph,
      anchors: options.anchors,
      priceUsd: (token) => valuer.priceUsd(token),
      placeOf: (token) => valuer.placeOf(token),
      tradesMax: options.tradesMax ?? TRADES_MAX,
      candleBytes: options.candleBytes ?? CANDLE_BYTES,
      // Orders of this block may go by the windows of the one before.
      onTaken: () => valuer.current.orders.clearSums(),
    },
    {
      saved,
      savedTo: options.savedTo ?? Number.POSITIVE_INFINITY,
      onLeftAside: options.onSavedLeftAside ?? (() => {}),
    },
  );
  valuer.settle();
  let changeCount = 0;
  const unsubscribe = options.onApplied((block) => {
    changeCount++;
    valuer.follow(block);
    activity.follow(block);
  });
  const { sources } = valuer;
  let areListsStale = false;
  const rereading = new Background(
    function* () {
      areListsStale = false;
      listings.reread();
      yield* supplies.reread();
      valuer.current.orders.clear();
    },
    () => areListsStale,
  );
  const poolVolume24hUsd = activity.poolSum("volume24h");
  const volume24hUsd = activity.tokenSum("volume24h");
  const volume6hUsd = activity.tokenSum("volume6h");
  const volume1hUsd = activity.tokenSum("volume1h");
  const volume5mUsd = activity.tokenSum("volume5m");
  const txns24h = activity.tokenSum("txns24h");
  const buys24h = activity.tokenSum("buys24h");
  const sells24h = activity.tokenSum("sells24h");

  function token(index: TokenIndex): TokenView {
    if (!(index >= 0 && index < graph.tokenCount)) throw new RangeError(`no token ${index}`);
    return tokenView(index, valuer.priceUsd(index));
  }

  function listedToken(index: number): TokenView {
    return tokenView(index as TokenIndex, valuer.current.priceUsd[index] ?? 0);
  }

  function tokenView(index: TokenIndex, priceUsd: number): TokenView {
    const { topology, tokenLiquidityUsd } = valuer.current;
    const { symbol, name } = listings.of(index);
    const dexes = topology.dexesOf(index).map((dex) => graph.dexes[dex]!.name);
    return {
      index,
      address: graph.tokenAddress(index),
      symbol,
      name,
      decimals: graph.tokenDecimals[index]!,
      dexes: [...new Set(dexes)],
      priceUsd,
      liquidityUsd: tokenLiquidityUsd[index] ?? 0,
      ...supplies.of(index, priceUsd),
      lastUpdatedMs: sources.tokenUpdatedMs()[index] ?? 0,
      hasCandles: activity.hasCandles(index),
      volume24hUsd: volume24hUsd(index),
      volume6hUsd: volume6hUsd(index),
      volume1hUsd: volume1hUsd(index),
      volume5mUsd: volume5mUsd(index),
      txns24h: txns24h(index),
      buys24h: buys24h(index),
      sells24h: sells24h(index),
    };
  }

  function pool(index: PoolIndex): PoolView | undefined {
    if (!graph.isLive(index)) return undefined;
    const { topology, poolLiquidityUsd } = valuer.current;
    const { sqrtPriceX96, liquidity } = familyOf(index).priceAndLiquidity(index);
    return {
      index,
      address: graph.poolAddress(index),
      dexIndex: graph.poolDex[index]!,
      feePips: graph.poolFeePips[index]!,
      token0: graph.poolToken(index, 0),
      token1: graph.poolToken(index, 1),
      liquidity,
      sqrtPriceX96,
      liquidityUsd: topology.isCurrent(graph, index) ? poolLiquidityUsd[index]! : 0,
      volume24hUsd: poolVolume24hUsd(index),
      updatedBlock: graph.poolUpdatedBlock[index]!,
      lastUpdatedMs: sources.poolUpdatedMs()[index] ?? 0,
    };
  }

  return {
    token,
    pool,
    price: (index) => priceView(valuer, graph, index),
    tokens: (query) => {
      const { items, total } = tokenPage(valuer.current, sources, query);
      return { items: items.map(listedToken), total };
    },
    pools: (query) => {
      const { items, total } = poolPage(valuer.current, sources, query);
      // A pool that left the market in a block that is not valued yet leaves a gap.
      return { items: items.map(pool).filter((view) => view !== undefined), total };
    },
    search: (text, limit) => {
      const { topology, catalogue, tokenLiquidityUsd } = valuer.current;
      const ranking = { liquidityUsd: tokenLiquidityUsd, addressRank: catalogue.addressRank };
      const { tokens, total } = valuer.search.find(text, topology.tokenCount, ranking, limit);
      return { items: tokens.map(listedToken), total };
    },
    tokenWindows: (index) => activity.tokenWindows(index),
    poolWindows: (index) => activity.poolWindows(index),
    trades: (index, limit, before) => activity.trades(index, limit, before),
    tokenCandles: (index, interval, range) => activity.tokenCandles(index, interval, range),
    poolCandles: (index, interval, range) => activity.poolCandles(index, interval, range),
    candleBytes: () => activity.candleBytes,
    save: () => activity.save(),
    auditPrices: (count) => valuer.auditPrices(count),
    auditWindows: (count) => activity.audit(count),
    routableTokens: () => routableTokens(valuer.current, sources),
    listing: listings.of,
    listsChanged: () => {
      changeCount++;
      areListsStale = true;
      rereading.start();
    },
    listDisagreements: () => listings.disagreements(),
    settledBlock: () => valuer.current.stamp.number,
    hasAllTrades: () => activity.isSettled,
    version: () => changeCount + valuer.workCount + activity.workCount + rereading.workCount,
    settle: () => {
      rereading.finish();
      valuer.settle();
      activity.settle();
    },
    close: () => {
      unsubscribe();
      rereading.stop();
      valuer.stop();
      activity.stop();
    },
  };
}

function checkNumbers(options: MarketDataOptions, depthFloorUsd: number): void {
  if (!(depthFloorUsd >= 0 && depthFloorUsd < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`a depth floor of ${depthFloorUsd} dollars`);
  }
  for (const { address, priceUsd } of options.anchors) {
    if (!(priceUsd > 0 && priceUsd < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`a price of ${priceUsd} dollars for the anchor ${address}`);
    }
  }
}

import { Background, type TokenIndex } from "@millrace/core";
import { Activity } from "./activity/Activity.ts";
import { poolPage, routableTokens, tokenPage } from "./lists/lists.ts";
import { poolViews } from "./lists/poolViews.ts";
import { tokenViews } from "./lists/tokenViews.ts";
import type { MarketData, MarketDataOptions } from "./MarketData.ts";
import { Listings } from "./metadata/Listings.ts";
import { Supplies } from "./metadata/Supplies.ts";
import { priceView } from "./prices/priceView.ts";
import { Valuer } from "./prices/Valuer.ts";

const DEPTH_FLOOR_USD = 1_000;
const TRADES_MAX = 10_000;
const CANDLE_BYTES = 64 * 2 ** 20;

/**
 * The market data of a graph that already shows its first block; that block is valued before this
 * returns. Throws unless the price of every anchor is a finite number above 0 and the floor one of
 * at least 0.
 */
export function makeMarketData({ saved, ...options }: MarketDataOptions): MarketData {
  const { graph, familyOf } = options;
  const depthFloorUsd = options.depthFloorUsd ?? DEPTH_FLOOR_USD;
  checkNumbers(options, depthFloorUsd);
  const listings = new Listings(options);
  const supplies = new Supplies(options);
  const valuer = new Valuer({ ...options, tokenListing: listings.of }, depthFloorUsd, {
    tokenSums: (field) => activity.tokenSums(field),
    poolSums: (field) => activity.poolSums(field),
    earlierCloses: (timestampMs) => activity.earlierCloses(timestampMs),
    sumsVersion: () => activity.changeCount,
    isListed: listings.isListed,
    supplies,
  });
  const activity = new Activity(
    {
      graph,
      anchors: options.anchors,
      priceUsd: (token) => valuer.priceUsd(token),
      backingRank: (token) => valuer.backingRank(token),
      tradesMax: options.tradesMax ?? TRADES_MAX,
      candleBytes: options.candleBytes ?? CANDLE_BYTES,
      onTaken: () => valuer.readTrades(),
      archive: options.archive,
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
    "lists",
    function* () {
      areListsStale = false;
      listings.reread();
      yield* supplies.reread();
      if (yield* areNamesStale()) valuer.reindexNames();
      valuer.current.listSnapshot.forget();
    },
    () => areListsStale,
  );
  const tokens = tokenViews({ graph, valuer, listings, activity });
  const pools = poolViews({ graph, familyOf, valuer, activity });

  /**
   * Whether a token's shown texts differ from those by which it is searched and sorted; works in
   * slices.
   */
  function* areNamesStale(): Generator<void, boolean> {
    const { search } = valuer.current;
    for (let index = 0; index < search.symbols.length; index++) {
      if (!search.isOf(index, listings.of(index as TokenIndex))) return true;
      yield;
    }
    return false;
  }

  return {
    token: tokens.single,
    pool: pools.single,
    price: (index) => priceView(valuer, graph, index),
    tokens: (query) => {
      const page = tokenPage(valuer.current, sources, query);
      return { items: page.items.map(tokens.listed), total: page.total };
    },
    pools: (query) => {
      const page = poolPage(valuer.current, sources, query);
      // A pool that left the market in a block not valued yet leaves a gap.
      const items = page.items.map(pools.listed).filter((view) => view !== undefined);
      return { items, total: page.total };
    },
    search: (text, limit) => {
      const { topology, search, byLiquidity } = valuer.current;
      const found = search.find(text, topology.tokenCount, byLiquidity, limit);
      const items = found.tokens.map((token) => tokens.listed(token as TokenIndex));
      return { items, total: found.total };
    },
    tokenWindows: (index) => activity.tokenWindows(index),
    poolWindows: (index) => activity.poolWindows(index),
    trades: (index, limit, before, pair) => activity.trades(index, limit, before, pair),
    tokenTrades: (index, limit, before) => activity.tokenTrades(index, limit, before),
    networkTrades: (limit, before, isWanted) => activity.networkTrades(limit, before, isWanted),
    tokenCandles: (index, interval, range) => activity.tokenCandles(index, interval, range),
    poolCandles: (index, interval, range, pair) =>
      activity.poolCandles(index, interval, range, pair),
    candleBytes: () => activity.candleBytes,
    save: () => activity.save(),
    saveInSlices: () => activity.saveInSlices(),
    auditPrices: (count) => valuer.auditPrices(count),
    auditWindows: (count) => activity.audit(count),
    routableTokens: () => routableTokens(valuer.current, sources),
    listing: listings.of,
    listsChanged: () => {
      changeCount++;
      areListsStale = true;
      rereading.start();
    },
    tokenJudged: (index, isSellable) => {
      changeCount++;
      supplies.setSellable(index, isSellable);
      valuer.current.listSnapshot.forget();
    },
    listDisagreements: () => listings.disagreements(),
    settledBlock: () => valuer.current.stamp.number,
    settledHash: () => valuer.current.stamp.hash,
    hasAllTrades: () => activity.isSettled && valuer.hasReadTrades,
    version: () => changeCount + valuer.changeCount + activity.changeCount + rereading.workCount,
    settle: () => {
      rereading.finish();
      valuer.settle();
      activity.settle();
      // Lists must still show what traded last.
      valuer.settle();
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

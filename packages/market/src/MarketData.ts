import type {
  Address,
  AppliedBlock,
  PoolFamily,
  PoolGraph,
  PoolId,
  PoolIndex,
  TokenIndex,
  TokenListing,
} from "@millrace/core";
import type { ArchivedBlock } from "./activity/ArchivedBlock.ts";
import type { WindowDisagreement } from "./activity/auditWindows.ts";
import type { PriceChanges } from "./activity/priceChanges.ts";
import type { Trade, TradeParties, WindowName, WindowSums } from "./activity/TradedBlock.ts";
import type { Candle, CandleInterval, CandleRange } from "./candles/Candle.ts";
import type { PoolSort, TokenSort } from "./lists/listKeys.ts";
import type { ListedToken } from "./metadata/ListedToken.ts";
import type { ListDisagreement } from "./metadata/Listings.ts";
import type { PriceDisagreement } from "./prices/auditPrices.ts";

/**
 * Everything that can be asked about one market: prices with their provenance, liquidity, lists and
 * search.
 *
 * A token's price is that of the block that the graph shows, as soon as it shows it; values that
 * the graph has exactly (a pool's √price and liquidity, listings, supplies) are read from it.
 * Lists, search and liquidity are of one block, the last one whose valuation is complete
 * (`settledBlock`): list entries show that block's prices and windows, by which they are sorted and
 * filtered. In a small market, a block is complete when its `onApplied` returns; in a large one the
 * rest is worked out in slices of milliseconds, and readers see the block before meanwhile. When
 * its block is complete, a price stays what it was before, unless the block changed which tokens
 * are backed better: see `LivePrices`.
 *
 * Every number is finite and ≥ 0. Indexes are the graph's.
 */
export interface MarketData {
  /** One token. Throws for an index that the graph does not have. */
  readonly token: (token: TokenIndex) => TokenView;
  /** One pool; undefined when it has left the market. */
  readonly pool: (pool: PoolIndex) => PoolView | undefined;
  readonly price: (token: TokenIndex) => PriceView;
  readonly tokens: (query: TokenQuery) => Page<TokenView>;
  readonly pools: (query: PoolQuery) => Page<PoolView>;
  /**
   * Tokens whose symbol or name contains `text`, in any case: first those whose symbol it is, then
   * those that begin with it, then the rest; among equals, the more liquid first.
   */
  readonly search: (text: string, limit: number) => Page<TokenView>;
  /** The sums of each rolling window; windows end with the newest block. */
  readonly tokenWindows: (token: TokenIndex) => Windowed;
  readonly poolWindows: (pool: PoolIndex) => Windowed;
  /**
   * Trades of a pool between two of its tokens, by default its first two, the newest first.
   * `before` is the id of a trade: only older ones are given.
   */
  readonly trades: (
    pool: PoolIndex,
    limit: number,
    before?: string,
    pair?: PoolPair,
  ) => ReadonlyArray<Trade>;
  /**
   * Trades of a token in all pools, in either direction, including pools that are not in the
   * market; the newest first. `before` is as in `trades`.
   */
  readonly tokenTrades: (token: TokenIndex, limit: number, before?: string) => ReadonlyArray<Trade>;
  /**
   * The wanted trades of the whole network, the newest first; `side` and `price` are of the token
   * with the lower address. `before` is as in `trades`.
   */
  readonly networkTrades: (
    limit: number,
    before: string | undefined,
    isWanted: (trade: TradeParties) => boolean,
  ) => ReadonlyArray<Trade>;
  readonly tokenCandles: (
    token: TokenIndex,
    interval: CandleInterval,
    range: CandleRange,
  ) => ReadonlyArray<Candle>;
  /** Candles of two tokens of a pool, by default its first two. */
  readonly poolCandles: (
    pool: PoolIndex,
    interval: CandleInterval,
    range: CandleRange,
    pair?: PoolPair,
  ) => ReadonlyArray<Candle>;
  /** How many bytes of `MarketDataOptions.candleBytes` candles use. */
  readonly candleBytes: () => number;
  /**
   * Windows, trades and candles as bytes, to go on from after a restart; see
   * `MarketDataOptions.saved`.
   */
  readonly save: () => Uint8Array;
  /**
   * The same, in slices that let requests through. The bytes are of one moment: blocks that come
   * meanwhile are counted afterwards. Fails when the market data is closed before it is done.
   */
  readonly saveInSlices: () => Promise<Uint8Array>;
  /**
   * Works out some prices, and everything behind them, once more and slowly; gives those that
   * differ from what readers get. Each call takes the next tokens; it takes milliseconds.
   */
  readonly auditPrices: (count: number) => ReadonlyArray<PriceDisagreement>;
  /**
   * Counts windows of some pools and tokens once more; gives those that differ from what readers
   * get.
   */
  readonly auditWindows: (count: number) => ReadonlyArray<WindowDisagreement>;
  /** Tokens with at least one pool in the market, listed ones first, then the most liquid. */
  readonly routableTokens: () => ReadonlyArray<TokenIndex>;
  /**
   * The shown listing of a token: the chain's symbol and name where they are sound, else those of
   * the token lists; decimals always are the chain's.
   */
  readonly listing: (token: TokenIndex) => TokenListing;
  /**
   * Tokens of the market whose entries in token lists are ignored, since the chain has other
   * decimals.
   */
  readonly listDisagreements: () => ReadonlyArray<ListDisagreement>;
  /** Number of the block of lists and liquidity. */
  readonly settledBlock: () => number;
  /** Hash of that block: after a reorganisation, two blocks share a number. */
  readonly settledHash: () => `0x${string}`;
  /** All published swaps are in the windows, trades, candles and lists. */
  readonly hasAllTrades: () => boolean;
  /** Grows with every change of an answer: while it stays, every answer stays the same. */
  readonly version: () => number;
  /**
   * To be called when `listedTokens` or `circulatingSupply` have changed. Tokens are found and
   * sorted by the new symbols and names from the next valuation on.
   */
  readonly listsChanged: () => void;
  /**
   * To be called when the verdict on a token has changed, which answers show; `isSellable` tells
   * whether anybody can sell it: a token that nobody can sell has no market cap.
   */
  readonly tokenJudged: (token: TokenIndex, isSellable: boolean) => void;
  /** Completes the valuation of the newest block now, however long it takes. */
  readonly settle: () => void;
  /** Stops following the market. */
  readonly close: () => void;
}

export interface MarketDataOptions {
  readonly graph: PoolGraph;
  readonly familyOf: (pool: PoolIndex) => PoolFamily;
  readonly onApplied: (listener: (block: AppliedBlock) => void) => () => void;
  /** What the source said about a token of the graph. */
  readonly tokenListing: (token: TokenIndex) => TokenListing;
  /** Total supply in smallest units, where the source gave it. */
  readonly supply: (token: TokenIndex) => bigint | undefined;
  readonly anchors: ReadonlyArray<Anchor>;
  /**
   * A pool counts in prices only if moving its price by 2 %, in either direction, takes at least
   * this many US dollars. Default 1,000.
   */
  readonly depthFloorUsd?: number;
  /**
   * Called with every block once it is read, with the value of its swaps and tokens, before it can
   * be asked for: for an archive. Also gets blocks of a past that no window reaches, from the
   * newest to the oldest, valued at the prices of their time.
   */
  readonly archive?: (block: ArchivedBlock) => void;
  /** What `MarketData.save` gave; ignored when it is damaged, or of another chain. */
  readonly saved?: Uint8Array;
  /**
   * Number of the newest block up to which `saved` is known to be of the present chain. Later
   * blocks in it are reverted, and count when the source publishes them. Default: all of it is
   * kept.
   */
  readonly savedTo?: number;
  /** Called with the reason when `saved` is ignored. */
  readonly onSavedLeftAside?: (reason: string) => void;
  /** Number of trades kept, over all pools of a network; default: 10,000. */
  readonly tradesMax?: number;
  /** Memory of all candles together; default: 64 MiB. */
  readonly candleBytes?: number;
  /** What token lists say about tokens, merged; see `mergeTokenLists`. */
  readonly listedTokens?: ReadonlyMap<Address, ListedToken>;
  /** Circulating supply in whole tokens, where a file gives it. */
  readonly circulatingSupply?: (token: Address) => number | undefined;
}

/** Two tokens of a pool; prices are of one base in the quote. */
export interface PoolPair {
  readonly base: TokenIndex;
  readonly quote: TokenIndex;
}

export type Windowed = Readonly<Record<WindowName, WindowSums>>;

/** A token with a configured price, such as a stablecoin of the US dollar. */
export interface Anchor {
  readonly address: Address;
  readonly priceUsd: number;
}

export interface TokenView extends PriceChanges {
  readonly index: TokenIndex;
  /** Lower case. */
  readonly address: Address;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Names of the DEXes with a pool of the token. */
  readonly dexes: ReadonlyArray<string>;
  /** US dollars of one whole token; 0 when unknown. */
  readonly priceUsd: number;
  /**
   * What all pools hold of this token, in dollars; summed over tokens, it equals the sum over
   * pools.
   */
  readonly liquidityUsd: number;
  readonly totalSupply?: bigint;
  readonly circulatingSupply?: bigint;
  /** Known when price and supply are; absent for a token that nobody can sell. */
  readonly marketCapUsd?: number;
  readonly fullyDilutedValuationUsd?: number;
  /** Time of the last block that changed one of its pools. */
  readonly lastUpdatedMs: number;
  readonly hasCandles: boolean;
  readonly volume24hUsd: number;
  readonly volume6hUsd: number;
  readonly volume1hUsd: number;
  readonly volume5mUsd: number;
  readonly txns24h: number;
  readonly buys24h: number;
  readonly sells24h: number;
}

export interface PoolView {
  readonly index: PoolIndex;
  /** Lower case, as the graph has it. */
  readonly address: Address;
  /** Only for a pool whose id is longer than an address. */
  readonly id?: PoolId;
  /** The contract that holds the pool: the pool itself, unless its id is longer. */
  readonly contract: Address;
  /** Index into `graph.dexes`. */
  readonly dexIndex: number;
  readonly feePips: number;
  /** The first two of the pool's tokens, in its own order. */
  readonly token0: TokenIndex;
  readonly token1: TokenIndex;
  /** All tokens of a pool with more than two, with the amounts that count for its liquidity. */
  readonly holdings?: ReadonlyArray<TokenHolding>;
  /** See `PoolFamily.priceAndLiquidity`. */
  readonly liquidity: bigint;
  readonly sqrtPriceX96: bigint;
  /** Mid price: token1 per token0, in whole tokens, before fees; 0 when there is none. */
  readonly price: number;
  /** What the pool holds, in dollars. */
  readonly liquidityUsd: number;
  readonly volume24hUsd: number;
  /** Number and time of the last block that changed the pool. */
  readonly updatedBlock: number;
  readonly lastUpdatedMs: number;
}

/** A pool's amount of a token. */
export interface TokenHolding {
  readonly token: TokenIndex;
  /** In smallest units. */
  readonly amount: bigint;
}

/** A price and where it comes from. */
export interface PriceView {
  readonly priceUsd: number;
  /**
   * From 0, unpriced, to 1, an anchor: how deeply the price is backed, and how far its sources
   * agree.
   */
  readonly confidence: number;
  readonly anchor?: TokenIndex;
  /**
   * From the anchor to the token; empty when unpriced. Each step takes a tenth off the price's
   * backing, and the path ends at the floor: at most 132 tokens with a floor of 1,000 and a backing
   * of a billion dollars.
   */
  readonly path: ReadonlyArray<TokenIndex>;
  /** The pools between these tokens: the price is the anchor's price times their mid prices. */
  readonly pools: ReadonlyArray<PoolIndex>;
  /**
   * Dollars that move by 2 % the sources that agree with this price; 0 for an anchor, which nothing
   * moves.
   */
  readonly depthUsd: number;
  /** The block of this price. */
  readonly blockNumber: number;
}

/** A page of a list, and the number of all entries. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>;
  readonly total: number;
}

interface Paging<Sort> {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly sort: Sort;
}

export interface TokenQuery extends Paging<TokenSort> {
  /** The symbol, in any case. */
  readonly symbol?: string;
  /** Id or name of a DEX, in any case. */
  readonly dex?: string;
  /** US dollars. */
  readonly minLiquidity?: number;
  readonly minVolume24h?: number;
}

export interface PoolQuery extends Paging<PoolSort> {
  /** Address of a token of the pool, in any case. */
  readonly token?: string;
  readonly dex?: string;
  readonly minLiquidityUsd?: number;
  /** Hundredths of a basis point. */
  readonly fee?: number;
}

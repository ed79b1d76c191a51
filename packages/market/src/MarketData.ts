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
 * What can be asked of one market: prices with their provenance, liquidity, lists and search.
 *
 * A token's price is of the block that the graph shows, as soon as it does; what is exact in the
 * graph (a pool's √price and liquidity, listings, supplies) is read from it. Lists, search and
 * liquidity are of one block, the last one whose valuation is complete (`settledBlock`): entries of
 * lists show that block's prices and windows, by which they are sorted and filtered. A small market
 * is complete when a block's `onApplied` returns; of a large one the rest is worked out in slices
 * of milliseconds, and readers see the block before meanwhile. Once its block is complete a price
 * is what it was before, but where the block changed which tokens are backed better: see
 * `LivePrices`.
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
   * Tokens whose symbol or name holds `text`, in any case: first those whose symbol it is, then
   * those that begin with it, then the rest; among equals the more liquid first.
   */
  readonly search: (text: string, limit: number) => Page<TokenView>;
  /** What traded in each rolling window, which ends with the newest block. */
  readonly tokenWindows: (token: TokenIndex) => Windowed;
  readonly poolWindows: (pool: PoolIndex) => Windowed;
  /**
   * Trades of a pool between two of its tokens, the first two where none are named, the newest
   * first; `before` is the id of a trade, which is left out.
   */
  readonly trades: (
    pool: PoolIndex,
    limit: number,
    before?: string,
    pair?: PoolPair,
  ) => ReadonlyArray<Trade>;
  /**
   * Trades that a token went into or came out of, of all pools, those that are not in the market
   * among them; the newest first. `before` is as of `trades`.
   */
  readonly tokenTrades: (token: TokenIndex, limit: number, before?: string) => ReadonlyArray<Trade>;
  /**
   * Trades of the whole network that are wanted, the newest first; `side` and `price` are of the
   * token with the lower address. `before` is as of `trades`.
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
  /** Of two tokens of a pool, its first two where none are named. */
  readonly poolCandles: (
    pool: PoolIndex,
    interval: CandleInterval,
    range: CandleRange,
    pair?: PoolPair,
  ) => ReadonlyArray<Candle>;
  /** Bytes that candles use of `MarketDataOptions.candleBytes`. */
  readonly candleBytes: () => number;
  /** Windows, trades and candles, to go on from after a restart; see `MarketDataOptions.saved`. */
  readonly save: () => Uint8Array;
  /**
   * The same in slices that let requests through: all is of one moment, and blocks that come
   * meanwhile are counted after it. Fails when the market data is closed before it is done.
   */
  readonly saveInSlices: () => Promise<Uint8Array>;
  /**
   * Some prices, and all that they are made of, worked out once more and slowly: where they are not
   * what readers are given. Each call goes on with other tokens; it takes milliseconds.
   */
  readonly auditPrices: (count: number) => ReadonlyArray<PriceDisagreement>;
  /** Windows of some pools and tokens, counted once more: where they are not what readers get. */
  readonly auditWindows: (count: number) => ReadonlyArray<WindowDisagreement>;
  /** Tokens of at least one pool in the market, listed ones first, then the most liquid. */
  readonly routableTokens: () => ReadonlyArray<TokenIndex>;
  /**
   * What is shown of a token: the chain's own symbol and name where they are sound, else those of
   * the token lists; decimals always are the chain's.
   */
  readonly listing: (token: TokenIndex) => TokenListing;
  /**
   * Listed tokens of the market that are not taken as listed, since the chain has other decimals.
   */
  readonly listDisagreements: () => ReadonlyArray<ListDisagreement>;
  /** Number of the block that lists and liquidity are of. */
  readonly settledBlock: () => number;
  /** Its hash: after a reorganisation, blocks of one number are two. */
  readonly settledHash: () => `0x${string}`;
  /** All swaps that were published are in the windows, trades, candles and lists. */
  readonly hasAllTrades: () => boolean;
  /** Grows with every change of an answer: as long as it stays, an answer stays the same. */
  readonly version: () => number;
  /**
   * To be called when `listedTokens` or `circulatingSupply` say something else than before. By
   * symbols and names that lists give now, tokens are found and sorted with the next valuation.
   */
  readonly listsChanged: () => void;
  /**
   * To be called when something else is known of a token than before, which answers tell beside
   * these, with whether anybody can sell it: what nobody can sell has no market cap.
   */
  readonly tokenJudged: (token: TokenIndex, isSellable: boolean) => void;
  /** Completes the valuation of the newest block now; takes as long as it takes. */
  readonly settle: () => void;
  /** Stops following the market. */
  readonly close: () => void;
}

export interface MarketDataOptions {
  readonly graph: PoolGraph;
  readonly familyOf: (pool: PoolIndex) => PoolFamily;
  readonly onApplied: (listener: (block: AppliedBlock) => void) => () => void;
  /** What the source said of a token of the graph. */
  readonly tokenListing: (token: TokenIndex) => TokenListing;
  /** Total supply in smallest units, where the source gave it. */
  readonly supply: (token: TokenIndex) => bigint | undefined;
  readonly anchors: ReadonlyArray<Anchor>;
  /**
   * US dollars that must move a pool's price by 2 % at least, in either direction, for the pool to
   * count in any price. Default 1,000.
   */
  readonly depthFloorUsd?: number;
  /**
   * Given every block once it is read, with what its swaps and tokens were worth, before any of it
   * can be asked for: for who keeps it for longer. Blocks of a past that no window reaches come as
   * well, from the newest to the oldest, valued at the prices of their time.
   */
  readonly archive?: (block: ArchivedBlock) => void;
  /** What `MarketData.save` gave; what is damaged, or of another chain, is left aside. */
  readonly saved?: Uint8Array;
  /**
   * Number of the newest block up to which what was saved is known to be of the chain as it is now:
   * what it holds of later ones is reverted, and counts when the source publishes it. All of it is
   * kept where nothing is said.
   */
  readonly savedTo?: number;
  /** Called with why what was saved is left aside. */
  readonly onSavedLeftAside?: (reason: string) => void;
  /** Of a network, over all pools: 10,000 where nothing is said. */
  readonly tradesMax?: number;
  /** For all candles together: 64 MiB where nothing is said. */
  readonly candleBytes?: number;
  /** What lists say of tokens, merged; see `mergeTokenLists`. */
  readonly listedTokens?: ReadonlyMap<Address, ListedToken>;
  /** Whole tokens that circulate, where a file says so. */
  readonly circulatingSupply?: (token: Address) => number | undefined;
}

/** Two tokens of a pool; prices are of one base in the quote. */
export interface PoolPair {
  readonly base: TokenIndex;
  readonly quote: TokenIndex;
}

export type Windowed = Readonly<Record<WindowName, WindowSums>>;

/** A token whose price is a matter of configuration, as of a US dollar's stablecoin. */
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
  /** Of one whole token; 0 when unknown. */
  readonly priceUsd: number;
  /** What all pools hold of this token, in dollars; the sum over tokens is the sum over pools. */
  readonly liquidityUsd: number;
  readonly totalSupply?: bigint;
  readonly circulatingSupply?: bigint;
  /** Known when price and supply are; absent of what nobody can sell. */
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
  /** Where it is longer than an address. */
  readonly id?: PoolId;
  /** What holds the pool: itself, unless its id is longer. */
  readonly contract: Address;
  /** Index of `graph.dexes`. */
  readonly dexIndex: number;
  readonly feePips: number;
  /** The first two of the pool's tokens, in its own order. */
  readonly token0: TokenIndex;
  readonly token1: TokenIndex;
  /** All of a pool that has more, with what it holds of each for its liquidity. */
  readonly holdings?: ReadonlyArray<TokenHolding>;
  /** See `PoolFamily.priceAndLiquidity`. */
  readonly liquidity: bigint;
  readonly sqrtPriceX96: bigint;
  /** Mid price: token1 for one token0, in whole tokens, before fees; 0 when there is none. */
  readonly price: number;
  /** What the pool holds, in dollars. */
  readonly liquidityUsd: number;
  readonly volume24hUsd: number;
  /** Number and time of the last block that changed it. */
  readonly updatedBlock: number;
  readonly lastUpdatedMs: number;
}

/** What a pool has of a token. */
export interface TokenHolding {
  readonly token: TokenIndex;
  /** In smallest units. */
  readonly amount: bigint;
}

/** A price and where it comes from. */
export interface PriceView {
  readonly priceUsd: number;
  /** 0 unpriced … 1 an anchor: how deep the price is backed, and how far its sources agree. */
  readonly confidence: number;
  readonly anchor?: TokenIndex;
  /**
   * From the anchor to the token; empty when unpriced. Each step costs a tenth of what backs the
   * price, which ends at the floor: 132 tokens at most, of a floor of 1,000 and a billion dollars.
   */
  readonly path: ReadonlyArray<TokenIndex>;
  /** The pools between: their mid prices times the anchor's price are this price. */
  readonly pools: ReadonlyArray<PoolIndex>;
  /**
   * Dollars that move, by 2 %, what agrees with this price; 0 for an anchor, which nothing moves.
   */
  readonly depthUsd: number;
  /** The block that this is of. */
  readonly blockNumber: number;
}

/** A page of a list, and how many there are in all. */
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

import type { ChainSource, Disk, Progress } from "@millrace/chain";
import type { MarketSource } from "@millrace/core";
import type { Effect, Scope } from "effect";
import type { ChainNetworkConfig, NetworkConfig } from "../config/ServerConfig.ts";
import type { FeedPlace, NetworkFeed } from "../feed/openNetworkFeed.ts";
import type { NetworkHistory } from "../history/NetworkHistory.ts";
import type { RoutedSwaps } from "../quote/RoutedSwaps.ts";
import type { BlockSteps } from "./BlockSteps.ts";
import type { MarketStore, SavedMarket } from "./MarketStore.ts";
import type { DevnetAccess } from "./openDevnet.ts";

/** Where a network's market comes from, open. */
export interface NetworkSource {
  /** The configuration, with what is known only once it is open. */
  readonly config: NetworkConfig;
  /** The market, without the tokens that are left out. */
  readonly market: MarketSource;
  /** The same as a chain's follower, where it is one. */
  readonly chain?: ChainSource;
  /** Where the chain's follower learns of quotes, to ask the chain for some. */
  readonly routedSwaps?: RoutedSwaps;
  /** Where the market's windows, trades and candles are kept, and what was there at the start. */
  readonly kept?: KeptMarket;
  /** How the market comes to other servers, or from them, where it does. */
  readonly feed?: NetworkFeed;
  /** What is kept for longer. */
  readonly history?: NetworkHistory;
  /** Of a devnet, and of no other chain: the URL of a real node may hold a key. */
  readonly devnet?: DevnetAccess;
}

/** How the sources of networks are opened. */
export interface SourceOptions {
  /** Where a chain keeps its snapshots; undefined when it keeps none. */
  readonly openDisk: (config: ChainNetworkConfig) => Effect.Effect<Disk | undefined>;
  /** Where a network's swaps are kept for longer; undefined when they are not. */
  readonly openHistory: (
    config: NetworkConfig,
  ) => Effect.Effect<NetworkHistory | undefined, never, Scope.Scope>;
  readonly onProgress: (progress: Progress) => void;
  /** Where the market comes from, or goes to, beside the source; from nowhere without it. */
  readonly feed?: FeedPlace | undefined;
  /** Says when each block comes, of a recording; without it they come by themselves. */
  readonly steps?: BlockSteps | undefined;
}

/** What is kept of a market beside the snapshots of its chain. */
export interface KeptMarket {
  readonly store: MarketStore;
  readonly published: ChainSource["published"];
  /** What was saved last, once: it is large. Undefined when there is nothing sound. */
  readonly takeSaved: () => SavedMarket | undefined;
  /** A save whenever so many blocks have passed. */
  readonly everyBlocks: number;
}

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

/** The open source of a network's market. */
export interface NetworkSource {
  /** The configuration, with what is known only once it is open. */
  readonly config: NetworkConfig;
  /** The market, without the network's `excludedTokens`. */
  readonly market: MarketSource;
  /** The market as the follower of a chain, where it is one. */
  readonly chain?: ChainSource;
  /** Gives quotes to the chain's follower, which asks the chain about some. */
  readonly routedSwaps?: RoutedSwaps;
  /** Where the market's windows, trades and candles are kept, and what was there at the start. */
  readonly kept?: KeptMarket;
  /** The feed that shares the market with other servers, if any. */
  readonly feed?: NetworkFeed;
  /** The stored history. */
  readonly history?: NetworkHistory;
  /** For a devnet only: the URL of a real node may hold a key. */
  readonly devnet?: DevnetAccess;
}

/** How the sources of networks are opened. */
export interface SourceOptions {
  /** Where a chain keeps its snapshots; undefined when it keeps none. */
  readonly openDisk: (config: ChainNetworkConfig) => Effect.Effect<Disk | undefined>;
  /** Opens the history of a network's swaps; undefined where they are not stored. */
  readonly openHistory: (
    config: NetworkConfig,
  ) => Effect.Effect<NetworkHistory | undefined, never, Scope.Scope>;
  readonly onProgress: (progress: Progress) => void;
  /** The feed that the market comes from or goes to; without it, none. */
  readonly feed?: FeedPlace | undefined;
  /** Releases each block of a recording; without it they come by themselves. */
  readonly steps?: BlockSteps | undefined;
}

/** What is kept of a market beside the snapshots of its chain. */
export interface KeptMarket {
  readonly store: MarketStore;
  readonly published: ChainSource["published"];
  /** Gives the last save, only once, since it is large. Undefined when there is no sound one. */
  readonly takeSaved: () => SavedMarket | undefined;
  /** Blocks between two saves. */
  readonly everyBlocks: number;
}

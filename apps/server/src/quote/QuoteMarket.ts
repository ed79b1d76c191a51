import type { QuoteRequestJson } from "@millrace/api";
import type { Effect } from "effect";
import type { Answer } from "../answers/Answer.ts";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import type { NetworkRouters } from "../networks/NetworkRouters.ts";
import type { RoutedSwaps } from "./RoutedSwaps.ts";

/** A network as far as quotes go: in the thread that follows it, or in one that only reads it. */
export interface QuoteNetwork {
  readonly config: Pick<NetworkConfig, "id" | "wrappedNative">;
  readonly obstacle: (nowMs: number) => string | undefined;
  readonly market: QuoteMarket | undefined;
}

/** What quotes are answered from; see `NetworkMarket`. */
export type QuoteMarket = OwnMarket | SharedMarket;

/** In the thread that writes it. */
export interface OwnMarket extends ReadMarket, Pick<NetworkMarket, "searches"> {
  readonly engine: QuoteEngine & Pick<NetworkMarket["engine"], "quote" | "quoteExplained">;
  readonly shared?: undefined;
}

/** In any other. */
export interface SharedMarket extends ReadMarket {
  readonly shared: SharedReading;
}

interface ReadMarket extends Pick<NetworkMarket, "gasEstimates" | "labels" | "texts"> {
  readonly engine: QuoteEngine;
  readonly routedSwaps: Pick<RoutedSwaps, "note"> | undefined;
  readonly routers: Pick<NetworkRouters, "dexSets" | "leftOut"> | undefined;
  /** Undefined where there are no nodes; what there is is no matter of quotes. */
  readonly chain: unknown;
  readonly gasPrices: NetworkMarket["gasPrices"];
}

type QuoteEngine = Pick<
  NetworkMarket["engine"],
  "explain" | "familyOf" | "graph" | "isHeavy" | "overlay" | "quoteUnsafe"
> & {
  /** Undefined where no threads search; what they are is no matter of quotes. */
  readonly workers: unknown;
};

/** How a market is read that another thread may write at any time. */
export interface SharedReading {
  /**
   * What is computed on one block, the newest: computed again where another came meanwhile.
   * Undefined where too many did.
   */
  readonly read: <A extends {}>(compute: () => A) => A | undefined;
  /** The answer of the thread that writes. */
  readonly elsewhere: (request: QuoteRequestJson, client: string) => Effect.Effect<Answer>;
}

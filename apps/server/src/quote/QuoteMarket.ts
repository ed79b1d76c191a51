import type { QuoteRequestJson } from "@millrace/api";
import type { Effect } from "effect";
import type { Answer } from "../answers/Answer.ts";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import type { NetworkRouters } from "../networks/NetworkRouters.ts";
import type { RoutedSwaps } from "./RoutedSwaps.ts";

/**
 * The parts of a network that quotes need: in the thread that follows it, or in one that reads it.
 */
export interface QuoteNetwork {
  readonly config: Pick<NetworkConfig, "id" | "wrappedNative">;
  readonly obstacle: (nowMs: number) => string | undefined;
  readonly market: QuoteMarket | undefined;
}

/** The market from which quotes are answered; see `NetworkMarket`. */
export type QuoteMarket = OwnMarket | SharedMarket;

/** The market in the thread that writes it. */
export interface OwnMarket extends ReadMarket, Pick<NetworkMarket, "searches"> {
  readonly engine: QuoteEngine & Pick<NetworkMarket["engine"], "quote" | "quoteExplained">;
  readonly shared?: undefined;
}

/** The market in any other thread. */
export interface SharedMarket extends ReadMarket {
  readonly shared: SharedReading;
}

interface ReadMarket extends Pick<NetworkMarket, "gasEstimates" | "labels" | "texts"> {
  readonly engine: QuoteEngine;
  readonly routedSwaps: Pick<RoutedSwaps, "note"> | undefined;
  readonly routers: Pick<NetworkRouters, "dexSets" | "leftOut"> | undefined;
  /** Undefined where there are no nodes; quotes only ask whether there are any. */
  readonly chain: unknown;
  readonly gasPrices: NetworkMarket["gasPrices"];
}

type QuoteEngine = Pick<
  NetworkMarket["engine"],
  "explain" | "familyOf" | "graph" | "isHeavy" | "overlay" | "quoteUnsafe"
> & {
  /** Undefined where no threads search; quotes only ask whether any do. */
  readonly workers: unknown;
};

/** How to read a market that another thread may write at any time. */
export interface SharedReading {
  /**
   * The result of a computation on the newest block; it is repeated where another block came
   * meanwhile. Undefined where too many came.
   */
  readonly read: <A extends {}>(compute: () => A) => A | undefined;
  /** Has the writing thread answer. */
  readonly elsewhere: (request: QuoteRequestJson, client: string) => Effect.Effect<Answer>;
}

import type { Effect } from "effect";
import type { DevnetError } from "../DevnetError.ts";
import type { Market, MarketToken, Trader } from "../market/Market.ts";
import type { Node } from "../node/Node.ts";
import type { Transaction } from "../node/transactions.ts";
import type { Spot } from "./makeSpots.ts";
import type { TradeRandom } from "./routes.ts";

/** The state that an action is decided from. */
export interface Situation {
  readonly node: Node;
  readonly market: Market;
  readonly random: TradeRandom;
  readonly trader: Trader;
  readonly spots: ReadonlyArray<Spot>;
  /** A token's price on the outside market, in US dollars. */
  readonly priceUsd: (token: MarketToken) => number;
}

/** Decides on a trader's transaction; undefined when an action of this kind has nothing to do. */
export type Action = (situation: Situation) => Effect.Effect<Transaction | undefined, DevnetError>;

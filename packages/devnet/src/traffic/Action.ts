import type { Effect } from "effect";
import type { DevnetError } from "../DevnetError.ts";
import type { Market, MarketToken, Trader } from "../market/Market.ts";
import type { Node } from "../node/Node.ts";
import type { Transaction } from "../node/transactions.ts";
import type { Spot } from "./makeSpots.ts";
import type { TradeRandom } from "./routes.ts";

/** What an action is decided from. */
export interface Situation {
  readonly node: Node;
  readonly market: Market;
  readonly random: TradeRandom;
  readonly trader: Trader;
  readonly spots: ReadonlyArray<Spot>;
  /** What a token is worth outside of this chain, in US dollars. */
  readonly priceUsd: (token: MarketToken) => number;
}

/** The transaction that a trader decides on; undefined when there is nothing to do of this kind. */
export type Action = (situation: Situation) => Effect.Effect<Transaction | undefined, DevnetError>;

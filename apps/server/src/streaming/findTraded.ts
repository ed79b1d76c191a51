import type { TradedSubject } from "@millrace/api";
import type { Address, TokenIndex } from "@millrace/core";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { tokenAt } from "../networks/tokenEntry.ts";
import type { TopicRefusal } from "./Topic.ts";

/** What trades, found in the market; indexes of tokens stay, those of pools do not. */
export type Traded = { readonly pool: Address } | { readonly token: TokenIndex };

/** The native token trades as the wrapped one. A refusal where the market has no such thing. */
export function findTraded(
  { config }: Network,
  market: NetworkMarket,
  subject: TradedSubject,
): Traded | TopicRefusal {
  if ("pool" in subject) {
    const { graph } = market.engine;
    const pool = graph.findPool(subject.pool);
    if (pool !== undefined) return { pool: graph.poolAddress(pool) };
    return { code: "UNKNOWN_POOL", detail: `${config.id} has no pool ${subject.pool}` };
  }
  const token = tokenAt(config, market, subject.token);
  if (token !== undefined) return { token };
  return { code: "UNKNOWN_TOKEN", detail: `${config.id} has no token ${subject.token}` };
}

/** Equal for what is the same. */
export const keyOfTraded = (traded: Traded): string =>
  "pool" in traded ? traded.pool : String(traded.token);

import type { TradedSubject } from "@millrace/api";
import type { Address, TokenIndex } from "@millrace/core";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { tokenAt } from "../networks/tokenEntry.ts";
import type { TopicRefusal } from "./Topic.ts";

/** A pool or token found in the market. Indexes of tokens stay valid; those of pools do not. */
export type Traded = { readonly pool: Address } | { readonly token: TokenIndex };

/** The native token stands for its wrapped form. A refusal where the market lacks the subject. */
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

/** Equal for equal subjects. */
export const keyOfTraded = (traded: Traded): string =>
  "pool" in traded ? traded.pool : String(traded.token);

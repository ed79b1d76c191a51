import { type Issue, issueAt } from "@millrace/api";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import type { Networks } from "../networks/Networks.ts";

/** A network that can answer now, and its market. */
export interface Opened {
  readonly network: Network;
  readonly market: NetworkMarket;
}

/** Why there is no answer: a failure of the market-data interface. */
export interface MarketRefusal {
  readonly status: 404 | 503;
  readonly issues: ReadonlyArray<Issue>;
}

/** The market of a chain, of the primary network when none is named, if it can answer now. */
export function marketOf(
  networks: Networks["Service"],
  chainId: number | undefined,
  nowMs: number,
): Opened | MarketRefusal {
  const network = chainId === undefined ? networks.primary : networks.byChainId(chainId);
  if (network === undefined) {
    return refusal(404, "not_found", ["chainId"], `No network has the chain id ${chainId}`);
  }
  const { market } = network;
  const obstacle = network.obstacle(nowMs);
  if (market === undefined || obstacle !== undefined) {
    const message = `${network.config.id} is not ready: ${obstacle ?? "starting"}`;
    return refusal(503, "not_ready", [], message);
  }
  return { network, market };
}

/** Nothing is known at the address of the path. */
export const nothingAt = (what: "token" | "pool", address: string): MarketRefusal =>
  refusal(404, "not_found", ["address"], `No ${what} at ${address}`);

function refusal(
  status: MarketRefusal["status"],
  code: Issue["code"],
  path: ReadonlyArray<string>,
  message: string,
): MarketRefusal {
  return { status, issues: [issueAt({ code, message }, path)] };
}

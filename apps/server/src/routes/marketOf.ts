import { type Issue, isNativeToken, issueAt, type NetworkChoice } from "@millrace/api";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import type { Networks } from "../networks/Networks.ts";
import { tokenAt } from "../networks/tokenEntry.ts";

/** A network that can answer now, and its market. */
export interface Opened {
  readonly network: Network;
  readonly market: NetworkMarket;
}

/** Why there is no answer: a failure of the market-data interface. */
export interface MarketRefusal {
  readonly status: 400 | 404 | 503;
  readonly issues: ReadonlyArray<Issue>;
}

/** The market of the named network, by default the primary one, if it can answer now. */
export function marketOf(
  networks: Networks["Service"],
  choice: NetworkChoice,
  nowMs: number,
): Opened | MarketRefusal {
  const network = chosen(networks, choice);
  if ("status" in network) return network;
  const { market } = network;
  const obstacle = network.obstacle(nowMs);
  if (market === undefined || obstacle !== undefined) {
    const message = `${network.config.id} is not ready: ${obstacle ?? "starting"}`;
    return refusal(503, "not_ready", [], message);
  }
  return { network, market };
}

/** Nothing is at the address of the path; names other networks that know it. */
export function nothingAt(
  networks: Networks["Service"],
  asked: Network,
  what: "token" | "pool",
  address: string,
): MarketRefusal {
  const message = `No ${what} at ${address}`;
  // Every network has a native token.
  const others = isNativeToken(address)
    ? []
    : networks.all.filter((network) => network !== asked && hasAt(network, what, address));
  if (others.length === 0) return refusal(404, "not_found", ["address"], message);
  const ids = others.map(({ config }) => config.id);
  const hint =
    ids.length === 1
      ? `It is of the network ${ids[0]}: add network=${ids[0]}`
      : `It is of the networks ${ids.join(", ")}: add network= with one of them`;
  return refusal(404, "not_found", ["address"], `${message} on ${asked.config.id}. ${hint}`);
}

function hasAt({ config, market }: Network, what: "token" | "pool", address: string): boolean {
  if (market === undefined) return false;
  if (what === "token") return tokenAt(config, market, address) !== undefined;
  return market.engine.graph.findPool(address) !== undefined;
}

function chosen(
  { primary, byId, byChainId }: Networks["Service"],
  { network, chainId }: NetworkChoice,
): Network | MarketRefusal {
  const ofId = network === undefined ? undefined : byId(network);
  if (network !== undefined && ofId === undefined) {
    return refusal(404, "not_found", ["network"], `No network has the id ${network}`);
  }
  const ofChain = chainId === undefined ? undefined : byChainId(chainId);
  if (chainId !== undefined && ofChain === undefined) {
    return refusal(404, "not_found", ["chainId"], `No network has the chain id ${chainId}`);
  }
  if (ofId !== undefined && ofChain !== undefined && ofId !== ofChain) {
    const message = `${network} is not the network of the chain id ${chainId}`;
    return refusal(400, "invalid_value", ["network"], message);
  }
  return ofId ?? ofChain ?? primary;
}

function refusal(
  status: MarketRefusal["status"],
  code: Issue["code"],
  path: ReadonlyArray<string>,
  message: string,
): MarketRefusal {
  return { status, issues: [issueAt({ code, message }, path)] };
}

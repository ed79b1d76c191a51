import { Effect } from "effect";
import type { Endpoint, EndpointConfig } from "../../src/rpc/Endpoints.ts";
import { makeEndpoints } from "../../src/rpc/makeEndpoints.ts";
import { CHAIN_ID, type Node, ScriptedTransport } from "./scriptedTransport.ts";

export const FIRST = "https://first.example/v3/0123456789abcdef";
export const SECOND = "https://second.example/";

export const ask = (endpoint: Endpoint) => endpoint.request("eth_blockNumber", []);

/** Endpoints of scripted nodes, by URL. */
export const network = Effect.fnUntraced(function* (
  nodes: Record<string, Node>,
  config: Partial<EndpointConfig> = {},
) {
  const transport = new ScriptedTransport(nodes);
  const endpoints = yield* makeEndpoints({
    chainId: CHAIN_ID,
    endpoints: Object.keys(nodes).map((url) => ({ ...config, url })),
    transport,
    blockTimeMs: 2_000,
  });
  return { transport, endpoints };
});

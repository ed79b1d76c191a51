import type { Devnet } from "@millrace/devnet";
import type { ChainNetworkConfig } from "../../src/config/ServerConfig.ts";

/** The configuration of a network on a devnet. */
export function networkOn(devnet: Devnet, more: Record<string, unknown> = {}) {
  const { dexes, anchors, contracts } = devnet;
  return {
    id: "LOCAL",
    name: "Local",
    chainId: devnet.chainId,
    wrappedNative: devnet.wrappedNative,
    anchors: anchors
      .filter(({ address }) => address !== devnet.wrappedNative)
      .map(({ address, priceUsd }) => ({ address, priceUsd })),
    plainTokens: devnet.tokens.map(({ address }) => address),
    headAgeLimitMs: null,
    source: {
      kind: "chain",
      endpoints: [{ name: "local", url: devnet.rpcUrl, webSocketUrl: devnet.webSocketUrl }],
      blockTimeMs: devnet.blockTimeMs,
      multicall: contracts.multicall3,
      dexes,
      admission: { anchors, depthFloorUsd: 0, pools: [] },
    } satisfies Omit<ChainNetworkConfig["source"], "dexes" | "endpoints"> & {
      readonly dexes: unknown;
      readonly endpoints: unknown;
    },
    ...more,
  };
}

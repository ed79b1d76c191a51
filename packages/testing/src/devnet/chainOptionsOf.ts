import type { Devnet } from "@millrace/devnet";

/** Options of a chain source that follows a devnet with all its pools. */
export const chainOptionsOf = (devnet: Devnet) => ({
  chainId: devnet.chainId,
  endpoints: [{ url: devnet.rpcUrl, webSocketUrl: devnet.webSocketUrl }],
  dexes: devnet.dexes,
  admission: { anchors: devnet.anchors, depthFloorUsd: 0, pools: [] },
  multicall: devnet.contracts.multicall3,
  blockTimeMs: devnet.blockTimeMs,
});

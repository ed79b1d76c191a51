import { type ChainSource, chainSource } from "@millrace/chain";
import type { Address, ChainDex } from "@millrace/core";
import { Effect, type Scope } from "effect";
import type { ChainNetworkConfig } from "../config/ServerConfig.ts";
import type { SourceOptions } from "./openSource.ts";

/** Follows a chain as configured, until the scope closes; its nodes may be down. */
export const openChain = Effect.fnUntraced(function* (
  config: ChainNetworkConfig,
  { openDisk, onProgress }: SourceOptions,
): Effect.fn.Return<ChainSource, never, Scope.Scope> {
  const { kind: _, snapshotDirectory: __, dexes, admission, multicall, ...source } = config.source;
  const disk = yield* openDisk(config);
  const { anchors, depthFloorUsd, pools } = admission;
  return yield* chainSource({
    ...source,
    chainId: config.chainId,
    dexes: dexes.map(chainDex),
    admission: {
      anchors: anchors.map((anchor) => ({ ...anchor, address: lowerCase(anchor.address) })),
      depthFloorUsd,
      pools: pools.map(lowerCase),
    },
    ...(multicall !== undefined && { multicall: lowerCase(multicall) }),
    ...(disk !== undefined && { disk }),
    onProgress,
  });
});

function chainDex(dex: ChainNetworkConfig["source"]["dexes"][number]): ChainDex {
  const { factory, deployer, initCodeHash, ...rest } = dex;
  return {
    ...rest,
    factory: lowerCase(factory),
    ...(deployer !== undefined && { deployer: lowerCase(deployer) }),
    ...(initCodeHash !== undefined && { initCodeHash: lowerCase(initCodeHash) }),
  };
}

/** A checked text of hex digits, as all of our packages write it. */
const lowerCase = (hex: string): Address => hex.toLowerCase() as Address;

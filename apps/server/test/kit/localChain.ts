import { type Devnet, type DevnetOptions, startDevnet } from "@millrace/devnet";
import { Effect, Exit, Scope } from "effect";
import type { ChainNetworkConfig } from "../../src/config/ServerConfig.ts";

/** A devnet that a test has for itself, beside the service. */
export interface LocalChain {
  readonly devnet: Devnet;
  /** A JSON-RPC call. */
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

export async function startLocalChain(
  trafficEveryMs?: number,
  more: Pick<DevnetOptions, "deploy" | "hostileTokens"> = {},
): Promise<LocalChain> {
  const scope = await Effect.runPromise(Scope.make());
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void));
  const options = { network: "ETH", ...(trafficEveryMs && { trafficEveryMs }), ...more } as const;
  const devnet = await Effect.runPromise(Scope.provide(startDevnet(options), scope)).catch(
    async (cause) => {
      await stop();
      throw cause;
    },
  );
  const call: LocalChain["call"] = async (method, ...params) => {
    const response = await fetch(devnet.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  };
  return { devnet, call, stop };
}

/** A network of the service on a devnet, as a configuration file would have it. */
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

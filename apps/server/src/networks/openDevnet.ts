import { MarketSourceError } from "@millrace/core";
import { executorCreationCode } from "@millrace/execution";
import { Effect, type Scope } from "effect";
import type { ChainNetworkConfig, NetworkConfig } from "../config/ServerConfig.ts";

/** The settings of a devnet. */
export interface DevnetTerms {
  readonly market: "ETH" | "BASE";
  /** Milliseconds between transactions; without it, nothing happens by itself. */
  readonly trafficEveryMs?: number | undefined;
  readonly seed?: number | undefined;
  /** Hours of trading before the devnet is ready; without it, none. */
  readonly historyHours?: number | undefined;
  readonly port?: number | undefined;
  /** Host by which other machines reach it; without it, only this machine does. */
  readonly host?: string | undefined;
}

/**
 * Starts the devnet of a network, which ends with the scope, and gives the configuration of a
 * network that follows it: apart from its origin and its accounts, a devnet is a chain like any
 * other.
 */
export const openDevnet = Effect.fnUntraced(function* (
  config: NetworkConfig,
  source: Extract<NetworkConfig["source"], { readonly kind: "devnet" }>,
): Effect.fn.Return<OpenedDevnet, MarketSourceError, Scope.Scope> {
  yield* Effect.logInfo("starting an embedded devnet: its prices are nobody's");
  const { network, devnet } = yield* startNetwork({
    ...source,
    // As much of a past as is read from chains.
    historyHours: config.historyHours,
  });
  // A local URL without a key: whoever wants to send transactions needs it.
  yield* Effect.annotateLogs(Effect.logInfo("devnet started"), { rpcUrl: devnet.rpcUrl });
  const { rpcUrl, accounts } = devnet;
  return { config: { ...config, ...network }, access: { rpcUrl, accounts } };
});

/** A network that follows a running devnet. */
interface OpenedDevnet {
  readonly config: ChainNetworkConfig;
  readonly access: DevnetAccess;
}

/** How users of a devnet reach it, and act on it. */
export interface DevnetAccess {
  readonly rpcUrl: string;
  /** Addresses of accounts with tokens of all kinds, in lower case; the node signs for them. */
  readonly accounts: ReadonlyArray<string>;
}

type FollowedNetwork = Pick<
  ChainNetworkConfig,
  "wrappedNative" | "anchors" | "plainTokens" | "routers" | "source"
>;

interface StartedNetwork {
  readonly network: FollowedNetwork;
  readonly devnet: StartedDevnet;
}

/** Our own types: code also compiles against them without the optional package. */
interface StartedDevnet extends DevnetAccess {
  readonly chainId: number;
  readonly webSocketUrl: string;
  readonly tokens: ReadonlyArray<{
    readonly address: string;
    readonly symbol: string;
    readonly name: string;
    readonly decimals: number;
  }>;
  readonly traders: ReadonlyArray<{ readonly address: string; readonly privateKey: string }>;
}

/** A devnet, and what a network that follows it is configured with. */
export const startNetwork = Effect.fnUntraced(function* ({
  market,
  trafficEveryMs,
  seed,
  historyHours,
  port,
  host,
}: DevnetTerms): Effect.fn.Return<StartedNetwork, MarketSourceError, Scope.Scope> {
  // A development dependency, for those who ask for it: see `checkSources`.
  const { startDevnet } = yield* Effect.tryPromise({
    try: () => import("@millrace/devnet"),
    catch: (cause) => notStarted(String(cause)),
  });
  const devnet = yield* startDevnet({
    network: market,
    ...(trafficEveryMs !== undefined && { trafficEveryMs }),
    ...(seed !== undefined && { seed }),
    ...(historyHours !== undefined && { historyHours }),
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    orderly: true,
    deploy: ({ wrappedNative }) => [executorCreationCode(wrappedNative)],
    families: true,
    hostileTokens: true,
  }).pipe(Effect.mapError(({ reason, detail }) => notStarted(`${reason}: ${detail}`)));
  const { anchors, wrappedNative, contracts, deployed, rpcUrl } = devnet;
  const [first, ...rest] = devnet.dexes;
  if (first === undefined) return yield* notStarted("no DEX is on it");
  const network: FollowedNetwork = {
    wrappedNative,
    // The market prices the native token, as everywhere: only dollar tokens are anchors.
    anchors: anchors
      .filter(({ address }) => address !== wrappedNative)
      .map(({ address, priceUsd }) => ({ address, priceUsd })),
    // The market has hostile tokens, too; tests have to find out what they do.
    plainTokens: devnet.tokens.map(({ address }) => address),
    routers: {
      ...(deployed[0] !== undefined && { executor: deployed[0] }),
      universalRouter: {
        address: contracts.universalRouter,
        version: "2.0",
        permit2: contracts.permit2,
        v2DexId: "UNISWAP_V2",
        v3DexId: "UNISWAP_V3",
        v4DexId: "UNISWAP_V4",
      },
    },
    source: {
      kind: "chain",
      endpoints: [{ name: "devnet", url: rpcUrl, webSocketUrl: devnet.webSocketUrl }],
      blockTimeMs: devnet.blockTimeMs,
      multicall: contracts.multicall3,
      dexes: [first, ...rest],
      admission: { anchors, depthFloorUsd: 0, pools: [] },
    },
  };
  return { network, devnet };
});

const notStarted = (detail: string): MarketSourceError =>
  new MarketSourceError({ source: "devnet", reason: "Unreadable", detail });

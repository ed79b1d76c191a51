import { availableParallelism } from "node:os";
import { GAS_LIMIT_DEFAULT } from "@millrace/core";
import { networkPresets } from "@millrace/networks";

type Fields = Readonly<Record<string, unknown>>;

/** The default settings, undecoded: they pass the schema like those of a file. */
export const DEFAULTS = {
  host: "127.0.0.1",
  port: 8080,
  logLevel: "info",
  logFormat: "auto",
  corsOrigins: "*",
  readinessDelayMs: 0,
  gracePeriodMs: 10_000,
  streams: {},
  limits: {},
  // The event loop keeps a core for itself.
  searchWorkers: Math.min(availableParallelism() - 1, 2),
  servingThreads: 1,
} as const;

/** Defaults of the known chains, by chain id; a network's own configuration overrides them. */
export const CHAIN_DEFAULTS: ReadonlyMap<unknown, ChainDefaults> = new Map(
  networkPresets.map(({ id: _, chainId, source, excludedTokens, routers, ...network }) => [
    chainId,
    {
      network,
      followed: { excludedTokens },
      recorded: { barredTokens: excludedTokens },
      routers: { ...routers },
      source: { ...source },
    },
  ]),
);

export interface ChainDefaults {
  /** For a network of any source. */
  readonly network: Fields;
  /** For a network that follows the chain itself. */
  readonly followed: Fields;
  /** For a network that was recorded on the chain. */
  readonly recorded: Fields;
  /** For a network with real pools: of the chain, or recorded on it. */
  readonly routers: Fields;
  readonly source: Fields & { readonly admission: Fields };
}

/** Settings of a network that does not configure them. */
export const NETWORK_DEFAULTS = {
  anchors: [],
  plainTokens: [],
  excludedTokens: [],
  barredTokens: [],
  routers: {},
  approvalResetTokens: [],
  tokenRetestMs: 6 * 3_600_000,
  depthFloorUsd: 100,
  tokenLists: [],
  tradesMax: 10_000,
  candleMiB: 64,
  historyHours: 24,
  history: { days: 1 },
  gasLimit: GAS_LIMIT_DEFAULT,
} as const;

/** A head of a chain is too old after so many block times. */
export const HEAD_AGE_BLOCKS = 10;
/** But never sooner than this: blocks tell whole seconds, and clocks differ. */
export const HEAD_AGE_MIN_MS = 5_000;

/** The networks of a service that has none configured: two devnets. */
export const DEFAULT_NETWORKS: ReadonlyArray<Fields> = [
  devnet("ETH", "Ethereum devnet", 0x6d696c01),
  devnet("BASE", "Base devnet", 0x6d696c02),
];

function devnet(market: "ETH" | "BASE", name: string, chainId: number): Fields {
  return {
    id: market,
    name,
    chainId,
    nativeSymbol: "ETH",
    nativeName: "Ether",
    source: { kind: "devnet", market, trafficEveryMs: 1_000 },
  };
}

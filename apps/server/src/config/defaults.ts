/** What is configured when nothing is said. Raw values: they pass the schema like everybody's. */
export const DEFAULTS = {
  host: "127.0.0.1",
  port: 8080,
  logLevel: "info",
  logFormat: "auto",
  corsOrigins: "*",
  readinessDelayMs: 0,
  gracePeriodMs: 10_000,
} as const;

/** What is known of a chain, by its id; a network's own configuration goes before it. */
export const CHAIN_DEFAULTS: Readonly<Record<number, Readonly<Record<string, unknown>>>> = {
  1: {
    name: "Ethereum",
    nativeSymbol: "ETH",
    nativeName: "Ether",
    wrappedNative: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    anchors: [
      { address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", priceUsd: 1 },
      { address: "0xdac17f958d2ee523a2206206994597c13d831ec7", priceUsd: 1 },
      { address: "0x6b175474e89094c44da98b954eedeac495271d0f", priceUsd: 1 },
    ],
    plainTokens: [
      "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
      "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
      "0xdac17f958d2ee523a2206206994597c13d831ec7",
      "0x6b175474e89094c44da98b954eedeac495271d0f",
      "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599",
    ],
  },
  8453: {
    name: "Base",
    nativeSymbol: "ETH",
    nativeName: "Ether",
    wrappedNative: "0x4200000000000000000000000000000000000006",
    anchors: [
      { address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", priceUsd: 1 },
      { address: "0xfde4c96c8593536e31f229ea8f37b2ada2699bb2", priceUsd: 1 },
      { address: "0x50c5725949a6f0c72e6c4a641f24049a917db0cb", priceUsd: 1 },
    ],
    plainTokens: [
      "0x4200000000000000000000000000000000000006",
      "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
      "0xfde4c96c8593536e31f229ea8f37b2ada2699bb2",
      "0x50c5725949a6f0c72e6c4a641f24049a917db0cb",
    ],
  },
};

/** What a network has that says nothing of it. */
export const NETWORK_DEFAULTS = {
  anchors: [],
  plainTokens: [],
  excludedTokens: [],
  depthFloorUsd: 100,
  headAgeLimitMs: null,
} as const;

/** The networks of a service that is told none: generated markets, alive. */
export const DEFAULT_NETWORKS: ReadonlyArray<Readonly<Record<string, unknown>>> = [
  {
    id: "ETH",
    chainId: 1,
    source: { kind: "generated", seed: 1, poolCount: 2_000, blockEveryMs: 12_000 },
    headAgeLimitMs: 120_000,
  },
  {
    id: "BASE",
    chainId: 8453,
    source: { kind: "generated", seed: 8453, poolCount: 1_000, blockEveryMs: 2_000 },
    headAgeLimitMs: 60_000,
  },
];

import { type ChainSource, chainSource, type Disk } from "@millrace/chain";
import type { Address } from "@millrace/core";
import { checkSaved } from "@millrace/market";
import type { ChainDex } from "@millrace/protocols";
import { Effect, type Scope } from "effect";
import type { ChainNetworkConfig } from "../config/ServerConfig.ts";
import type { NetworkHistory } from "../history/NetworkHistory.ts";
import { RoutedSwaps } from "../quote/RoutedSwaps.ts";
import { makeMarketStore } from "./MarketStore.ts";
import type { KeptMarket, SourceOptions } from "./NetworkSource.ts";
import { MIB } from "./openData.ts";

interface OpenChain {
  readonly chain: ChainSource;
  readonly routedSwaps: RoutedSwaps;
  /** Undefined where nothing is kept. */
  readonly kept: KeptMarket | undefined;
  readonly history: NetworkHistory | undefined;
}

/** Follows a chain as configured, until the scope closes; its nodes may be down. */
export const openChain = Effect.fnUntraced(function* (
  config: ChainNetworkConfig,
  { openDisk, openHistory, onProgress, feed }: SourceOptions,
): Effect.fn.Return<OpenChain, never, Scope.Scope> {
  const { kind: _, snapshotDirectory: __, dexes, admission, multicall, ...source } = config.source;
  const disk = yield* openDisk(config);
  // The snapshots of a feed keep the data of its market.
  const isKept = disk !== undefined && feed === undefined;
  const found = isKept ? yield* keptMarket(disk, config) : undefined;
  const history = yield* openHistory(config);
  const { anchors, depthFloorUsd, pools } = admission;
  const routedSwaps = new RoutedSwaps();
  const { nativeSymbol: symbol, nativeName: name = symbol } = config;
  const chain = yield* chainSource({
    ...source,
    chainId: config.chainId,
    dexes: dexes.map(chainDex),
    admission: {
      anchors: anchors.map((anchor) => ({ ...anchor, address: lowerCase(anchor.address) })),
      depthFloorUsd,
      pools: pools.map(lowerCase),
    },
    ...(symbol !== undefined && name !== undefined && { nativeToken: { symbol, name } }),
    ...(config.wrappedNative !== undefined && { wrappedNative: lowerCase(config.wrappedNative) }),
    ...(multicall !== undefined && { multicall: lowerCase(multicall) }),
    ...(disk !== undefined && { disk }),
    historyMs: config.historyHours * HOUR_MS,
    ...(found !== undefined && { knownHistory: found.ranges }),
    ...(history !== undefined && {
      archive: {
        historyMs: config.history.days * DAY_MS,
        known: history.known,
        hasRoom: () => history.writer.hasRoom,
      },
    }),
    routedSwaps: routedSwaps.take,
    onProgress,
  });
  const kept = found && { ...found.kept, published: chain.published };
  return { chain, routedSwaps, kept, history };
});

const keptMarket = Effect.fnUntraced(function* (
  disk: Disk,
  { chainId, tradesMax, candleMiB, source }: ChainNetworkConfig,
) {
  const limits = { chainId, tradesMax, candleBytes: candleMiB * MIB };
  const check = (bytes: Uint8Array) => checkSaved(bytes, limits);
  const store = makeMarketStore({ disk, chainId, check });
  let saved = yield* store.load;
  const takeSaved = () => {
    const taken = saved;
    saved = undefined;
    return taken;
  };
  const kept = { store, takeSaved, everyBlocks: source.snapshotBlocks ?? SAVE_BLOCKS };
  return { kept, ranges: saved?.ranges ?? [] };
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** As often as the chain writes its snapshots. */
const SAVE_BLOCKS = 100;

const chainDex = (dex: ChainNetworkConfig["source"]["dexes"][number]): ChainDex => ({
  ...dex,
  factory: lowerCase(dex.factory),
});

/** Checked hex digits in lower case, as all of our packages write them. */
const lowerCase = (hex: string): Address => hex.toLowerCase() as Address;

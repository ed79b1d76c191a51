import { MarketSourceError } from "@millrace/core";
import { embeddedHistory, recordedMarket } from "@millrace/history";
import { type GeneratedChainId, generatedMarket, marketFile } from "@millrace/replay";
import { Effect, type Scope, Stream } from "effect";
import type { ChainNetworkConfig, NetworkConfig } from "../config/ServerConfig.ts";
import { fedChain, openNetworkFeed } from "../feed/openNetworkFeed.ts";
import type { NetworkSource, SourceOptions } from "./NetworkSource.ts";
import { openChain } from "./openChain.ts";
import { openDevnet } from "./openDevnet.ts";
import { addressSet, withoutTokens } from "./withoutTokens.ts";

/** Opens the configured source of a network, and all that belongs to it, until the scope closes. */
export const openSource = Effect.fnUntraced(function* (
  config: NetworkConfig,
  options: SourceOptions,
): Effect.fn.Return<NetworkSource, MarketSourceError, Scope.Scope> {
  const source = yield* open(config, options);
  const { chainId } = source.market;
  if (chainId !== config.chainId) {
    return yield* new MarketSourceError({
      source: "path" in config.source ? config.source.path : config.source.kind,
      reason: "WrongChain",
      detail: `a market of chain ${chainId}, where chain ${config.chainId} is configured`,
    });
  }
  const prune = withoutTokens(addressSet(config.excludedTokens));
  const blocks = Stream.map(source.market.blocks, prune);
  const stepped = options.steps === undefined ? blocks : options.steps.through(blocks);
  const opened = { ...source, market: { ...source.market, blocks: stepped } };
  if (options.feed === undefined || !isShared(config)) return opened;
  const { market, chain } = opened;
  const feed = yield* openNetworkFeed(options.feed, config, market, chain);
  const fed = chain === undefined ? {} : { chain: fedChain(chain, feed) };
  return { ...opened, ...fed, market: feed.source, feed };
});

/** Whether servers can share the source: recordings and devnets belong to one process. */
export const isShared = ({ source }: Pick<NetworkConfig, "source">): boolean =>
  source.kind === "chain" || source.kind === "generated";

function open(
  config: NetworkConfig,
  options: SourceOptions,
): Effect.Effect<NetworkSource, MarketSourceError, Scope.Scope> {
  const { source, chainId } = config;
  switch (source.kind) {
    case "marketFile":
      return Effect.map(marketFile(source.path, { replayMs: source.replayMs }), (market) => ({
        config,
        market,
      }));
    case "history":
      return Effect.gen(function* () {
        const { path, asOf, toBlock } = source;
        const store = yield* Effect.mapError(
          embeddedHistory({ path, chainId, isReadOnly: true }),
          ({ reason, detail }) =>
            new MarketSourceError({
              ...{ source: path, detail },
              reason: reason === "Foreign" ? "WrongChain" : "Unreadable",
            }),
        );
        const market = yield* recordedMarket({ store, chainId, asOf, toBlock });
        return { config, market };
      });
    case "generated": {
      const { seed, poolCount, blockEveryMs, newPoolsPerBlock } = source;
      return Effect.sync(() => ({
        config,
        market: generatedMarket({
          seed,
          poolCount,
          // The configuration admits no other chain for a generated market.
          chainId: chainId as GeneratedChainId,
          ...(blockEveryMs === undefined ? {} : { blockEveryMs }),
          ...(newPoolsPerBlock === undefined ? {} : { newPoolsPerBlock }),
        }),
      }));
    }
    case "devnet":
      return Effect.gen(function* () {
        const { config: found, access } = yield* openDevnet(config, source);
        // A chain that ends with this process needs no snapshot.
        const opened = yield* openOnChain(found, { ...options, openDisk: () => Effect.undefined });
        return { ...opened, devnet: access };
      });
    case "chain":
      return openOnChain({ ...config, source }, options);
  }
}

const openOnChain = (config: ChainNetworkConfig, options: SourceOptions) =>
  Effect.map(openChain(config, options), ({ chain, routedSwaps, kept, history }) => ({
    config,
    market: chain,
    chain,
    routedSwaps,
    ...(kept !== undefined && { kept }),
    ...(history !== undefined && { history }),
  }));

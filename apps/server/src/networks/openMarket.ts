import { type Address, Engine, type MarketSource, MarketSourceError } from "@millrace/core";
import { type MarketData, makeMarketData } from "@millrace/market";
import { protocols } from "@millrace/protocols";
import { type GeneratedChainId, generatedMarket, marketFile } from "@millrace/replay";
import { Effect, Stream } from "effect";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import { QuoteLabels } from "../quote/QuoteLabels.ts";
import { AddressTexts } from "./AddressTexts.ts";
import { DexPools } from "./DexPools.ts";
import { withoutTokens } from "./withoutTokens.ts";

/** A network's market, open: what requests are answered from. */
export interface OpenMarket {
  readonly engine: Engine["Service"];
  readonly data: MarketData;
  readonly texts: AddressTexts;
  readonly labels: QuoteLabels;
  readonly dexPools: DexPools;
}

/** Opens the configured market of a network; it follows its source until the scope closes. */
export const openMarket = Effect.fnUntraced(function* (config: NetworkConfig) {
  const recorded = yield* openSource(config);
  if (recorded.chainId !== config.chainId) {
    return yield* new MarketSourceError({
      source: config.source.kind === "marketFile" ? config.source.path : config.source.kind,
      reason: "WrongChain",
      detail: `a market of chain ${recorded.chainId}, where chain ${config.chainId} is configured`,
    });
  }
  const prune = withoutTokens(addressSet(config.excludedTokens));
  const blocks = Stream.map(recorded.blocks, prune);
  const engine = yield* Engine.make({ source: { chainId: config.chainId, blocks }, protocols });
  const { graph, familyOf, onApplied, tokenListing, totalSupply } = engine;
  const data = yield* Effect.acquireRelease(
    Effect.sync(() =>
      makeMarketData({
        graph,
        familyOf,
        onApplied,
        tokenListing,
        supply: totalSupply,
        depthFloorUsd: config.depthFloorUsd,
        anchors: config.anchors.map(({ address, priceUsd }) => ({
          address: address.toLowerCase() as Address,
          priceUsd,
        })),
      }),
    ),
    (market) => Effect.sync(() => market.close()),
  );
  const texts = new AddressTexts(graph);
  const plainTokens = addressSet(config.plainTokens);
  const isPlain = (token: Address) =>
    // A generated token is no contract at all: there is nothing to doubt.
    config.source.kind === "generated" || plainTokens.has(token);
  const labels = new QuoteLabels(graph, texts, isPlain);
  const dexPools = new DexPools(graph, onApplied);
  return { engine, data, texts, labels, dexPools } satisfies OpenMarket;
});

function openSource({
  source,
  chainId,
}: NetworkConfig): Effect.Effect<MarketSource, MarketSourceError> {
  if (source.kind === "marketFile") return marketFile(source.path, { replayMs: source.replayMs });
  const { seed, poolCount, blockEveryMs } = source;
  return Effect.sync(() =>
    generatedMarket({
      seed,
      poolCount,
      // The configuration admits no other chain for a generated market.
      chainId: chainId as GeneratedChainId,
      ...(blockEveryMs === undefined ? {} : { blockEveryMs }),
    }),
  );
}

const addressSet = (addresses: ReadonlyArray<string>): ReadonlySet<Address> =>
  new Set(addresses.map((address) => address.toLowerCase() as Address));

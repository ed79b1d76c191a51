import { type Address, Engine } from "@millrace/core";
import { type MarketData, makeMarketData } from "@millrace/market";
import { protocols } from "@millrace/protocols";
import { Effect } from "effect";
import { QuoteLabels } from "../quote/QuoteLabels.ts";
import { AddressTexts } from "./AddressTexts.ts";
import { DexPools } from "./DexPools.ts";
import type { OpenSource } from "./openSource.ts";
import { addressSet } from "./withoutTokens.ts";

/** A network's market, open: what requests are answered from. */
export interface OpenMarket {
  readonly engine: Engine["Service"];
  readonly data: MarketData;
  readonly texts: AddressTexts;
  readonly labels: QuoteLabels;
  readonly dexPools: DexPools;
}

/** Where the threads find `protocols`. */
const protocolsModule = new URL(import.meta.resolve("@millrace/protocols"));

/** Opens the market of a source with its first block; follows it until the scope closes. */
export const openMarket = Effect.fnUntraced(function* (
  { config, market: source }: OpenSource,
  searchWorkers: number,
) {
  const engine = yield* Engine.make({
    source,
    protocols,
    gasLimit: config.gasLimit,
    ...(searchWorkers > 0 && { workers: { count: searchWorkers, protocolsModule } }),
  });
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

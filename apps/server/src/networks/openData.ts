import type { Address, Engine } from "@millrace/core";
import { type MarketData, type MarketDataOptions, makeMarketData } from "@millrace/market";
import { Effect, type Scope } from "effect";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import type { Lists } from "../lists/openLists.ts";

/** The market data of an engine, as configured; it follows the engine until the scope closes. */
export const openData = Effect.fnUntraced(function* (
  { graph, familyOf, onPart, tokenListing, totalSupply }: Engine["Service"],
  config: NetworkConfig,
  { listedTokens, circulatingSupply }: Pick<Lists, "listedTokens" | "circulatingSupply">,
  restored: Pick<MarketDataOptions, "saved" | "savedTo" | "archive">,
): Effect.fn.Return<MarketData, never, Scope.Scope> {
  const market = makeMarketData({
    graph,
    familyOf,
    onApplied: onPart,
    tokenListing,
    supply: totalSupply,
    depthFloorUsd: config.depthFloorUsd,
    anchors: config.anchors.map(({ address, priceUsd }) => ({
      address: address.toLowerCase() as Address,
      priceUsd,
    })),
    listedTokens,
    circulatingSupply,
    tradesMax: config.tradesMax,
    candleBytes: config.candleMiB * MIB,
    // Large: nothing long-lived may hold it.
    ...restored,
  });
  yield* Effect.addFinalizer(() => Effect.sync(() => market.close()));
  return market;
});

export const MIB = 1_048_576;

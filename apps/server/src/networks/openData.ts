import type { Address, Engine } from "@millrace/core";
import { type MarketData, type MarketDataOptions, makeMarketData } from "@millrace/market";
import { Effect, type Scope } from "effect";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import type { Lists } from "../lists/openLists.ts";

/** The market data of an engine, as configured; it follows the engine until the scope closes. */
export const openData = (
  { graph, familyOf, onApplied, tokenListing, totalSupply }: Engine["Service"],
  config: NetworkConfig,
  { listedTokens, circulatingSupply }: Pick<Lists, "listedTokens" | "circulatingSupply">,
  restored: Pick<MarketDataOptions, "saved" | "savedTo">,
): Effect.Effect<MarketData, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      makeMarketData({
        ...{ graph, familyOf, onApplied, tokenListing },
        supply: totalSupply,
        depthFloorUsd: config.depthFloorUsd,
        anchors: config.anchors.map(({ address, priceUsd }) => ({
          address: address.toLowerCase() as Address,
          priceUsd,
        })),
        ...{ listedTokens, circulatingSupply },
        tradesMax: config.tradesMax,
        candleBytes: config.candleMiB * MIB,
        ...restored,
      }),
    ),
    (market) => Effect.sync(() => market.close()),
  );

export const MIB = 1_048_576;

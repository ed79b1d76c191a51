import { type Address, Engine } from "@millrace/core";
import {
  type ChainAccess,
  type GasPriceOptions,
  type GasPrices,
  makeGasPrices,
  makeTokenVerdicts,
  type TokenVerdicts,
} from "@millrace/execution";
import { type MarketData, makeMarketData } from "@millrace/market";
import { protocols } from "@millrace/protocols";
import { Effect } from "effect";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import { GasEstimates } from "../quote/GasEstimates.ts";
import { QuoteLabels } from "../quote/QuoteLabels.ts";
import { AddressTexts } from "./AddressTexts.ts";
import { chainAccess } from "./chainAccess.ts";
import { checkRouters } from "./checkRouters.ts";
import { DexPools } from "./DexPools.ts";
import { NetworkRouters } from "./NetworkRouters.ts";
import type { OpenSource } from "./openSource.ts";
import { routerTable } from "./routerTable.ts";
import { addressSet } from "./withoutTokens.ts";

/** A network's market, open: what requests are answered from. */
export interface OpenMarket {
  readonly engine: Engine["Service"];
  readonly data: MarketData;
  readonly texts: AddressTexts;
  readonly labels: QuoteLabels;
  readonly dexPools: DexPools;
  readonly gasEstimates: GasEstimates;
  /** Undefined without a wrapped native token. */
  readonly routers: NetworkRouters | undefined;
  /** Nodes of the network; undefined where the market comes from elsewhere. */
  readonly chain: ChainAccess | undefined;
  /** The network's own price of gas, where there are nodes. */
  readonly gasPrices: GasPrices | undefined;
  /** What is known of tokens, where there are nodes. */
  readonly verdicts: TokenVerdicts | undefined;
}

/** Where the threads find `protocols`. */
const protocolsModule = new URL(import.meta.resolve("@millrace/protocols"));

/** Opens the market of a source with its first block; follows it until the scope closes. */
export const openMarket = Effect.fnUntraced(function* (
  { config, market: source, chain: follower }: OpenSource,
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
  const chain = follower === undefined ? undefined : chainAccess(follower);
  const table = routerTable(config);
  const barredTokens = addressSet(config.barredTokens);
  const routers = table === undefined ? undefined : new NetworkRouters(table);
  const verdicts =
    chain === undefined || table === undefined
      ? undefined
      : makeTokenVerdicts({
          ...{ engine, table, chain, plainTokens, barredTokens },
          retestMs: config.tokenRetestMs,
        });
  engine.barFromTransit(barredTokens);
  if (chain !== undefined && routers !== undefined) {
    yield* Effect.forkScoped(checkRouters(routers, chain));
  }
  if (verdicts !== undefined) yield* Effect.forkScoped(verdicts.run);
  const labels = new QuoteLabels(
    graph,
    texts,
    isPlain,
    (token) => verdicts?.of(token)?.kind === "plain",
  );
  return {
    engine,
    data,
    texts,
    labels,
    dexPools: new DexPools(graph, onApplied),
    gasEstimates: new GasEstimates(engine, routers),
    routers,
    chain,
    gasPrices: chain === undefined ? undefined : makeGasPrices(gasPriceOptions(config, chain)),
    verdicts,
  } satisfies OpenMarket;
});

function gasPriceOptions({ source, dataFee }: NetworkConfig, chain: ChainAccess): GasPriceOptions {
  return {
    chain,
    ...(dataFee !== undefined && { dataFee }),
    ...(source.kind === "chain" && { blockTimeMs: source.blockTimeMs }),
  };
}

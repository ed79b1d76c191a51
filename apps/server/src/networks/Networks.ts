import { MarketSourceError } from "@millrace/core";
import { Cause, Context, Effect, Layer } from "effect";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { Network } from "./Network.ts";
import { openMarket } from "./openMarket.ts";

/**
 * The networks of the service. They open in the background, each by itself: one that fails is not
 * ready and says why, and the others go on.
 */
export class Networks extends Context.Service<
  Networks,
  {
    readonly all: ReadonlyArray<Network>;
    /** The one that the market-data interface describes. */
    readonly primary: Network;
    /** The network with the id, as written in paths. */
    readonly byId: (id: string) => Network | undefined;
    readonly byChainId: (chainId: number) => Network | undefined;
  }
>()("@millrace/server/Networks") {
  static readonly layer = (configs: ServerConfig["networks"]): Layer.Layer<Networks> =>
    Layer.effect(Networks, open(configs));
}

const open = Effect.fnUntraced(function* (configs: ServerConfig["networks"]) {
  const primary = new Network(configs[0]);
  const all = [primary, ...configs.slice(1).map((config) => new Network(config))];
  for (const network of all) yield* Effect.forkScoped(follow(network));
  const byId = new Map(all.map((network) => [network.config.id, network]));
  const byChainId = new Map(all.map((network) => [network.config.chainId, network]));
  return Networks.of({
    all,
    primary,
    byId: (id) => byId.get(id),
    byChainId: (chainId) => byChainId.get(chainId),
  });
});

/** Opens a network and watches its source until it fails, if ever. */
function follow(network: Network): Effect.Effect<void> {
  const { config } = network;
  const live = Effect.gen(function* () {
    const market = yield* openMarket(config);
    network.opened(market);
    const { graph } = market.engine;
    yield* Effect.logInfo("network ready").pipe(
      Effect.annotateLogs({
        blockNumber: graph.stamp.number,
        pools: graph.livePoolCount,
        tokens: graph.tokenCount,
      }),
    );
    yield* market.engine.sourceFailure;
  });
  return live.pipe(
    Effect.scoped,
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void;
      const error = Cause.squash(cause);
      const failure = error instanceof MarketSourceError ? error : undefined;
      network.failed(failure === undefined ? "the market failed" : `${failure.reason} market`);
      return Effect.annotateLogs(Effect.logError("network failed", cause), {
        reason: failure?.reason,
        source: failure?.source,
        detail: failure?.detail,
      });
    }),
    Effect.annotateLogs({ network: config.id, chainId: config.chainId }),
  );
}

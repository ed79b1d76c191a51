import { MarketSourceError } from "@millrace/core";
import { Cause, Context, Effect, Layer } from "effect";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { isPretty } from "../logging.ts";
import type { BlockSteps } from "./BlockSteps.ts";
import { Network } from "./Network.ts";
import { openNetwork } from "./openNetwork.ts";
import { showProgress } from "./showProgress.ts";
import { watchReadiness } from "./watchReadiness.ts";

type Config = Pick<
  ServerConfig,
  | "networks"
  | "searchWorkers"
  | "dataDirectory"
  | "historyDatabase"
  | "feed"
  | "logFormat"
  | "logLevel"
>;

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
  /** `steps` releases the blocks of recorded markets. */
  static readonly layer = (config: Config, steps?: BlockSteps): Layer.Layer<Networks> =>
    Layer.effect(Networks, open(config, steps));
}

const open = Effect.fnUntraced(function* (config: Config, steps: BlockSteps | undefined) {
  const [first, ...others] = config.networks;
  const primary = new Network(first);
  const all = [primary, ...others.map((other) => new Network(other))];
  for (const network of all) {
    yield* Effect.forkScoped(follow(network, config, steps));
    yield* Effect.forkScoped(named(network, watchReadiness(network)));
  }
  yield* Effect.forkScoped(showProgress(all, isPretty(config) && process.stderr.isTTY));
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
function follow(
  network: Network,
  config: Config,
  steps: BlockSteps | undefined,
): Effect.Effect<void> {
  const live = Effect.gen(function* () {
    const market = yield* openNetwork(network, config, undefined, steps);
    yield* market.engine.sourceFailure;
  });
  return live.pipe(
    Effect.scoped,
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void;
      const error = Cause.squash(cause);
      const failure = error instanceof MarketSourceError ? error : undefined;
      network.failed(
        failure === undefined ? "the market failed" : `${failure.reason} market`,
        failure && `${failure.source}: ${failure.detail}`,
      );
      return Effect.annotateLogs(Effect.logError("network failed", cause), {
        reason: failure?.reason,
        source: failure?.source,
        detail: failure?.detail,
      });
    }),
    (effect) => named(network, effect),
  );
}

const named = <A, E, R>({ config }: Network, effect: Effect.Effect<A, E, R>) =>
  Effect.annotateLogs(effect, { network: config.id, chainId: config.chainId });

import type { MarketSourceError } from "@millrace/core";
import { Effect, type Scope } from "effect";
import { snapshotFolder } from "../config/checkSources.ts";
import type { ServerConfig } from "../config/ServerConfig.ts";
import { openLists } from "../lists/openLists.ts";
import type { BlockSteps } from "./BlockSteps.ts";
import type { Network } from "./Network.ts";
import type { NetworkMarket } from "./NetworkMarket.ts";
import { openNetworkMarket } from "./openNetworkMarket.ts";
import { openSnapshots } from "./openSnapshots.ts";
import { openSource } from "./openSource.ts";

/** Opens a network, until the scope closes: it can answer once nothing stands in the way. */
export const openNetwork: (
  network: Network,
  config: Pick<ServerConfig, "searchWorkers" | "dataDirectory">,
  openTimeoutMs?: number,
  steps?: BlockSteps,
) => Effect.Effect<NetworkMarket, MarketSourceError, Scope.Scope> = Effect.fnUntraced(
  function* (network, config, openTimeoutMs, steps) {
    const lists = yield* openLists(network.config);
    const source = yield* openSource(network.config, {
      openDisk: (chain) => openSnapshots(snapshotFolder(config, chain)),
      onProgress: (progress) => network.progressed(progress),
      steps,
    });
    network.connected(source);
    const market = yield* openNetworkMarket(source, lists, config.searchWorkers, openTimeoutMs);
    network.opened(market);
    return market;
  },
);

import { join } from "node:path";
import type { MarketSourceError } from "@millrace/core";
import { Effect, type Scope } from "effect";
import { snapshotFolder } from "../config/checkSources.ts";
import type { NetworkConfig, ServerConfig } from "../config/ServerConfig.ts";
import { type NetworkHistory, openHistory } from "../history/NetworkHistory.ts";
import { openLists } from "../lists/openLists.ts";
import type { BlockSteps } from "./BlockSteps.ts";
import type { Network } from "./Network.ts";
import type { NetworkMarket } from "./NetworkMarket.ts";
import { openNetworkMarket } from "./openNetworkMarket.ts";
import { openSnapshots } from "./openSnapshots.ts";
import { isShared, openSource } from "./openSource.ts";

/** Opens a network, until the scope closes: it can answer once it has no obstacle. */
export const openNetwork: (
  network: Network,
  config: Pick<ServerConfig, "searchWorkers" | "dataDirectory" | "historyDatabase" | "feed">,
  openTimeoutMs?: number,
  steps?: BlockSteps,
) => Effect.Effect<NetworkMarket, MarketSourceError, Scope.Scope> = Effect.fnUntraced(
  function* (network, config, openTimeoutMs, steps) {
    const feed = config.feed && { config: config.feed };
    const lists = yield* openLists(network.config);
    const source = yield* openSource(network.config, {
      openDisk: (chain) => openSnapshots(snapshotFolder(config, chain)),
      openHistory: (opened) =>
        // The leader of the feed publishes its blocks: no single server keeps them.
        feed !== undefined && isShared(opened)
          ? Effect.undefined
          : historyOf(config, opened, network.isDevnet),
      feed,
      onProgress: (progress) => network.progressed(progress),
      steps,
    });
    network.connected(source);
    const market = yield* openNetworkMarket(source, lists, config.searchWorkers, openTimeoutMs);
    network.opened(market);
    return market;
  },
);

/** A devnet that starts has no history yet: a file that exists is of another devnet. */
function historyOf(
  config: Pick<ServerConfig, "dataDirectory" | "historyDatabase">,
  network: NetworkConfig,
  isNew: boolean,
): Effect.Effect<NetworkHistory | undefined, never, Scope.Scope> {
  const { chainId, history } = network;
  if (history.days === 0) return Effect.undefined;
  const { historyDatabase: url } = config;
  if (url !== undefined && !isNew) return openHistory({ kind: "database", url, chainId }, network);
  const folder = isNew ? devnetFolder(config, network) : snapshotFolder(config, network);
  if (folder === undefined) return Effect.undefined;
  const path = join(folder, `history-${chainId}.sqlite`);
  return openHistory({ kind: "file", path, chainId, isNew }, network);
}

const devnetFolder = (
  { dataDirectory }: Pick<ServerConfig, "dataDirectory">,
  { id }: NetworkConfig,
) => (dataDirectory === undefined ? undefined : join(dataDirectory, id));

import { GraphReaders } from "@millrace/core";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import type { Network } from "../networks/Network.ts";
import type { NetworkState } from "./messages.ts";
import type { ServingThread } from "./ServingThread.ts";

/** Interval of looks at the state of a network beside its blocks. */
const LOOK_MS = 25;

/** Keeps serving threads up to date about one network. */
export class NetworkStates {
  readonly #network: Network;
  readonly #threads: () => Iterable<ServingThread>;
  readonly #timer: NodeJS.Timeout;
  #posted = "";
  #postedConfig: NetworkConfig | undefined;
  #postedVerdicts = 0;
  #readers: GraphReaders | undefined;

  constructor(network: Network, threads: () => Iterable<ServingThread>) {
    this.#network = network;
    this.#threads = threads;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Tells a new thread all that is known. */
  tellAll(thread: ServingThread): void {
    const readers = this.#readers;
    // If this look opens readers, all threads learn of them, including this one.
    this.#look();
    thread.tellState(stateOf(this.#network));
    this.#tellVerdicts(thread);
    if (readers !== undefined) thread.follow(this.#id, readers);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#readers?.close();
  }

  get #id(): string {
    return this.#network.config.id;
  }

  #look(): void {
    const state = stateOf(this.#network);
    const text = JSON.stringify({ ...state, config: undefined });
    const { config, market } = this.#network;
    // A devnet gets a new configuration once it runs.
    if (text !== this.#posted || config !== this.#postedConfig) {
      this.#posted = text;
      this.#postedConfig = config;
      for (const thread of this.#threads()) thread.tellState(state);
    }
    const verdictsVersion = market?.verdicts?.version() ?? 0;
    if (verdictsVersion !== this.#postedVerdicts) {
      this.#postedVerdicts = verdictsVersion;
      for (const thread of this.#threads()) this.#tellVerdicts(thread);
    }
    if (market === undefined || this.#readers !== undefined) return;
    this.#readers = new GraphReaders(market.engine.graph);
    for (const thread of this.#threads()) thread.follow(this.#id, this.#readers);
  }

  #tellVerdicts(thread: ServingThread): void {
    const verdicts = this.#network.market?.verdicts?.all();
    if (verdicts !== undefined) thread.tellVerdicts(this.#id, [...verdicts]);
  }
}

function stateOf({ config, market, standing }: Network): NetworkState {
  const { routers } = market ?? {};
  return {
    ...standing,
    config: sharedConfig(config),
    isGenerated: config.source.kind === "generated",
    hasNodes: market?.chain !== undefined,
    hasSearchThreads: market?.engine.workers !== undefined,
    routerObstacles: (routers?.names ?? []).map((name) => [name, routers!.obstacle(name)]),
  };
}

const sharedConfig = ({
  chainId,
  gasLimit,
  headAgeLimitMs,
  id,
  plainTokens,
  routers,
  wrappedNative,
}: NetworkConfig): NetworkState["config"] => ({
  ...{ chainId, gasLimit, headAgeLimitMs, id, plainTokens, routers },
  ...(wrappedNative !== undefined && { wrappedNative }),
});

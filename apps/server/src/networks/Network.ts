import type { ChainStatus, Progress } from "@millrace/chain";
import type { HistoryStatus } from "@millrace/core";
import type { FeedStatus } from "@millrace/feed";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import { NO_HISTORY } from "./followHistory.ts";
import type { NetworkMarket } from "./NetworkMarket.ts";
import type { NetworkSource } from "./NetworkSource.ts";
import { type NetworkStanding, obstacleOf } from "./obstacleOf.ts";
import type { DevnetAccess } from "./openDevnet.ts";

const COUNTED_MS = 1_000;
const FINE: NetworkStanding = { reason: undefined, isCutOff: false };

/** A configured network, whether its market is open or not. */
export class Network {
  readonly isDevnet: boolean;
  #config: NetworkConfig;
  #source: NetworkSource | undefined;
  #market: NetworkMarket | undefined;
  #failure: { readonly reason: string; readonly detail: string } | undefined;
  #progress: Progress | undefined;
  #dexes: { readonly atMs: number; readonly statuses: ChainStatus["dexes"] } | undefined;

  constructor(config: NetworkConfig) {
    this.#config = config;
    this.isDevnet = config.source.kind === "devnet";
  }

  /** The configuration; that of a running devnet has what is known only then. */
  get config(): NetworkConfig {
    return this.#config;
  }

  /** The market; undefined until it has been opened. */
  get market(): NetworkMarket | undefined {
    return this.#market;
  }

  /** The status of the chain's follower; undefined for markets from elsewhere. */
  get chainStatus(): ChainStatus | undefined {
    return this.#source?.chain?.status();
  }

  /** The status of its feed; undefined where it has none. */
  get feedStatus(): FeedStatus | undefined {
    return this.#source?.feed?.status();
  }

  /** How its users reach a devnet; undefined until it runs, and for every other network. */
  get devnet(): DevnetAccess | undefined {
    return this.#source?.devnet;
  }

  /**
   * What became of the pools of each DEX, at most a second old: counting very many pools takes
   * time. Undefined for markets from elsewhere.
   */
  dexStatuses(nowMs: number): ChainStatus["dexes"] | undefined {
    if (this.#dexes === undefined || nowMs - this.#dexes.atMs >= COUNTED_MS) {
      const statuses = this.chainStatus?.dexes;
      this.#dexes = statuses && { atMs: nowMs, statuses };
    }
    return this.#dexes?.statuses;
  }

  /** How much of the past the market has; undefined where it follows no chain. */
  get history(): HistoryStatus | undefined {
    if (this.#source?.chain === undefined) return undefined;
    return this.#market?.history?.() ?? NO_HISTORY;
  }

  /** The progress of the long step that the network is at. */
  get progress(): Progress | undefined {
    return this.#progress;
  }

  progressed(progress: Progress): void {
    this.#progress = progress.done < progress.total ? progress : undefined;
  }

  /** Its source is there; the market comes with the first block. */
  connected(source: NetworkSource): void {
    this.#config = source.config;
    this.#source = source;
  }

  opened(market: NetworkMarket): void {
    this.#market = market;
  }

  failed(reason: string, detail = reason): void {
    this.#failure = { reason, detail };
  }

  /** The full reason why it can never answer: for its operator, not for its clients. */
  get failure(): string | undefined {
    return this.#failure?.detail;
  }

  /** Why the network cannot answer now; undefined when it can. */
  obstacle(nowMs: number): string | undefined {
    const reason = this.#reason;
    const ageMs = this.headAgeMs(nowMs);
    const { headAgeLimitMs } = this.config;
    // Each quote asks this: where nothing is wrong, the endpoints are not looked at.
    if (reason === undefined && obstacleOf(FINE, ageMs, headAgeLimitMs) === undefined) return;
    return obstacleOf(this.standing, ageMs, headAgeLimitMs);
  }

  /** The obstacle in words that do not change while its reason lasts: they give no times. */
  lastingObstacle(nowMs: number): string | undefined {
    const { headAgeLimitMs } = this.config;
    const ofAge = (_: number, limitMs: number) => `the newest block is older than ${limitMs} ms`;
    return obstacleOf(this.standing, this.headAgeMs(nowMs), headAgeLimitMs, ofAge);
  }

  /** The parts of an obstacle that do not depend on time. */
  get standing(): NetworkStanding {
    const isCutOff = this.chainStatus?.endpoints.every(({ healthy }) => !healthy) ?? false;
    return { reason: this.#reason, isCutOff };
  }

  get #reason(): string | undefined {
    return this.#failure?.reason ?? this.#source?.market.obstacle?.();
  }

  /** Age of the newest block's timestamp; undefined before there is one. */
  headAgeMs(nowMs: number): number | undefined {
    const market = this.#market;
    if (market === undefined) return undefined;
    return Math.max(0, nowMs - market.engine.graph.stamp.timestampMs);
  }
}

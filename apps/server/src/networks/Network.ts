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

  /** As configured; of a devnet, once it runs, with what is known only then. */
  get config(): NetworkConfig {
    return this.#config;
  }

  /** The market, as far as it was ever opened. */
  get market(): NetworkMarket | undefined {
    return this.#market;
  }

  /** What following the chain counts; undefined for markets from elsewhere. */
  get chainStatus(): ChainStatus | undefined {
    return this.#source?.chain?.status();
  }

  /** How it stands to its feed; undefined where it has none. */
  get feedStatus(): FeedStatus | undefined {
    return this.#source?.feed?.status();
  }

  /** How its users reach a devnet; undefined until it runs, and for every other network. */
  get devnet(): DevnetAccess | undefined {
    return this.#source?.devnet;
  }

  /**
   * What became of the pools of each DEX, as of a second ago at most: there may be very many to
   * count. Undefined for markets from elsewhere.
   */
  dexStatuses(nowMs: number): ChainStatus["dexes"] | undefined {
    if (this.#dexes === undefined || nowMs - this.#dexes.atMs >= COUNTED_MS) {
      const statuses = this.chainStatus?.dexes;
      this.#dexes = statuses && { atMs: nowMs, statuses };
    }
    return this.#dexes?.statuses;
  }

  /** How far its past is in the market; undefined where there is none. */
  get history(): HistoryStatus | undefined {
    if (this.#source?.chain === undefined) return undefined;
    return this.#market?.history?.() ?? NO_HISTORY;
  }

  /** How far the long step has come that the network is at. */
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

  /** All that is known of why it cannot ever answer: for its owner, not for its clients. */
  get failure(): string | undefined {
    return this.#failure?.detail;
  }

  /** Why the network cannot answer now; undefined when it can. */
  obstacle(nowMs: number): string | undefined {
    const reason = this.#reason;
    const ageMs = this.headAgeMs(nowMs);
    const { headAgeLimitMs } = this.config;
    // Asked for each quote, where endpoints are many and nothing is the matter.
    if (reason === undefined && obstacleOf(FINE, ageMs, headAgeLimitMs) === undefined) return;
    return obstacleOf(this.standing, ageMs, headAgeLimitMs);
  }

  /** The same in words that last as long as the reason does: they do not tell the time. */
  lastingObstacle(nowMs: number): string | undefined {
    const { headAgeLimitMs } = this.config;
    const ofAge = (_: number, limitMs: number) => `the newest block is older than ${limitMs} ms`;
    return obstacleOf(this.standing, this.headAgeMs(nowMs), headAgeLimitMs, ofAge);
  }

  /** What of an obstacle does not come with time. */
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

import type { NetworkConfig } from "../config/ServerConfig.ts";
import type { OpenMarket } from "./openMarket.ts";

/** A configured network, whether its market is open or not. */
export class Network {
  readonly config: NetworkConfig;
  #market: OpenMarket | undefined;
  #obstacle: string | undefined = "starting";

  constructor(config: NetworkConfig) {
    this.config = config;
  }

  /** The market, as far as it was ever opened. */
  get market(): OpenMarket | undefined {
    return this.#market;
  }

  opened(market: OpenMarket): void {
    this.#market = market;
    this.#obstacle = undefined;
  }

  failed(reason: string): void {
    this.#obstacle = reason;
  }

  /** Why the network cannot answer now; undefined when it can. */
  obstacle(nowMs: number): string | undefined {
    if (this.#obstacle !== undefined) return this.#obstacle;
    const { headAgeLimitMs } = this.config;
    if (headAgeLimitMs === null) return undefined;
    const ageMs = this.headAgeMs(nowMs) ?? 0;
    return ageMs <= headAgeLimitMs ? undefined : `the newest block is ${ageMs} ms old`;
  }

  /** Age of the newest block's timestamp; undefined before there is one. */
  headAgeMs(nowMs: number): number | undefined {
    const market = this.#market;
    if (market === undefined) return undefined;
    return Math.max(0, nowMs - market.engine.graph.stamp.timestampMs);
  }
}

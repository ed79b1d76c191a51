import type { EndpointStatus } from "./rpc/Endpoints.ts";

/** The state of a chain source. */
export interface ChainStatus {
  readonly headNumber: number | undefined;
  readonly endpoints: ReadonlyArray<EndpointStatus>;
  /** In their configured order; counted on each access. */
  readonly dexes: ReadonlyArray<DexStatus>;
  readonly discoveredPools: number;
  readonly loadedPools: number;
  /** Admitted, and not yet read. */
  readonly waitingPools: number;
  readonly reorganisations: number;
  /** How often the market was read anew, as a reorganisation was too deep or a gap too long. */
  readonly resynchronisations: number;
  readonly auditedPools: number;
  /** Pools whose state differed from the chain's, as an audit or their own logs showed. */
  readonly driftedPools: number;
  /** Swaps that the chain quoted, for comparison. */
  readonly auditedQuotes: number;
  /**
   * Swaps whose answer differed from the quote here. Each pool is left out for good, unless the
   * quoter turns out to be at fault.
   */
  readonly differingQuotes: number;
  /** DEXes whose quoter is no longer asked: it differed for several pools and agreed for none. */
  readonly refusedQuoters: ReadonlyArray<string>;
  /** Block of the newest snapshot on disk that this process wrote. */
  readonly savedBlock: number | undefined;
  /** Defects of this package that the source survived; each is in the log. */
  readonly defects: number;
}

/** What became of the pools of a DEX. */
export interface DexStatus {
  readonly dexId: string;
  /** Pools that could be loaded, judging by their creation. */
  readonly discoveredPools: number;
  readonly loadedPools: number;
  /** Pools not looked at yet, or admitted and not read yet. */
  readonly waitingPools: number;
  /** Not deep enough to be loaded. */
  readonly shallowPools: number;
  /** All other pools that are not loaded, by reason: refused at their creation, or since. */
  readonly refused: ReadonlyArray<RefusedPools>;
}

export interface RefusedPools {
  /** One of a few texts, such as `a dynamic fee`. */
  readonly reason: string;
  readonly count: number;
}

import type { EndpointStatus } from "./rpc/Endpoints.ts";

/** How a chain source stands. */
export interface ChainStatus {
  readonly headNumber: number | undefined;
  readonly endpoints: ReadonlyArray<EndpointStatus>;
  /** In their configured order; counted when it is asked for. */
  readonly dexes: ReadonlyArray<DexStatus>;
  readonly discoveredPools: number;
  readonly loadedPools: number;
  /** Admitted, and not yet read. */
  readonly waitingPools: number;
  readonly reorganisations: number;
  /** Times that the market was read anew, since a reorganisation was too deep or a gap too long. */
  readonly resynchronisations: number;
  readonly auditedPools: number;
  /** Pools that were not as the chain had them, by audit or by their own logs. */
  readonly driftedPools: number;
  /** Swaps that the chain was asked for, to compare what they give. */
  readonly auditedQuotes: number;
  /**
   * Of these, answers that were not what is quoted here: each pool is left out for good, unless it
   * turns out that it is the quoter's fault.
   */
  readonly differingQuotes: number;
  /** DEXes whose quoter is not asked any more: it differed of several pools, and agreed of none. */
  readonly refusedQuoters: ReadonlyArray<string>;
  /** Block of the newest snapshot on disk that this process wrote. */
  readonly savedBlock: number | undefined;
  /** Faults of this package that were survived; each is in the log. */
  readonly defects: number;
}

/** What became of the pools that a DEX has created. */
export interface DexStatus {
  readonly dexId: string;
  /** Those that could be loaded, by what their creation told. */
  readonly discoveredPools: number;
  readonly loadedPools: number;
  /** To be looked at, or admitted and not yet read. */
  readonly waitingPools: number;
  /** Not deep enough to be loaded. */
  readonly shallowPools: number;
  /** All others that are not loaded, by reason: at their creation, or since. */
  readonly refused: ReadonlyArray<RefusedPools>;
}

export interface RefusedPools {
  /** One of a few texts, as `a dynamic fee`. */
  readonly reason: string;
  readonly count: number;
}

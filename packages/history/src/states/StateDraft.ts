import type {
  Address,
  BlockStamp,
  Dex,
  MarketBlock,
  PoolListing,
  PoolState,
  TokenListing,
} from "@millrace/core";

/**
 * The changes of a market, merged: each of its parts as last published. Addresses are in lower
 * case.
 */
export class StateDraft {
  readonly dexes = new Map<string, Dex>();
  readonly tokens = new Map<Address, TokenListing>();
  readonly supplies = new Map<Address, bigint | undefined>();
  readonly removedPools = new Set<Address>();
  /** New pools, added after the removals. */
  readonly pools = new Map<Address, PoolListing>();
  readonly states = new Map<Address, PoolState>();
  /** All excluded tokens; undefined where they have not changed. */
  excluded: ReadonlySet<Address> | undefined;

  remove(pool: Address): void {
    this.pools.delete(pool);
    this.states.delete(pool);
    this.removedPools.add(pool);
  }

  addPool(listing: PoolListing): void {
    this.pools.set(listing.address, listing);
  }

  /** A state without a book keeps the pool's known book. */
  setState(pool: Address, state: PoolState): void {
    const book = state.book ?? this.states.get(pool)?.book;
    this.states.set(pool, book === undefined ? state : { words: state.words, book });
  }

  /** Adds a later draft to this one. */
  add(later: StateDraft): void {
    for (const [id, dex] of later.dexes) this.dexes.set(id, dex);
    for (const [address, token] of later.tokens) this.tokens.set(address, token);
    for (const [address, supply] of later.supplies) this.supplies.set(address, supply);
    for (const pool of later.removedPools) this.remove(pool);
    for (const listing of later.pools.values()) this.addPool(listing);
    for (const [pool, state] of later.states) this.setState(pool, state);
    this.excluded = later.excluded ?? this.excluded;
  }

  /**
   * The block that applies the draft to a market with these pools. It adds only pools that are not
   * live, and removes only live ones; `live` is updated.
   */
  blockAt(stamp: BlockStamp, live: Set<Address>): MarketBlock {
    const removedPools = [...this.removedPools].filter((pool) => live.delete(pool));
    const pools = [...this.pools.values()].filter(({ address }) => !live.has(address));
    for (const { address } of pools) live.add(address);
    return {
      stamp,
      dexes: [...this.dexes.values()],
      tokens: [...this.tokens.values()],
      pools,
      removedPools,
      states: Array.from(this.states, ([pool, state]) => ({ pool, state })),
      swaps: [],
      ...(this.excluded !== undefined && { excludedFromTransit: this.excluded }),
      supplies: Array.from(this.supplies, ([token, totalSupply]) => ({ token, totalSupply })),
    };
  }
}

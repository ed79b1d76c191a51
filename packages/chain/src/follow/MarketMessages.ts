import type {
  Address,
  MarketBlock,
  PoolListing,
  PoolStateChange,
  TokenListing,
} from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { TokenProblem } from "../reading/readTokens.ts";
import type { Dexes } from "./Dexes.ts";
import type { FollowedPool } from "./FollowedPool.ts";
import type { Header } from "./Header.ts";

/** The current market; messages bring their reader's knowledge up to it. */
export interface MirroredMarket {
  readonly head: Header | undefined;
  readonly pools: ReadonlyMap<Address, FollowedPool>;
  readonly tokens: ReadonlyMap<Address, TokenListing | TokenProblem>;
}

/**
 * Remembers as *touched* each pool that has changed since the last message, with what the reader
 * knows of it. Each message turns that into the current state, whatever happened in between,
 * including a reorganisation.
 */
export class MarketMessages {
  readonly #market: MirroredMarket;
  readonly #dexes: Dexes;
  #hasListedDexes = false;
  /** What the reader knows of every pool that has changed since. */
  readonly #touched = new Map<Address, FollowedPool | undefined>();
  readonly #listedTokens = new Map<Address, TokenListing>();
  #orphaned: Hex[] = [];

  constructor(market: MirroredMarket, dexes: Dexes) {
    this.#market = market;
    this.#dexes = dexes;
  }

  /** A pool is about to change; `former` is what it was. */
  touch(address: Address, former: FollowedPool | undefined): void {
    if (!this.#touched.has(address)) this.#touched.set(address, former);
  }

  /** Blocks that the reader knows have left the chain. */
  orphan(hashes: ReadonlyArray<Hex>): void {
    this.#orphaned.push(...hashes);
  }

  /** The message that brings the reader to the market at the head. */
  next(news: Partial<Pick<MarketBlock, "swaps" | "supplies" | "history">>): MarketBlock {
    const { number, hash, timestampMs } = this.#market.head!;
    const removedPools: Address[] = [];
    const pools: PoolListing[] = [];
    const states: PoolStateChange[] = [];
    for (const [address, known] of this.#touched) {
      const now = this.#market.pools.get(address);
      const isSamePool = known?.listing === now?.listing;
      if (known !== undefined && !isSamePool) removedPools.push(address);
      if (now === undefined || (isSamePool && now.state === known?.state)) continue;
      if (!isSamePool) pools.push(now.listing);
      const { words, book } = now.state;
      const keepsBook = book === undefined || (isSamePool && book === known?.state.book);
      states.push({ pool: address, state: keepsBook ? { words } : { words, book } });
    }
    this.#touched.clear();
    const block: MarketBlock = {
      stamp: { number, hash, timestampMs },
      orphaned: this.#orphaned,
      dexes: this.#hasListedDexes ? [] : this.#dexes.listings,
      tokens: this.#newTokens(pools),
      pools,
      removedPools,
      states,
      swaps: [],
      supplies: [],
      ...news,
    };
    this.#hasListedDexes = true;
    this.#orphaned = [];
    return block;
  }

  #newTokens(pools: ReadonlyArray<PoolListing>): TokenListing[] {
    const tokens: TokenListing[] = [];
    for (const address of pools.flatMap((pool) => pool.tokens)) {
      const token = this.#market.tokens.get(address) as TokenListing;
      if (this.#listedTokens.get(address) === token) continue;
      this.#listedTokens.set(address, token);
      tokens.push(token);
    }
    return tokens;
  }
}

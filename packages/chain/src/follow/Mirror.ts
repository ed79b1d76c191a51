import type {
  Address,
  MarketBlock,
  PoolListing,
  PoolStateChange,
  SwapEvent,
  TokenListing,
  TokenSupply,
} from "@millrace/core";
import {
  type ChainLog,
  type FollowedDex,
  type Hex,
  IMPOSSIBLE,
  type NewPool,
} from "@millrace/protocols";
import { inBatches } from "../history/inBatches.ts";
import { PublishedBlocks } from "../history/PublishedBlocks.ts";
import { type DiscoveredPool, isSamePool } from "../reading/DiscoveredPool.ts";
import type { TokenProblem } from "../reading/readTokens.ts";
import type { Admissions } from "./Admissions.ts";
import type { BlockContent } from "./BlockContent.ts";
import type { Dexes } from "./Dexes.ts";
import type { FollowedPool } from "./FollowedPool.ts";
import type { Header } from "./Header.ts";
import { Journal, type JournalBlock } from "./Journal.ts";
import type { MarketContent, Past, PastPart } from "./MarketContent.ts";
import { swapEvent } from "./swapsIn.ts";

/**
 * The followed pools as of the head, with the journal that reverts blocks. States are never
 * changed, only replaced, so a former market is a matter of references. All methods are
 * synchronous: between two calls the mirror stands at one block.
 *
 * What the market's reader knows of a pool that has changed since is remembered as *touched*: each
 * message turns what it knows into what is, whatever happened in between, a reorganisation
 * included.
 */
export class Mirror {
  readonly pools = new Map<Address, FollowedPool>();
  /** Every pool that was created up to the head, loaded or not. */
  readonly discovered = new Map<Address, DiscoveredPool>();
  readonly tokens = new Map<Address, TokenListing | TokenProblem>();
  readonly journal: Journal;
  /** The blocks whose swaps the market's reader has. */
  readonly published = new PublishedBlocks();
  /** Pools whose logs contradicted their state, since the start. */
  driftCount = 0;
  /** How often the market was begun anew. */
  resetCount = 0;
  readonly #admissions: Admissions;
  readonly #dexes: Dexes;
  #hasListedDexes = false;
  /** What the reader knows of every pool that has changed since. */
  readonly #touched = new Map<Address, FollowedPool | undefined>();
  readonly #listedTokens = new Map<Address, TokenListing>();
  #orphaned: Hex[] = [];

  constructor(options: {
    readonly dexes: Dexes;
    readonly admissions: Admissions;
    readonly journalDepth: number;
  }) {
    this.#dexes = options.dexes;
    this.#admissions = options.admissions;
    this.journal = new Journal(options.journalDepth);
  }

  /** The newest block; undefined until there is a market. */
  get head(): Header | undefined {
    return this.journal.head;
  }

  /** Takes the next block on: its parent is the head. */
  commit({ header, logs, creations, tokens }: BlockContent): MarketBlock {
    const block = this.journal.append(header);
    for (const token of tokens) {
      if (this.tokens.has(token.address)) continue;
      this.tokens.set(token.address, token);
      block.learnedTokens.push(token.address);
    }
    for (const creation of creations) this.#create(block, creation);
    const swaps: SwapEvent[] = [];
    const before = new Map<Address, ChainLog>();
    for (const log of logs) {
      const listing = this.discovered.get(log.address)?.listing;
      if (listing === undefined) continue;
      const effect = this.#apply(block, log);
      // What is not followed, or contradicts what was, has been swapped all the same.
      const swap =
        effect === undefined || effect === IMPOSSIBLE || "refused" in effect
          ? this.#dexes.of(listing).decodeSwap(listing, log, before.get(log.address))
          : effect.swap;
      before.set(log.address, log);
      if (swap !== undefined) swaps.push(swapEvent(listing, log, swap));
    }
    this.journal.trim();
    this.published.followed(header);
    return this.#message({ swaps });
  }

  /** Reverts all blocks after the one with the hash, which the journal holds. */
  rewind(hash: Hex): void {
    while (this.head?.hash !== hash) {
      const block = this.journal.removeNewest();
      for (const [address, former] of block.before) {
        this.#replace(address, former);
        if (former === undefined) this.#admissions.unloaded(address);
      }
      for (const address of block.createdPools) {
        this.discovered.delete(address);
        this.#admissions.settled(address);
      }
      for (const address of block.learnedTokens) this.tokens.delete(address);
    }
    this.#orphaned.push(...this.published.revertAfter(this.head.number));
    this.#admissions.reconsider();
  }

  /**
   * Loads pools as they were read at a block of the journal, brought to the head by the logs since.
   * Undefined when the block is not, or no longer, the head or one before it.
   */
  load(
    hash: Hex,
    tokens: ReadonlyArray<TokenListing | TokenProblem>,
    states: MarketContent["states"],
  ): MarketBlock | undefined {
    const index = this.journal.indexOf(hash);
    if (index === undefined) return undefined;
    const block = this.journal.blocks[index];
    for (const token of tokens) {
      if (this.tokens.has(token.address)) continue;
      this.tokens.set(token.address, token);
      block?.learnedTokens.push(token.address);
    }
    const later = this.journal.blocks.slice(index + 1);
    for (const { pool, state } of states) {
      const listing = this.discovered.get(pool)?.listing;
      if (listing === undefined || this.pools.has(pool) || !this.#isPlayable(listing)) continue;
      // What it was before is not known: reverting the block unloads it.
      block?.before.set(pool, undefined);
      this.#admissions.settled(pool);
      this.#replace(pool, { listing, dex: this.#dexes.of(listing), state });
      for (const after of later) {
        const logs = after.othersLogs.get(pool) ?? [];
        after.othersLogs.delete(pool);
        for (const log of logs) this.#apply(after, log);
      }
    }
    return this.#message({});
  }

  /** Leaves a pool out until it is read anew: what is known of it is not true. */
  unload(address: Address): MarketBlock {
    this.#drop(address);
    return this.#message({});
  }

  /** Tokens that could not be used may be asked again. */
  forgetProblems(): void {
    for (const [address, token] of this.tokens) if ("problem" in token) this.tokens.delete(address);
  }

  /** The message that says how much there is of tokens. */
  supply(supplies: ReadonlyArray<TokenSupply>): MarketBlock {
    return this.#message({ supplies });
  }

  /**
   * Publishes the swaps of the upper part of a gap below the head, in messages of bounded size. The
   * part has to be of the chain that is followed.
   */
  publishPast({ range, blocks }: PastPart): MarketBlock[] {
    const known = blocks.map(({ stamp: { number, hash } }) => ({ number, hash }));
    this.published.filled(range, known.reverse());
    return inBatches(blocks).map((history) => this.#message({ history }));
  }

  /** Starts anew from a market that was read whole; the past is that of its block. */
  reset(
    { header, discovered, tokens, states }: MarketContent,
    { keptTo, checkpoints, known = [] }: Past,
  ): MarketBlock {
    this.resetCount++;
    this.#orphaned.push(...this.published.revertAfter(keptTo));
    this.published.stoodAt(header);
    for (const { range, blocks } of known) this.published.filled(range, blocks);
    this.journal.startAt(header, checkpoints);
    this.#admissions.clear();
    const former = new Map(this.discovered);
    this.discovered.clear();
    for (const pool of discovered) {
      const { address } = pool.listing;
      const known = former.get(address);
      // The same listing as before is no new pool to the reader.
      this.discovered.set(address, known !== undefined && isSamePool(known, pool) ? known : pool);
    }
    this.tokens.clear();
    for (const token of tokens) this.tokens.set(token.address, token);
    for (const address of [...this.pools.keys()]) this.#replace(address, undefined);
    for (const { pool, state } of states) {
      const listing = this.discovered.get(pool)?.listing;
      if (listing === undefined || !this.#isPlayable(listing)) continue;
      this.#replace(pool, { listing, dex: this.#dexes.of(listing), state });
    }
    return this.#message({});
  }

  /** True when all tokens of the pool are known, and sound. */
  #isPlayable(listing: PoolListing): boolean {
    return listing.tokens.every((token) => {
      const known = this.tokens.get(token);
      return known !== undefined && !("problem" in known);
    });
  }

  #create(block: JournalBlock, { listing, created }: NewPool): void {
    const { address } = listing;
    if (this.discovered.has(address)) return;
    this.discovered.set(address, { listing, createdBlock: block.header.number });
    block.createdPools.push(address);
    if (!this.#admissions.loadsAtOnce(address)) this.#admissions.touched(address);
    else if (this.#isPlayable(listing)) {
      this.#keepBefore(block, address);
      this.#replace(address, { listing, dex: this.#dexes.of(listing), state: created! });
    } else this.#admissions.refused(address);
  }

  /** Applies a log to its pool where that is loaded; of any other pool the log is kept. */
  #apply(block: JournalBlock, log: ChainLog): ReturnType<FollowedDex["applyLog"]> {
    const { address } = log;
    const pool = this.pools.get(address);
    if (pool === undefined) {
      this.#admissions.touched(address);
      block.keepLog(log);
      return undefined;
    }
    const effect = pool.dex.applyLog(pool.listing, pool.state, log);
    if (effect === IMPOSSIBLE) {
      this.driftCount++;
      this.#drop(address);
    } else if (effect !== undefined && "state" in effect && effect.state !== pool.state) {
      this.#keepBefore(block, address);
      this.#replace(address, { ...pool, state: effect.state });
    }
    return effect;
  }

  #drop(address: Address): void {
    this.#replace(address, undefined);
    // No former state of it can be trusted either.
    for (const block of this.journal.blocks) block.before.delete(address);
    this.#admissions.unloaded(address);
  }

  #keepBefore(block: JournalBlock, address: Address): void {
    if (!block.before.has(address)) block.before.set(address, this.pools.get(address));
  }

  #replace(address: Address, pool: FollowedPool | undefined): void {
    const former = this.pools.get(address);
    if (!this.#touched.has(address)) this.#touched.set(address, former);
    if (pool === undefined) this.pools.delete(address);
    else this.pools.set(address, pool);
  }

  /** The message that makes what the reader knows the market at the head. */
  #message(news: Partial<Pick<MarketBlock, "swaps" | "supplies" | "history">>): MarketBlock {
    const { number, hash, timestampMs } = this.head!;
    const removedPools: Address[] = [];
    const pools: PoolListing[] = [];
    const states: PoolStateChange[] = [];
    for (const [address, known] of this.#touched) {
      const now = this.pools.get(address);
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
      const token = this.tokens.get(address) as TokenListing;
      if (this.#listedTokens.get(address) === token) continue;
      this.#listedTokens.set(address, token);
      tokens.push(token);
    }
    return tokens;
  }
}

import type {
  Address,
  MarketBlock,
  PoolListing,
  SwapEvent,
  TokenListing,
  TokenSupply,
} from "@millrace/core";
import type { CallAnswer, ChainLog, Hex, NewPool } from "@millrace/protocols";
import { inBatches } from "../history/inBatches.ts";
import { PublishedBlocks } from "../history/PublishedBlocks.ts";
import { type DiscoveredPool, isSamePool } from "../reading/DiscoveredPool.ts";
import type { TokenProblem } from "../reading/readTokens.ts";
import { type Admissions, NOT_LOADABLE } from "./Admissions.ts";
import type { BlockContent } from "./BlockContent.ts";
import type { Dexes } from "./Dexes.ts";
import type { FollowedPool } from "./FollowedPool.ts";
import type { Header } from "./Header.ts";
import { Journal, type JournalBlock } from "./Journal.ts";
import { LoadedPools } from "./LoadedPools.ts";
import type { MarketContent, Past, PastPart } from "./MarketContent.ts";
import { MarketMessages } from "./MarketMessages.ts";
import { Refusals } from "./Refusals.ts";
import type { PoolsRead } from "./readPools.ts";
import { swapEvent } from "./swapsIn.ts";
import { Tally } from "./Tally.ts";

/**
 * The followed pools as of the head, with the journal that reverts blocks. States are never
 * modified, only replaced, so keeping a former market takes only references. All methods are
 * synchronous: between two calls the mirror stands at one block.
 */
export class Mirror {
  readonly loaded: LoadedPools;
  /** Every pool created up to the head, loaded or not, except refused creations. */
  readonly discovered = new Map<Address, DiscoveredPool>();
  readonly discoveredByDex = new Tally();
  readonly tokens = new Map<Address, TokenListing | TokenProblem>();
  readonly journal: Journal;
  /** The blocks whose swaps the market's reader has. */
  readonly published = new PublishedBlocks();
  /** Creations up to the head whose pools are never loaded. */
  refusals = new Refusals();
  /** How often the market was started anew. */
  resetCount = 0;
  readonly #admissions: Admissions;
  readonly #dexes: Dexes;
  readonly #messages: MarketMessages;

  constructor(options: {
    readonly dexes: Dexes;
    readonly admissions: Admissions;
    readonly journalDepth: number;
  }) {
    this.#dexes = options.dexes;
    this.#admissions = options.admissions;
    this.journal = new Journal(options.journalDepth);
    this.#messages = new MarketMessages(this, options.dexes);
    this.loaded = new LoadedPools(options.admissions, this.journal, (address, former) =>
      this.#messages.touch(address, former),
    );
  }

  /** The loaded pools as of the head. */
  get pools(): ReadonlyMap<Address, FollowedPool> {
    return this.loaded.all;
  }

  /** The newest block; undefined until there is a market. */
  get head(): Header | undefined {
    return this.journal.head;
  }

  /** Appends the next block, whose parent is the head. */
  commit({ header, logs, creations, refused, tokens, readings }: BlockContent): MarketBlock {
    const block = this.journal.append(header);
    this.#learn(block, tokens);
    for (const refusal of refused) this.refusals.add(refusal);
    // Pools that are read again at the end of the block.
    const due = new Set<Address>();
    // Value: the log that created the pool. Earlier logs of the block do not concern it.
    const createdBy = new Map<Address, number>();
    for (const creation of creations) {
      const { address } = creation.listing;
      if (!this.discovered.has(address)) createdBy.set(address, creation.logIndex);
      this.#create(block, creation, due);
    }
    const swaps: SwapEvent[] = [];
    const before = new Map<Address, ChainLog>();
    for (const log of logs) {
      for (const { dex, listing } of this.#dexes.subjectsOf(log, this.discovered)) {
        if (listing === undefined) {
          // The reason to refuse other pools may be over.
          this.#admissions.reconsider((pool) => this.#isOf(pool, dex.dex.id));
          const isLater = (pool: Address) => (createdBy.get(pool) ?? -1) > log.logIndex;
          this.loaded.applyToAll(block, dex, log, due, isLater);
          continue;
        }
        const effect = this.loaded.apply(block, listing, log, due);
        // A swap counts even where the pool is not loaded, or its log contradicts the state.
        const swap =
          effect === undefined
            ? dex.decodeSwap(listing, log, before.get(listing.address))
            : effect.swap;
        before.set(listing.address, log);
        if (swap !== undefined) swaps.push(swapEvent(dex, listing, log, swap));
      }
    }
    const reread = [...due].map((address) => this.#unread(address));
    this.loaded.takeReadings(block, reread, readings);
    this.journal.trim();
    this.published.followed(header);
    return this.#messages.next({ swaps });
  }

  /** Reverts all blocks after the one with the hash, which must be in the journal. */
  rewind(hash: Hex): void {
    while (this.head?.hash !== hash) {
      const block = this.journal.removeNewest();
      for (const [address, former] of block.before) {
        this.loaded.replace(address, former);
        if (former === undefined) this.#admissions.unloaded(address);
        else this.#admissions.settled(address);
      }
      for (const address of block.createdPools) {
        this.discoveredByDex.count(this.discovered.get(address)!.listing.dexId, -1);
        this.discovered.delete(address);
        this.#admissions.settled(address);
      }
      for (const address of block.learnedTokens) this.tokens.delete(address);
    }
    this.refusals.removeAfter(this.head.number);
    this.#messages.orphan(this.published.revertAfter(this.head.number));
    this.#admissions.reconsider();
  }

  /**
   * Loads pools as read at a block of the journal, and brings them to the head by their logs since;
   * pools that change without logs need `answers` at the head. Pools that cannot be brought to the
   * head stay waiting. Undefined when the block is not, or no longer, in the journal.
   */
  load(
    hash: Hex,
    { tokens, states, refused }: Pick<PoolsRead, "tokens" | "states" | "refused">,
    answers: HeadAnswers = NO_ANSWERS,
  ): MarketBlock | undefined {
    const index = this.journal.indexOf(hash);
    if (index === undefined) return undefined;
    const block = this.journal.blocks[index];
    this.#learn(block, tokens);
    const later = this.journal.blocks.slice(index + 1);
    for (const { pool, state } of states) {
      const listing = this.discovered.get(pool)?.listing;
      if (listing === undefined || this.pools.has(pool) || !this.#isPlayable(listing)) continue;
      if (this.#admissions.isBarred(pool)) continue;
      const atHead = answers.hash === this.head!.hash ? answers.byPool.get(pool) : undefined;
      this.loaded.load({ ...this.#unread(pool), state }, block, later, atHead);
    }
    for (const [pool, reason] of refused) {
      // The reason for refusing the pool may be over since.
      const isOver = later.some(({ changedDexes }) =>
        [...changedDexes].some((dexId) => this.#isOf(pool, dexId)),
      );
      if (!isOver) this.#admissions.refused(pool, reason);
    }
    return this.#messages.next({});
  }

  /** Leaves a pool out until it is read anew: its known state is wrong. */
  unload(address: Address): MarketBlock {
    this.loaded.drop(address);
    return this.#messages.next({});
  }

  /** Leaves a pool out for good. */
  bar(address: Address, reason: string): MarketBlock {
    this.loaded.drop(address);
    this.#admissions.barred(address, reason);
    return this.#messages.next({});
  }

  /** Forgets tokens that could not be used, so that they are asked again. */
  forgetProblems(): void {
    for (const [address, token] of this.tokens) if ("problem" in token) this.tokens.delete(address);
  }

  /** The message with total supplies of tokens. */
  supply(supplies: ReadonlyArray<TokenSupply>): MarketBlock {
    return this.#messages.next({ supplies });
  }

  /**
   * Publishes the swaps of the upper part of a gap below the head, in messages of bounded size. The
   * part must belong to the followed chain.
   */
  publishPast({ range, blocks }: PastPart): MarketBlock[] {
    const known = blocks.map(({ stamp: { number, hash } }) => ({ number, hash }));
    this.published.filled(range, known.reverse());
    return inBatches(blocks).map((history) => this.#messages.next({ history }));
  }

  /** Starts anew from a market that was read whole; the past is that of its block. */
  reset(
    { header, discovered, refusals, tokens, states }: MarketContent,
    { keptTo, checkpoints, known = [] }: Past,
  ): MarketBlock {
    this.resetCount++;
    this.#messages.orphan(this.published.revertAfter(keptTo));
    this.published.stoodAt(header);
    for (const { range, blocks } of known) this.published.filled(range, blocks);
    this.journal.startAt(header, checkpoints);
    this.refusals = refusals;
    const former = new Map(this.discovered);
    this.discovered.clear();
    this.discoveredByDex.clear();
    for (const pool of discovered) {
      const { address } = pool.listing;
      const known = former.get(address);
      // The same listing object is no new pool to the reader.
      this.discovered.set(address, known !== undefined && isSamePool(known, pool) ? known : pool);
      this.discoveredByDex.count(pool.listing.dexId, 1);
    }
    this.#admissions.clear((pool) => this.discovered.has(pool));
    this.tokens.clear();
    for (const token of tokens) this.tokens.set(token.address, token);
    for (const address of [...this.pools.keys()]) this.loaded.replace(address, undefined);
    for (const { pool, state } of states) {
      const listing = this.discovered.get(pool)?.listing;
      if (listing === undefined || !this.#isPlayable(listing)) continue;
      if (this.#admissions.isBarred(pool)) continue;
      this.loaded.replace(pool, { ...this.#unread(pool), state });
    }
    return this.#messages.next({});
  }

  #isOf(pool: Address, dexId: string): boolean {
    return this.discovered.get(pool)?.listing.dexId === dexId;
  }

  /** True when all tokens of the pool are known and usable. */
  #isPlayable(listing: PoolListing): boolean {
    return listing.tokens.every((token) => {
      const known = this.tokens.get(token);
      return known !== undefined && !("problem" in known);
    });
  }

  #learn(
    block: JournalBlock | undefined,
    tokens: ReadonlyArray<TokenListing | TokenProblem>,
  ): void {
    for (const token of tokens) {
      if (this.tokens.has(token.address)) continue;
      this.tokens.set(token.address, token);
      block?.learnedTokens.push(token.address);
    }
  }

  #create(block: JournalBlock, { listing, created }: NewPool, due: Set<Address>): void {
    const { address } = listing;
    if (this.discovered.has(address)) return;
    this.discovered.set(address, { listing, createdBlock: block.header.number });
    this.discoveredByDex.count(listing.dexId, 1);
    block.createdPools.push(address);
    if (!this.#admissions.loadsAtOnce(address)) this.#admissions.touched(address);
    else if (!this.#isPlayable(listing)) this.#admissions.refused(address, NOT_LOADABLE.token);
    else if (created === undefined) due.add(address);
    else this.loaded.change(block, { ...this.#unread(address), state: created });
  }

  /** A discovered pool without a state. */
  #unread(address: Address): Omit<FollowedPool, "state"> {
    const { listing } = this.discovered.get(address)!;
    return { listing, dex: this.#dexes.of(listing) };
  }
}

/** Answers to `FollowedDex.eachBlock` at a block. */
export interface HeadAnswers {
  readonly hash: Hex | undefined;
  readonly byPool: ReadonlyMap<Address, ReadonlyArray<CallAnswer>>;
}

const NO_ANSWERS: HeadAnswers = { hash: undefined, byPool: new Map() };

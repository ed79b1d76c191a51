import type { Address, PoolListing, PoolState, TokenPosition } from "@millrace/core";
import type { Schema } from "effect";

/** How a kind of pools shows itself on a chain, whichever DEX's they are. */
export interface ChainProtocol {
  /** `Protocol.name` of the protocol. */
  readonly name: string;
  /** What a DEX of it is configured with beside what every one is: `ChainDex`, and these keys. */
  readonly settings: Schema.Struct.Fields;
  /**
   * Binds it to a DEX. Throws for settings that are none. Pools of the native token itself are
   * listed with `wrappedNative` in its place, which is exchanged for it one for one; without it,
   * with a token of its own.
   */
  readonly open: (dex: ChainDex, wrappedNative?: Address) => FollowedDex;
}

/**
 * A DEX as it shows itself on a chain: the logs that create and change its pools, and the calls
 * that read them. Pure functions: they decode what a stranger wrote, and never throw for it.
 */
export interface FollowedDex {
  readonly dex: ChainDex;

  // -- pools come ------------------------------------------------------------------------------
  /** First topics of the logs of `dex.factory` that tell of a new pool. */
  readonly creationTopics: ReadonlyArray<Hex>;
  /**
   * What a log tells of a new pool; undefined when it is none of `creationTopics`, malformed, or
   * not the factory's, or its pool is not where the factory would have put it.
   */
  readonly decodeCreation: (log: ChainLog) => Creation | undefined;
  /**
   * Which of its factory's pools a log of `creationTopics` tells of, counted from 1; undefined, or
   * without this function, where factories don't count. A number left out tells of a missing log.
   */
  readonly creationNumber?: (log: ChainLog) => bigint | undefined;
  /**
   * Pools that no log tells of, since they are configured: as if they had been created, before all
   * others, in `dex.startBlock`. Without it there are none.
   */
  readonly configured?: ReadonlyArray<Creation>;

  // -- they change -----------------------------------------------------------------------------
  /** First topics of all logs by which pools change, or tell of a swap, whoever writes them. */
  readonly poolTopics: ReadonlyArray<Hex>;
  /** Logs of `poolTopics` that other contracts than the pools write; without it there are none. */
  readonly sharedLogs?: SharedLogs;
  /**
   * Whether a log of a pool tells that it has changed, but not to what: it is read again at the
   * block's end, and `applyLog` is not asked. Without this function none does.
   */
  readonly readsAgain?: (log: ChainLog) => boolean;
  /**
   * What a pool's log does: undefined when it is none of `poolTopics`, IMPOSSIBLE when the state
   * cannot have been the pool's, or the log not the protocol's. A pool that is refused leaves the
   * market.
   */
  readonly applyLog: (
    pool: PoolListing,
    state: FollowedState,
    log: ChainLog,
  ) => LogEffect | PoolRefusal | typeof IMPOSSIBLE | undefined;
  /**
   * The swap that a pool's log tells of, without the state: undefined when it tells of none, or is
   * none of the protocol's. `before` is the log of the same pool right before it in its block.
   */
  readonly decodeSwap: (
    pool: PoolListing,
    log: ChainLog,
    before: ChainLog | undefined,
  ) => LoggedSwap | undefined;
  /**
   * Who made a swap, as far as the log that tells of it says: whom the pool paid, or who asked for
   * it. It may be a contract that the swap went through. Without this function no log says so.
   */
  readonly makerIn?: (log: ChainLog) => Address | undefined;
  /** What moves without a log; without it nothing does. */
  readonly eachBlock?: EachBlock;

  // -- they are read ---------------------------------------------------------------------------
  /** The whole state of a pool; undefined when the answers are none that a pool would give. */
  readonly read: (pool: PoolListing) => Asking<FollowedState | PoolRefusal | undefined>;
  /** The calls whose answers `virtualReserves` wants: a shallow read, far cheaper than `read`. */
  readonly shallowRead: (pool: PoolListing) => ReadonlyArray<ChainCall>;
  /**
   * By position, amounts that are worth the same at the pool's price, as many as the x·y = k pool
   * holds that has this one's depth; undefined when it has no price, or the answers are none that a
   * pool would give.
   */
  readonly virtualReserves: (
    pool: PoolListing,
    answers: ReadonlyArray<CallAnswer>,
  ) => ReadonlyArray<bigint> | undefined;
  /**
   * How the chain itself is asked what a swap gives; undefined, or without this function, where no
   * contract says so.
   */
  readonly quoteCall?: (
    pool: PoolListing,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountIn: bigint,
  ) => QuoteCall | undefined;
}

/** What a creation's log tells of: a pool, one to ask the chain about, one not to be loaded. */
export type Creation = NewPool | UnresolvedPool | PoolRefusal;

export interface NewPool {
  readonly listing: PoolListing;
  /** As it is created; undefined where the log does not tell: then it is read. */
  readonly created: FollowedState | undefined;
}

/** What a creation turned out to be. */
export type Resolved = NewPool | ReadonlyArray<NewPool> | PoolRefusal | undefined;

/** A pool whose listing is not all in its log. */
export interface UnresolvedPool {
  /**
   * What else is asked, at some block after the creation; undefined when it makes no sense. Where a
   * log may be of several pools, all of them: each counts once, whatever logs lead to it.
   */
  readonly resolve: () => Asking<Resolved>;
}

/**
 * Why a pool is not loaded, or no longer. Pools are counted by it: it is one of a few texts of the
 * protocol's own, as `a dynamic fee`, without an address or a number in it.
 */
export interface PoolRefusal {
  readonly refused: string;
}

/** Logs of contracts that are no pools: of one that holds them all, the factory, a fee module. */
export interface SharedLogs {
  /** The only ones that are believed; in lower case. */
  readonly contracts: ReadonlyArray<Address>;
  /** The pool that a log of theirs is of, by its key; undefined when it is of none. */
  readonly keyOf: (log: ChainLog) => Address | typeof EVERY_POOL | undefined;
}

/** The log is of all pools of the DEX: `readsAgain` and `applyLog` are asked about each. */
export const EVERY_POOL = "every pool";

/** The state of a pool at the end of each block, as far as no log tells. */
export interface EachBlock {
  /**
   * Asked of the chain for every loaded pool at every block, equal calls of several pools once;
   * each answers one word, with at most EACH_BLOCK_GAS.
   */
  readonly calls: (pool: PoolListing) => ReadonlyArray<ChainCall>;
  /**
   * The state when a block has come to its end: the same object when nothing has moved, undefined
   * when the answers are none that a pool would give.
   */
  readonly apply: (
    pool: PoolListing,
    state: FollowedState,
    answers: ReadonlyArray<CallAnswer>,
  ) => FollowedState | PoolRefusal | undefined;
}

/** Gas of one call of `EachBlock`: what burns it all fails alone. */
export const EACH_BLOCK_GAS = 500_000;

/**
 * Asks the chain in rounds: gives the calls of a round, takes their answers in order, and returns
 * what comes of them.
 */
export type Asking<A> = Generator<ReadonlyArray<ChainCall>, A, ReadonlyArray<CallAnswer>>;

export interface QuoteCall {
  readonly call: ChainCall;
  /**
   * The output in the answer, REFUSED where the chain refuses the swap; undefined when the answer
   * says neither.
   */
  readonly amountOut: (answer: CallAnswer) => bigint | undefined;
}

/** The state that the log cannot follow: the pool has to be read anew. */
export const IMPOSSIBLE = "impossible";

/** `0x` and lower-case hex digits. */
export type Hex = `0x${string}`;

/** A venue on a chain, as it is configured, with the `ChainProtocol.settings` of its protocol. */
export interface ChainDex {
  /** Upper case, as `UNISWAP_V3`. */
  readonly id: string;
  readonly name: string;
  /** `Protocol.name` of its pools. */
  readonly protocol: string;
  /** What creates its pools, and tells so. */
  readonly factory: Address;
  /** No pool is older. */
  readonly startBlock: number;
  readonly [setting: string]: unknown;
}

/** A log as a node gave it, checked for shape, everything in lower case. */
export interface ChainLog {
  readonly address: Address;
  readonly topics: ReadonlyArray<Hex>;
  readonly data: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

export interface LogEffect {
  /** The state after the log; the same object when it changes nothing. */
  readonly state: FollowedState;
  /** What was swapped, when the log tells of a swap. */
  readonly swap?: LoggedSwap;
}

/** A swap in one pool: positions of its tokens, smallest units; see `SwapEvent.priceAfter`. */
export interface LoggedSwap {
  readonly positionIn: TokenPosition;
  readonly positionOut: TokenPosition;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly priceAfter: number;
}

/**
 * The state of a pool as it is followed along a chain: what swaps depend on, and what only later
 * logs do. Never changed once made: a new state shares with the old what is equal, so that states
 * of many blocks can be kept. A curve with a book always has one here.
 */
export interface FollowedState extends PoolState {
  /** Beside each key of the book what following needs of it: liquidityGross, two words. */
  readonly ledger?: BigUint64Array;
  /** What else following needs of the pool, as the protocol likes. */
  readonly notes?: BigUint64Array;
}

export interface ChainCall {
  readonly to: Address;
  readonly data: Hex;
  /**
   * Makes so many calls of it, the last word of whose data counts up from the one that is given,
   * and each of which returns one word. `wordsInRange` reads the answer.
   */
  readonly range?: number;
}

/** What a call returned; undefined when it reverted. */
export type CallAnswer = Hex | undefined;

import type { Address, PoolListing, PoolState, TokenPosition } from "@millrace/core";
import type { Schema } from "effect";

/** How pools of one kind appear on a chain, for any DEX. */
export interface ChainProtocol {
  /** `Protocol.name` of the protocol. */
  readonly name: string;
  /** The keys that configure its DEXes, beside those of `ChainDex`. */
  readonly settings: Schema.Struct.Fields;
  /**
   * Binds the protocol to a DEX. Throws for invalid settings. Pools of the native token are listed
   * with `wrappedNative` in its place, since the two are exchanged one for one; without
   * `wrappedNative`, the native token is listed as a token of its own.
   */
  readonly open: (dex: ChainDex, wrappedNative?: Address) => FollowedDex;
}

/**
 * A DEX as it appears on a chain: the logs that create and change its pools, and the calls that
 * read them. Pure functions: they decode untrusted data, and never throw for it.
 */
export interface FollowedDex {
  readonly dex: ChainDex;

  // -- pools come ------------------------------------------------------------------------------
  /** First topics of the logs of `dex.factory` that announce a new pool. */
  readonly creationTopics: ReadonlyArray<Hex>;
  /**
   * The pool that a log announces; undefined when the log is none of `creationTopics`, malformed,
   * or not the factory's, or when the pool's address is not the one that the factory would give it.
   */
  readonly decodeCreation: (log: ChainLog) => Creation | undefined;
  /**
   * The number of the pool among its factory's pools, counted from 1, in a log of `creationTopics`;
   * undefined, or without this function, where factories don't count. A gap shows a missing log.
   */
  readonly creationNumber?: (log: ChainLog) => bigint | undefined;
  /**
   * Pools that are configured, not announced by a log. They count as created in `dex.startBlock`,
   * before all others. By default none.
   */
  readonly configured?: ReadonlyArray<Creation>;

  // -- they change -----------------------------------------------------------------------------
  /**
   * First topics of all logs that change a pool or report a swap, whichever contract emits them.
   */
  readonly poolTopics: ReadonlyArray<Hex>;
  /** Logs of `poolTopics` that contracts other than the pools emit; by default none. */
  readonly sharedLogs?: SharedLogs;
  /**
   * Whether a pool's log says that the pool has changed, but not to what. The pool is then read
   * again at the block's end, and `applyLog` is not called. Without this function no log does.
   */
  readonly readsAgain?: (log: ChainLog) => boolean;
  /**
   * The effect of a pool's log: undefined when the log is none of `poolTopics`, IMPOSSIBLE when the
   * state cannot have been the pool's, or the log is not the protocol's. A refused pool leaves the
   * market.
   */
  readonly applyLog: (
    pool: PoolListing,
    state: FollowedState,
    log: ChainLog,
  ) => LogEffect | PoolRefusal | typeof IMPOSSIBLE | undefined;
  /**
   * The swap that a pool's log reports, decoded without the state; undefined when the log reports
   * none, or is not the protocol's. `before` is the log of the same pool right before it in its
   * block.
   */
  readonly decodeSwap: (
    pool: PoolListing,
    log: ChainLog,
    before: ChainLog | undefined,
  ) => LoggedSwap | undefined;
  /**
   * Who made a swap, as far as its log says: the payee or the caller. This may be a contract that
   * the swap went through. Without this function no log says so.
   */
  readonly makerIn?: (log: ChainLog) => Address | undefined;
  /** The state that changes without a log; by default none. */
  readonly eachBlock?: EachBlock;

  // -- they are read ---------------------------------------------------------------------------
  /** The whole state of a pool; undefined when no pool would give these answers. */
  readonly read: (pool: PoolListing) => Asking<FollowedState | PoolRefusal | undefined>;
  /** The calls whose answers `virtualReserves` takes: a shallow read, far cheaper than `read`. */
  readonly shallowRead: (pool: PoolListing) => ReadonlyArray<ChainCall>;
  /**
   * By position, amounts of equal worth at the pool's price: the reserves of an x·y = k pool of the
   * same depth. Undefined when the pool has no price, or when no pool would give these answers.
   */
  readonly virtualReserves: (
    pool: PoolListing,
    answers: ReadonlyArray<CallAnswer>,
  ) => ReadonlyArray<bigint> | undefined;
  /**
   * The call that asks the chain itself for a swap's output; undefined, or without this function,
   * where no contract answers that.
   */
  readonly quoteCall?: (
    pool: PoolListing,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountIn: bigint,
  ) => QuoteCall | undefined;
}

/**
 * The content of a creation's log: a pool, one that needs further calls, or one not to be loaded.
 */
export type Creation = NewPool | UnresolvedPool | PoolRefusal;

export interface NewPool {
  readonly listing: PoolListing;
  /** The state at its creation; undefined where the log does not have it: then it is read. */
  readonly created: FollowedState | undefined;
}

/** The result of `UnresolvedPool.resolve`. */
export type Resolved = NewPool | ReadonlyArray<NewPool> | PoolRefusal | undefined;

/** A pool whose log has only a part of its listing. */
export interface UnresolvedPool {
  /**
   * Makes the further calls, at some block after the creation; undefined when the answers make no
   * sense. Where a log may be of several pools, gives all of them; each counts once, whatever logs
   * lead to it.
   */
  readonly resolve: () => Asking<Resolved>;
}

/**
 * Why a pool is not loaded, or no longer. Pools are counted by this text, so it is one of a few
 * fixed texts of the protocol, such as `a dynamic fee`, without an address or a number.
 */
export interface PoolRefusal {
  readonly refused: string;
}

/** Logs of contracts other than pools: one that holds all pools, the factory, a fee module. */
export interface SharedLogs {
  /** The only contracts whose logs count; in lower case. */
  readonly contracts: ReadonlyArray<Address>;
  /** The key of the pool that such a log is about; undefined when it is about none. */
  readonly keyOf: (log: ChainLog) => Address | typeof EVERY_POOL | undefined;
}

/** The log is about all pools of the DEX: `readsAgain` and `applyLog` are called for each. */
export const EVERY_POOL = "every pool";

/** The part of a pool's state, at the end of each block, that no log reports. */
export interface EachBlock {
  /**
   * The calls for every loaded pool at every block; equal calls of several pools are made once.
   * Each returns one word, with at most EACH_BLOCK_GAS.
   */
  readonly calls: (pool: PoolListing) => ReadonlyArray<ChainCall>;
  /**
   * The state at the end of a block: the same object when nothing has changed, undefined when no
   * pool would give these answers.
   */
  readonly apply: (
    pool: PoolListing,
    state: FollowedState,
    answers: ReadonlyArray<CallAnswer>,
  ) => FollowedState | PoolRefusal | undefined;
}

/** Gas of one call of `EachBlock`: a call that burns it all fails alone. */
export const EACH_BLOCK_GAS = 500_000;

/**
 * Calls the chain in rounds: yields the calls of a round, takes their answers in order, and returns
 * the result.
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

/** The log cannot follow the state: the pool has to be read anew. */
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
  /** The contract that creates its pools and announces them. */
  readonly factory: Address;
  /** No pool was created before. */
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
  /** The swap, when the log reports one. */
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
 * logs depend on. Immutable: a new state shares its equal parts with the old one, so that states of
 * many blocks can be kept. A curve with a book always has one here.
 */
export interface FollowedState extends PoolState {
  /** For each key of the book, what following needs: liquidityGross, two words. */
  readonly ledger?: BigUint64Array;
  /** What else following needs of the pool, in a format of the protocol's own. */
  readonly notes?: BigUint64Array;
}

export interface ChainCall {
  readonly to: Address;
  readonly data: Hex;
  /**
   * How many calls it stands for. The last word of their data counts up from the given one, and
   * each returns one word. `wordsInRange` reads the answer.
   */
  readonly range?: number;
}

/** What a call returned; undefined when it reverted. */
export type CallAnswer = Hex | undefined;

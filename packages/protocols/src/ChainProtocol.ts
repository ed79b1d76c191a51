import type { Address, PoolListing, PoolState, TokenPosition } from "@millrace/core";

/**
 * How a pool family shows itself on a chain: the logs that create and change its pools, and the
 * calls that read them. Pure functions: they decode what a stranger wrote, and never throw for it.
 */
export interface ChainProtocol {
  /** `Curve.name` of the family. */
  readonly name: string;

  /** First topics of the logs by which a factory tells of a new pool. */
  readonly creationTopics: ReadonlyArray<Hex>;
  /**
   * The pool that a factory's log tells of; undefined when the log is malformed, or its pool is not
   * at the address that the factory's CREATE2 gives.
   */
  readonly decodeCreation: (dex: ChainDex, log: ChainLog) => PoolListing | undefined;
  /**
   * Which of its factory's pools a log of `creationTopics` tells of, counted from 1; undefined, or
   * without this function, where factories don't count. A number left out tells of a missing log.
   */
  readonly creationNumber?: (log: ChainLog) => bigint | undefined;
  /** The state of a pool in the moment it is created. */
  readonly created: FollowedState;

  /** First topics of the logs by which pools tell of a change of their state, or of a swap. */
  readonly poolTopics: ReadonlyArray<Hex>;
  /**
   * What a pool's log does: undefined when it is none of `poolTopics`, IMPOSSIBLE when the state
   * cannot have been the pool's, or the log not the family's.
   */
  readonly applyLog: (
    pool: PoolListing,
    state: FollowedState,
    log: ChainLog,
  ) => LogEffect | typeof IMPOSSIBLE | undefined;

  /**
   * The swap that a pool's log tells of, without the state: undefined when it tells of none, or is
   * none of the family's. `before` is the log of the same pool right before it in its block.
   */
  readonly decodeSwap: (log: ChainLog, before: ChainLog | undefined) => LoggedSwap | undefined;

  /**
   * The whole state of a pool, read in rounds: gives the calls of a round, takes their answers in
   * order, and returns the state, or undefined when the answers are none that a pool would give.
   */
  readonly read: (
    pool: PoolListing,
  ) => Generator<ReadonlyArray<ChainCall>, FollowedState | undefined, ReadonlyArray<CallAnswer>>;

  /** The calls whose answers `virtualReserves` wants: a shallow read, far cheaper than `read`. */
  readonly shallowRead: (pool: PoolListing) => ReadonlyArray<ChainCall>;
  /**
   * The reserves, by position, of the x·y = k pool that has this one's price and depth now;
   * undefined when it has no price, or the answers are none that a pool would give.
   */
  readonly virtualReserves: (
    answers: ReadonlyArray<CallAnswer>,
  ) => readonly [bigint, bigint] | undefined;
}

/** The state that the log cannot follow: the pool has to be read anew. */
export const IMPOSSIBLE = "impossible";

/** `0x` and lower-case hex digits. */
export type Hex = `0x${string}`;

/** A venue on a chain, as it is configured. */
export interface ChainDex {
  /** Upper case, as `UNISWAP_V3`. */
  readonly id: string;
  readonly name: string;
  /** `Curve.name` of its pools. */
  readonly protocol: string;
  readonly factory: Address;
  /** What CREATE2s the pools, where it is not the factory. */
  readonly deployer?: Address;
  /** keccak256 of the pools' creation code; with it, pool addresses are derived and compared. */
  readonly initCodeHash?: Hex;
  /** Fee of all its pools, where pools have no fee of their own. */
  readonly feePips?: number;
  /** No pool is older. */
  readonly startBlock: number;
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
 * of many blocks can be kept. A family with a book always has one here.
 */
export interface FollowedState extends PoolState {
  /** Beside each key of the book what following needs of it: liquidityGross, two words. */
  readonly ledger?: BigUint64Array;
}

export interface ChainCall {
  readonly to: Address;
  readonly data: Hex;
}

/** What a call returned; undefined when it reverted. */
export type CallAnswer = Hex | undefined;

import type { Address, PoolListing } from "@millrace/core";
import {
  type CallAnswer,
  type ChainLog,
  type FollowedDex,
  type FollowedState,
  IMPOSSIBLE,
  type LogEffect,
  type PoolRefusal,
} from "@millrace/protocols";
import { type Admissions, NOT_LOADABLE } from "./Admissions.ts";
import type { BlockReadings } from "./BlockContent.ts";
import type { FollowedPool } from "./FollowedPool.ts";
import type { Journal, JournalBlock } from "./Journal.ts";
import { Tally } from "./Tally.ts";

/**
 * The loaded pools as of the head, and how logs and readings change them. Every change is kept in
 * the journal, and `onChange` is called before it.
 */
export class LoadedPools {
  readonly all = new Map<Address, FollowedPool>();
  /** Pools that change without a log. */
  readonly moving = new Set<Address>();
  readonly byDex = new Tally();
  /** Number of times since the start that a pool's log contradicted its state. */
  driftCount = 0;
  readonly #admissions: Admissions;
  readonly #journal: Journal;
  readonly #onChange: (address: Address, former: FollowedPool | undefined) => void;

  constructor(
    admissions: Admissions,
    journal: Journal,
    onChange: (address: Address, former: FollowedPool | undefined) => void,
  ) {
    this.#admissions = admissions;
    this.#journal = journal;
    this.#onChange = onChange;
  }

  /**
   * Applies a log of a block to its pool; where that is not loaded, the log is kept. `due`: the
   * pools to be read again at the block's end, to which further logs are not applied.
   */
  apply(
    block: JournalBlock,
    { address }: PoolListing,
    log: ChainLog,
    due: Set<Address>,
  ): LogEffect | undefined {
    const pool = this.all.get(address);
    if (pool === undefined) {
      this.#admissions.touched(address);
      block.keepLog(address, log);
      return undefined;
    }
    if (pool.dex.readsAgain?.(log) === true) due.add(address);
    if (due.has(address)) return undefined;
    const effect = pool.dex.applyLog(pool.listing, pool.state, log);
    if (effect === IMPOSSIBLE) {
      this.driftCount++;
      this.drop(address);
    } else if (effect !== undefined && "refused" in effect) {
      this.#refuse(block, address, effect);
    } else if (effect !== undefined) {
      this.change(block, { ...pool, state: effect.state });
      return effect;
    }
    return undefined;
  }

  /** Applies a log that concerns all pools of a DEX, except those that are `later`. */
  applyToAll(
    block: JournalBlock,
    dex: FollowedDex,
    log: ChainLog,
    due: Set<Address>,
    isLater: (pool: Address) => boolean,
  ): void {
    block.changedDexes.add(dex.dex.id);
    for (const pool of this.all.values()) {
      if (pool.dex !== dex || isLater(pool.listing.address)) continue;
      this.apply(block, pool.listing, log, due);
    }
  }

  /** Takes what no log tells, at the end of a block. A pool without a reading is read anew. */
  takeReadings(
    block: JournalBlock,
    due: Iterable<Omit<FollowedPool, "state">>,
    { states, answers }: BlockReadings,
  ): void {
    for (const pool of due) {
      const { address } = pool.listing;
      const reading = states.get(address);
      if (reading === undefined) this.drop(address);
      else if ("refused" in reading) this.#refuse(block, address, reading);
      else this.change(block, { ...pool, state: reading });
    }
    for (const address of this.moving) {
      const pool = this.all.get(address)!;
      const answered = answers.get(address);
      const state = answered && movedBy(pool, answered);
      if (state === undefined) this.drop(address);
      else if ("refused" in state) this.#refuse(block, address, state);
      else this.change(block, { ...pool, state });
    }
  }

  /**
   * Loads a pool as read at `block` (undefined: the journal's base), and applies its logs of the
   * later blocks. A pool that changes without logs needs its `answers` at the last of them. A pool
   * that cannot be brought up to date stays waiting.
   */
  load(
    pool: FollowedPool,
    block: JournalBlock | undefined,
    later: ReadonlyArray<JournalBlock>,
    answers: ReadonlyArray<CallAnswer> | undefined,
  ): void {
    const { dex, listing } = pool;
    const { address } = listing;
    if (!canBringAlong(pool, later)) return;
    if (dex.eachBlock !== undefined && later.length > 0) {
      return this.#loadMoving(pool, later, answers);
    }
    // Its former state is unknown: reverting the block unloads it.
    block?.before.set(address, undefined);
    this.#admissions.settled(address);
    this.replace(address, pool);
    for (const after of later) {
      const logs = after.othersLogs.get(address) ?? [];
      after.othersLogs.delete(address);
      for (const log of logs) this.apply(after, listing, log, new Set());
    }
  }

  /** The pool's state, now or before, was wrong: it is read anew. */
  drop(address: Address): void {
    this.replace(address, undefined);
    for (const block of this.#journal.blocks) {
      block.before.delete(address);
      block.lostLogs.add(address);
    }
    this.#admissions.unloaded(address);
  }

  /** Sets the pool's state at the end of a block. */
  change(block: JournalBlock, pool: FollowedPool): void {
    const { address } = pool.listing;
    if (this.all.get(address)?.state === pool.state) return;
    this.#keepBefore(block, address);
    this.replace(address, pool);
  }

  /** Sets the pool, whatever it was before. */
  replace(address: Address, pool: FollowedPool | undefined): void {
    const former = this.all.get(address);
    this.#onChange(address, former);
    if (former !== undefined) this.byDex.count(former.listing.dexId, -1);
    if (pool === undefined) this.all.delete(address);
    else {
      this.all.set(address, pool);
      this.byDex.count(pool.listing.dexId, 1);
    }
    if (pool?.dex.eachBlock === undefined) this.moving.delete(address);
    else this.moving.add(address);
  }

  #loadMoving(
    { listing, dex, state: read }: FollowedPool,
    later: ReadonlyArray<JournalBlock>,
    answers: ReadonlyArray<CallAnswer> | undefined,
  ): void {
    if (answers === undefined) return;
    const { address } = listing;
    const logs = later.flatMap(({ othersLogs }) => othersLogs.get(address) ?? []);
    let state: FollowedState | PoolRefusal = read;
    for (const log of logs) {
      const effect = dex.applyLog(listing, state, log);
      if (effect === IMPOSSIBLE) return;
      if (effect === undefined) continue;
      if ("refused" in effect) return this.#admissions.refused(address, effect.refused);
      state = effect.state;
    }
    state = movedBy({ listing, dex, state }, answers);
    if ("refused" in state) return this.#admissions.refused(address, state.refused);
    for (const { othersLogs } of later) othersLogs.delete(address);
    // Its state at the end of the blocks between is unknown.
    later.at(-1)!.before.set(address, undefined);
    this.#admissions.settled(address);
    this.replace(address, { listing, dex, state });
  }

  #refuse(block: JournalBlock, address: Address, { refused }: PoolRefusal): void {
    this.#keepBefore(block, address);
    this.replace(address, undefined);
    this.#admissions.refused(address, refused);
  }

  #keepBefore(block: JournalBlock, address: Address): void {
    if (!block.before.has(address)) block.before.set(address, this.all.get(address));
  }
}

/** Whether logs tell everything that later blocks did to a pool. */
function canBringAlong(
  { dex, listing }: FollowedPool,
  later: ReadonlyArray<JournalBlock>,
): boolean {
  const { address } = listing;
  return later.every(({ changedDexes, othersLogs, before, lostLogs }) => {
    if (changedDexes.has(dex.dex.id) || before.has(address) || lostLogs.has(address)) return false;
    return !othersLogs.get(address)?.some((log) => dex.readsAgain?.(log) === true);
  });
}

/** The state that answers at a block's end lead to. A pool without sensible answers is refused. */
function movedBy(
  { listing, dex, state }: FollowedPool,
  answers: ReadonlyArray<CallAnswer>,
): FollowedState | PoolRefusal {
  return dex.eachBlock!.apply(listing, state, answers) ?? { refused: NOT_LOADABLE.state };
}

import type { Address } from "@millrace/core";
import type { ChainLog, FollowedDex } from "@millrace/protocols";
import { Effect } from "effect";
import type { LoggedCreation } from "./creations.ts";
import type { NodeLog } from "./decodeLogs.ts";

/** The last creation seen of each factory that numbers its creations. */
export type Counters = ReadonlyMap<Address, Counter>;

export interface Counter {
  readonly number: bigint;
  readonly blockNumber: number;
}

export interface CollectedPools {
  readonly logged: ReadonlyArray<LoggedCreation>;
  /**
   * Logs that announce no pool: malformed, or with an address that is not the factory's to give.
   */
  readonly skipped: number;
  readonly counters: Counters;
}

/** Creations are missing between the block of the last known one and that of the next. */
export interface CreationGap {
  readonly missingAfterBlock: number;
  readonly detail: string;
}

/** Deriving an address takes two hashes; after this many, other work gets its turn. */
const SLICE = 64;

/** The pools that factories' logs announce, in their order; or the gap in a factory's numbering. */
export const collectPools = Effect.fnUntraced(function* (
  followed: ReadonlyArray<FollowedDex>,
  logs: ReadonlyArray<NodeLog>,
  before: Counters,
): Effect.fn.Return<CollectedPools | CreationGap> {
  const logged: LoggedCreation[] = [];
  const counters = new Map(before);
  let skipped = 0;
  for (const [index, { log, blockNumber }] of logs.entries()) {
    if (index % SLICE === SLICE - 1) yield* Effect.yieldNow;
    const own = followed.filter(
      ({ dex, creationTopics }) =>
        dex.factory === log.address && creationTopics.includes(log.topics[0]!),
    );
    const gap = count(own, log, blockNumber, counters);
    if (gap !== undefined) return gap;
    const creation = firstDefined(own, (dex) => {
      const decoded = dex.decodeCreation(log);
      if (decoded === undefined) return undefined;
      return { dex, creation: decoded, block: blockNumber, logIndex: log.logIndex };
    });
    if (creation === undefined) skipped++;
    else logged.push(creation);
  }
  return { logged, skipped, counters };
});

function count(
  followed: ReadonlyArray<FollowedDex>,
  log: ChainLog,
  blockNumber: number,
  counters: Map<Address, Counter>,
): CreationGap | undefined {
  const number = firstDefined(followed, (dex) => dex.creationNumber?.(log));
  if (number === undefined) return undefined;
  const last = counters.get(log.address);
  if (last !== undefined) {
    // A block that is read a second time.
    if (number <= last.number && blockNumber <= last.blockNumber) return undefined;
    if (number !== last.number + 1n) {
      const detail = `creation ${number} of ${log.address} in block ${blockNumber} after ${last.number} in ${last.blockNumber}: logs are missing, or its start block is too late`;
      return { missingAfterBlock: last.blockNumber, detail };
    }
  }
  counters.set(log.address, { number, blockNumber });
  return undefined;
}

function firstDefined<A, B>(items: ReadonlyArray<A>, f: (item: A) => B | undefined): B | undefined {
  for (const item of items) {
    const value = f(item);
    if (value !== undefined) return value;
  }
  return undefined;
}

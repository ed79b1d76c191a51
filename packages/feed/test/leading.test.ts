import type { MarketBlock } from "@millrace/core";
import {
  type BlockRange,
  type FeedLog,
  FeedLogError,
  type FeedRecord,
  MemoryLog,
  openFeed,
} from "@millrace/feed";
import { RandomSource, VirtualTime } from "@millrace/testing";
import { Cause, Effect, Exit, Queue, Scope, Stream } from "effect";
import { describe, expect, it } from "vitest";
import { FeedChain, messagesBetween, type TrueBlock, wholeMarket } from "./simulator/FeedChain.ts";

const LEASE_MS = 1_000;
const START_MS = 1_750_000_000_000;

/** A market's source under the test's control. */
class ToldSource {
  readonly retold: BlockRange[] = [];
  obstacle: string | undefined;
  diagnosis: string | undefined;
  isComplete = true;
  at: TrueBlock | undefined;
  readonly #blocks: Queue.Queue<MarketBlock>;

  private constructor(blocks: Queue.Queue<MarketBlock>) {
    this.#blocks = blocks;
  }

  static readonly make = Effect.map(
    Queue.unbounded<MarketBlock>(),
    (blocks) => new ToldSource(blocks),
  );

  readonly own = {
    isStandby: true,
    open: Effect.sync(() => ({
      source: {
        chainId: 1,
        blocks: Stream.fromQueue(this.#blocks),
        obstacle: () => this.obstacle,
        diagnosis: () => this.diagnosis,
        history: () => ({ sinceMs: START_MS, isComplete: this.isComplete }),
      },
      retell: (range: BlockRange) => {
        this.retold.push(range);
        this.isComplete = false;
      },
    })),
  };

  goTo(head: TrueBlock): void {
    const blocks = this.at === undefined ? [wholeMarket(head)] : messagesBetween(this.at, head);
    for (const block of blocks) Queue.offerUnsafe(this.#blocks, block);
    this.at = head;
  }
}

/** Servers of one log in virtual time. */
class Servers {
  readonly log = new MemoryLog();
  readonly chain = new FeedChain(new RandomSource(11), START_MS);
  readonly numbers = new Map<string, number[]>();

  readonly join = (holder: string, source?: ToldSource, log: FeedLog = this.log) =>
    Effect.gen({ self: this }, function* (this: Servers) {
      const scope = yield* Scope.make();
      const options = { log, chainId: 1, holder, leaseMs: LEASE_MS, silenceMs: 8 * LEASE_MS };
      const open = openFeed({ ...options, own: source?.own });
      const feed = yield* Effect.provideService(open, Scope.Scope, scope);
      const numbers: number[] = [];
      this.numbers.set(holder, numbers);
      const take = ({ stamp }: MarketBlock) => Effect.sync(() => void numbers.push(stamp.number));
      yield* Effect.forkIn(Stream.runForEach(feed.source.blocks, take), scope);
      yield* Effect.sleep(2 * LEASE_MS);
      return { ...feed, end: Scope.close(scope, Exit.void) };
    });

  /** Adds one block on top of the last. */
  extend(): TrueBlock {
    const { head } = this.chain;
    do this.chain.grow();
    while (this.chain.head.parent !== head && !isBehind(head, this.chain.head));
    return this.chain.head;
  }
}

const isBehind = (one: TrueBlock, other: TrueBlock): boolean => {
  for (let at = other.parent; at !== undefined; at = at.parent) if (at === one) return true;
  return false;
};

const run = <A, E>(story: Effect.Effect<A, E>): A => {
  const exit = new VirtualTime(START_MS, 7).run(story);
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause);
  return exit.value;
};

describe("who leads a feed", () => {
  for (const kind of ["obstacle", "diagnosis", "nothing to say of it"] as const) {
    it(`is no standby that stands behind what was published, with ${kind}`, () => {
      const servers = new Servers();
      run(
        Effect.gen(function* () {
          const [first, second] = [yield* ToldSource.make, yield* ToldSource.make];
          first.goTo(servers.chain.head);
          second.goTo(servers.chain.head);
          const leader = yield* servers.join("first", first);
          const standby = yield* servers.join("second", second);
          yield* servers.join("reader");
          for (let count = 0; count < 5; count++) first.goTo(servers.extend());
          if (kind !== "nothing to say of it") second[kind] = "no node answers";
          yield* Effect.sleep(LEASE_MS);
          yield* leader.end;
          yield* Effect.sleep(20 * LEASE_MS);
          const { number } = servers.chain.head.stamp;
          expect(servers.numbers.get("reader")!.at(-1)).toBe(number);
          expect(standby.source.obstacle()).toBe("nobody leads the feed");
          // The standby's node is back.
          second.obstacle = undefined;
          second.diagnosis = undefined;
          second.goTo(servers.extend());
          yield* Effect.sleep(6 * LEASE_MS);
          expect(standby.status().role).toBe("leader");
          expect(servers.numbers.get("reader")!.at(-1)).toBe(servers.chain.head.stamp.number);
          expect(standby.source.obstacle()).toBeUndefined();
          yield* standby.end;
        }),
      );
    });
  }

  it("goes back with its chain, where that has other blocks", () => {
    const servers = new Servers();
    run(
      Effect.gen(function* () {
        const base = servers.chain.head;
        const [first, second] = [yield* ToldSource.make, yield* ToldSource.make];
        first.goTo(base);
        second.goTo(base);
        const leader = yield* servers.join("first", first);
        const standby = yield* servers.join("second", second);
        for (let count = 0; count < 5; count++) first.goTo(servers.extend());
        yield* Effect.sleep(LEASE_MS);
        yield* leader.end;
        servers.chain.head = base;
        second.goTo(servers.extend());
        yield* Effect.sleep(6 * LEASE_MS);
        expect(standby.status().role).toBe("leader");
        expect(servers.numbers.get("second")!.at(-1)).toBe(servers.chain.head.stamp.number);
        yield* standby.end;
      }),
    );
  });

  for (const kind of ["obstacle", "diagnosis"] as const) {
    it(`is another, where the leader's source has an ${kind}`, () => {
      const servers = new Servers();
      run(
        Effect.gen(function* () {
          const [first, second] = [yield* ToldSource.make, yield* ToldSource.make];
          first.goTo(servers.chain.head);
          second.goTo(servers.chain.head);
          const leader = yield* servers.join("first", first);
          const standby = yield* servers.join("second", second);
          expect(leader.status().role).toBe("leader");
          first[kind] = "no node answers";
          // Shorter than the leader's patience, so it keeps leading.
          yield* Effect.sleep(2 * LEASE_MS);
          first[kind] = undefined;
          yield* Effect.sleep(2 * LEASE_MS);
          expect(leader.status().role).toBe("leader");
          first[kind] = "no node answers";
          second.goTo(servers.extend());
          yield* Effect.sleep(6 * LEASE_MS);
          expect(leader.status().role).toBe("follower");
          expect(standby.status().role).toBe("leader");
          expect(servers.numbers.get("first")!.at(-1)).toBe(servers.chain.head.stamp.number);
          yield* leader.end;
          yield* standby.end;
        }),
      );
    });
  }

  it("is another, where the leader renews its lease and cannot append", () => {
    const servers = new Servers();
    let isFull = false;
    const refused = Effect.fail(new FeedLogError({ reason: "Unavailable", detail: "OOM" }));
    const { log } = servers;
    const firstLog: FeedLog = {
      ...log,
      append: (lease, sequence, bytes) =>
        Effect.suspend(() => (isFull ? refused : log.append(lease, sequence, bytes))),
    };
    run(
      Effect.gen(function* () {
        const [first, second] = [yield* ToldSource.make, yield* ToldSource.make];
        first.goTo(servers.chain.head);
        second.goTo(servers.chain.head);
        const leader = yield* servers.join("first", first, firstLog);
        const standby = yield* servers.join("second", second);
        expect(leader.status().role).toBe("leader");
        isFull = true;
        const head = servers.extend();
        first.goTo(head);
        second.goTo(head);
        yield* Effect.sleep(6 * LEASE_MS);
        expect(standby.status().role).toBe("leader");
        expect(servers.numbers.get("first")!.at(-1)).toBe(head.stamp.number);
        yield* leader.end;
        yield* standby.end;
      }),
    );
  });
});

describe("requests to a leader", () => {
  it("begin no telling of the past anew while one goes on", () => {
    const servers = new Servers();
    run(
      Effect.gen(function* () {
        const source = yield* ToldSource.make;
        source.goTo(servers.chain.head);
        const leader = yield* servers.join("first", source);
        source.isComplete = true;
        yield* Effect.sleep(LEASE_MS);
        source.retold.length = 0;
        for (const [fromBlock, toBlock] of [
          [90, 95],
          [90, 95],
          [92, 99],
        ] as const) {
          yield* servers.log.ask({ fromBlock, toBlock });
          yield* Effect.sleep(LEASE_MS);
        }
        expect(source.retold).toEqual([{ fromBlock: 90, toBlock: 95 }]);
        source.isComplete = true;
        yield* Effect.sleep(LEASE_MS / 2);
        // Servers that asked later may have missed part of the first one.
        expect(source.retold.slice(1)).toEqual([{ fromBlock: 90, toBlock: 99 }]);
        expect(leader.notes().get("retold")).toMatch(/^90-95-\d+-2$/);
        source.isComplete = true;
        yield* Effect.sleep(LEASE_MS);
        expect(leader.notes().get("retold")).toMatch(/^90-99-\d+-2$/);
        yield* leader.end;
      }),
    );
  });

  it("have it write a snapshot, where an entry is damaged", () => {
    const servers = new Servers();
    run(
      Effect.gen(function* () {
        const source = yield* ToldSource.make;
        source.goTo(servers.chain.head);
        const leader = yield* servers.join("first", source);
        const { log } = servers;
        const next = leader.status().position.sequence + 1;
        const damaged = (record: FeedRecord): FeedRecord =>
          record.position.sequence === next ? { ...record, bytes: new Uint8Array(40) } : record;
        const reader = yield* servers.join("reader", undefined, {
          ...log,
          read: (after, waitMs) =>
            Effect.map(log.read(after, waitMs), (records) => records.map(damaged)),
        });
        source.goTo(servers.extend());
        yield* Effect.sleep(LEASE_MS);
        source.goTo(servers.extend());
        yield* Effect.sleep(8 * LEASE_MS);
        expect(reader.status()).toMatchObject({ refusedEntries: expect.any(Number), resyncs: 1 });
        expect(reader.source.obstacle()).toBeUndefined();
        expect(servers.numbers.get("reader")!.at(-1)).toBe(servers.chain.head.stamp.number);
        // No server asks any more.
        const { savedSnapshots } = leader.status();
        yield* Effect.sleep(30 * LEASE_MS);
        expect(leader.status().savedSnapshots).toBe(savedSnapshots);
        yield* leader.end;
        yield* reader.end;
      }),
    );
  });
});

import { assert, describe, it } from "@effect/vitest";
import { Effect, Exit, Logger, Option, Stream } from "effect";
import { type Disk, DiskError } from "../../src/disk/Disk.ts";
import type { ChainSnapshot } from "../../src/snapshot/ChainSnapshot.ts";
import { encodeChainSnapshot } from "../../src/snapshot/encodeChainSnapshot.ts";
import { makeSnapshotStore } from "../../src/snapshot/SnapshotStore.ts";
import { FaultyDisk } from "./FaultyDisk.ts";
import { smallSnapshot, sorted } from "./snapshots.ts";

const { chainId, dexes } = smallSnapshot();
const storeOn = (disk: Disk) => makeSnapshotStore({ disk, chainId, dexes });

const save = (disk: Disk, block: number) => storeOn(disk).save(smallSnapshot(block));

/** Block numbers of the snapshots on a disk, newest first, and the lines of the log. */
const loaded = Effect.fnUntraced(function* (disk: Disk) {
  const lines: string[] = [];
  const logger = Logger.make(({ message }) => {
    lines.push(String(message));
  });
  const snapshots = yield* Stream.runCollect(storeOn(disk).load).pipe(
    Effect.provide(Logger.layer([logger])),
  );
  return { blocks: snapshots.map(({ stamp }) => stamp.number), lines };
});

/** A disk with generations of the given blocks. */
const diskWith = Effect.fnUntraced(function* (...blocks: ReadonlyArray<number>) {
  const disk = new FaultyDisk();
  for (const block of blocks) yield* save(disk, block);
  disk.arm(undefined);
  return disk;
});

describe("a store of snapshots", () => {
  it.effect(
    "gives the last two, the newest first, also where that is of a lower block",
    Effect.fnUntraced(function* () {
      const disk = yield* diskWith(5, 9, 7);
      assert.deepStrictEqual(yield* loaded(disk), { blocks: [7, 9], lines: [] });
      assert.strictEqual((yield* disk.list).length, 2);
      const first = yield* Stream.runHead(storeOn(disk).load);
      assert.deepStrictEqual(Option.getOrThrow(first), sorted(smallSnapshot(7)));
    }),
  );

  it.effect(
    "gives nothing on an empty disk",
    Effect.fnUntraced(function* () {
      assert.deepStrictEqual(yield* loaded(new FaultyDisk()), { blocks: [], lines: [] });
    }),
  );

  it.effect(
    "reads the one before only when it is asked for",
    Effect.fnUntraced(function* () {
      const disk = yield* diskWith(5, 9);
      yield* Stream.runHead(storeOn(disk).load);
      assert.deepStrictEqual(disk.reads, ["chain-8453-2.snapshot"]);
      const older = storeOn(disk).load.pipe(
        Stream.filterEffect(({ stamp }) => Effect.succeed(stamp.number < 9)),
        Stream.runHead,
      );
      assert.strictEqual(Option.getOrThrow(yield* older).stamp.number, 5);
      assert.strictEqual(disk.reads.length, 3);
    }),
  );

  it.effect(
    "goes on from the generations of a former process",
    Effect.fnUntraced(function* () {
      const disk = yield* diskWith(5);
      const store = storeOn(disk);
      for (let block = 10; block < 25; block++) yield* store.save(smallSnapshot(block));
      assert.deepStrictEqual((yield* loaded(disk)).blocks, [24, 23]);
      assert.sameMembers(
        [...(yield* disk.list)],
        ["chain-8453-15.snapshot", "chain-8453-16.snapshot"],
      );
    }),
  );

  it.effect(
    "lets concurrent saves wait for each other",
    Effect.fnUntraced(function* () {
      const disk = yield* diskWith();
      const store = storeOn(disk);
      yield* Effect.forEach([1, 2, 3, 4], (block) => store.save(smallSnapshot(block)), {
        concurrency: "unbounded",
      });
      const operations = disk.trace.map((line) => line.split(" ")[0]).join(" ");
      const one = "write sync rename syncNames";
      assert.strictEqual(operations, `${one} ${one} ${one} remove ${one} remove`);
      assert.deepStrictEqual((yield* loaded(disk)).blocks, [4, 3]);
    }),
  );

  it.effect(
    "leaves alone what other chains, or nobody known, keep on the disk",
    Effect.fnUntraced(function* () {
      const disk = yield* diskWith(5, 6);
      const foreign = ["chain-84-1.snapshot", "chain-84-2-9.writing", "notes", "chain-8453-x"];
      for (const name of foreign) yield* disk.write(name, new Uint8Array(9));
      yield* save(disk, 7);
      assert.includeMembers([...(yield* disk.list)], foreign);
      assert.deepStrictEqual(yield* loaded(disk), { blocks: [7, 6], lines: [] });
    }),
  );

  it.effect(
    "dies of a snapshot that is not its own",
    Effect.fnUntraced(function* () {
      const disk = new FaultyDisk();
      const exit = yield* Effect.exit(
        storeOn(disk).save({ ...smallSnapshot(), dexes: "other factories" }),
      );
      assert.isTrue(Exit.hasDies(exit));
      assert.deepStrictEqual(yield* disk.list, []);
    }),
  );
});

describe("files that are of no use", () => {
  const bytesOf = (part: Partial<ChainSnapshot>) =>
    encodeChainSnapshot({ ...smallSnapshot(), ...part });

  it.effect(
    "are named in the log with the reason, and skipped",
    Effect.fnUntraced(function* () {
      const disk = yield* diskWith(5);
      const damaged = yield* bytesOf({});
      damaged[200]! ^= 4;
      const newer = yield* bytesOf({});
      newer[8] = 99;
      const contents = [
        ["chain-8453-7.snapshot", damaged, "is damaged ("],
        ["chain-8453-6.snapshot", newer, "is of an unknown version (version 99,"],
        ["chain-8453-5.snapshot", new Uint8Array(4_096), "is no snapshot ("],
        ["chain-8453-4.snapshot", damaged.slice(0, 99), "is damaged (99 bytes"],
        ["chain-8453-3.snapshot", yield* bytesOf({ chainId: 1 }), "is of chain 1, not 8453"],
        ["chain-8453-2.snapshot", yield* bytesOf({ dexes: "other" }), "is of other dexes"],
      ] as const;
      for (const [name, bytes] of contents) yield* disk.write(name, bytes);
      const { blocks, lines } = yield* loaded(disk);
      assert.deepStrictEqual(blocks, [5]);
      assert.strictEqual(lines.length, contents.length);
      contents.forEach(([name, , why], index) => {
        assert.include(lines[index]!, `Snapshot ${name} ${why}`);
      });
    }),
  );

  it.effect(
    "do not push out the last sound one",
    Effect.fnUntraced(function* () {
      const disk = yield* diskWith(5);
      yield* disk.write("chain-8453-2.snapshot", new Uint8Array(99));
      yield* disk.write("chain-8453-3.snapshot", new Uint8Array(99));
      const store = storeOn(disk);
      yield* Stream.runHead(store.load);
      yield* store.save(smallSnapshot(6));
      assert.deepStrictEqual(yield* loaded(disk), { blocks: [6, 5], lines: [] });
    }),
  );

  it.effect(
    "and disks that cannot be read fail nobody",
    Effect.fnUntraced(function* () {
      const fail = (operation: "list" | "read") =>
        Effect.fail(new DiskError({ operation, name: "", detail: "EIO: i/o error" }));
      const sound = yield* diskWith(5, 6);
      const unlistable = yield* loaded({ ...sound, list: fail("list") });
      assert.deepStrictEqual(unlistable.blocks, []);
      assert.include(unlistable.lines[0], "EIO");
      const unreadable = yield* loaded({ ...sound, read: () => fail("read") });
      assert.deepStrictEqual(unreadable.blocks, []);
      assert.strictEqual(unreadable.lines.length, 2);
      assert.include(unreadable.lines[0], "chain-8453-2.snapshot cannot be read (EIO");
    }),
  );
});

/** Blocks whose snapshots were saved before block 9's. */
const BEFORE: ReadonlyArray<{ readonly before: ReadonlyArray<number> }> = [
  { before: [] },
  { before: [5] },
  { before: [5, 6] },
  { before: [5, 6, 7] },
];
const TIMES = ["before", "halfway", "after"] as const;

/** Every disk on which a save of block 9 fails in one operation, with the failure. */
const failedSaves = Effect.fnUntraced(function* (before: ReadonlyArray<number>) {
  const sound = yield* diskWith(...before);
  // Something for the save to clean away.
  if (before.length > 0) yield* sound.write("chain-8453-1-1.writing", new Uint8Array(99));
  sound.arm(undefined);
  const { trace } = yield* Effect.tap(Effect.succeed(sound.copy()), (disk) => save(disk, 9));
  return yield* Effect.forEach(
    trace.flatMap((operation, step) => TIMES.map((when) => ({ operation, step, when }))),
    Effect.fnUntraced(function* ({ operation, ...fault }) {
      const disk = sound.copy();
      disk.arm(fault);
      const exit = yield* Effect.exit(save(disk, 9));
      return { disk, exit, isRemoval: operation.startsWith("remove") };
    }),
  );
});

describe.each(BEFORE)("a save after those of blocks $before", ({ before }) => {
  const former = before.at(-1);
  const mayBeNewest = (block: number | undefined) => block === 9 || block === former;

  it.effect(
    "leaves the old or the new one when the process is killed at any step",
    Effect.fnUntraced(function* () {
      let crashes = 0;
      for (const { disk } of yield* failedSaves(before)) {
        // `before` and `after` of a step are kills between steps; the removal of what a failed
        // save wrote, which a killed one would leave, is among the crashes as not done.
        for (const left of disk.crashes()) {
          crashes++;
          const { blocks, lines } = yield* loaded(left);
          assert.isTrue(mayBeNewest(blocks[0]), `${blocks} after ${disk.trace.join(", ")}`);
          assert.deepStrictEqual(lines, []); // whatever has a generation's name is whole
          yield* save(left, 10);
          assert.strictEqual((yield* loaded(left)).blocks[0], 10);
          assert.isAtMost((yield* left.list).length, 2);
        }
      }
      assert.isAbove(crashes, 100);
    }),
  );

  it.effect(
    "is safe as soon as it succeeded",
    Effect.fnUntraced(function* () {
      const disk = yield* diskWith(...before);
      yield* save(disk, 9);
      for (const left of disk.crashes()) {
        const { blocks } = yield* loaded(left);
        assert.deepStrictEqual(blocks.slice(0, 2), former === undefined ? [9] : [9, former]);
      }
    }),
  );

  it.effect(
    "fails with a value when the disk does, and leaves the former ones usable",
    Effect.fnUntraced(function* () {
      for (const { disk, exit, isRemoval } of yield* failedSaves(before)) {
        assert.strictEqual(Exit.isSuccess(exit), isRemoval);
        assert.isFalse(Exit.hasDies(exit));
        const { blocks } = yield* loaded(disk);
        assert.isTrue(mayBeNewest(blocks[0]));
        if (former !== undefined) assert.include(blocks, former);
        disk.arm(undefined);
        yield* save(disk, 10);
        const after = yield* loaded(disk);
        assert.deepStrictEqual(after.blocks, blocks[0] ? [10, blocks[0]] : [10]);
        assert.strictEqual((yield* disk.list).length, after.blocks.length);
      }
    }),
  );
});

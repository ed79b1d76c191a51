import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Disk, DiskError, folderDisk, type KnownRange } from "@millrace/chain";
import { Effect, Logger } from "effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeMarketStore, type SavedMarket } from "../../src/networks/MarketStore.ts";

// On a real file system, except for faults of single operations.

const RANGES: ReadonlyArray<KnownRange> = [
  { fromBlock: 3, toBlock: 9, toHash: "0xab" },
  { fromBlock: 30, toBlock: 70, toHash: "0xabc", blocks: [{ number: 70, hash: "0xabc" }] },
];
/** More than one slice of the work, and no round multiple. */
const SIZE = 1_300_007;

let folder: string;
let disk: Disk;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-store-"));
  disk = await Effect.runPromise(folderDisk(folder));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The market of a generation; all of its bytes identify it. */
const market = (generation: number): SavedMarket => ({
  bytes: new Uint8Array(SIZE).fill(generation),
  ranges: RANGES,
});

const storeOn = (on: Disk, check: (bytes: Uint8Array) => string | undefined = () => undefined) =>
  makeMarketStore({ disk: on, chainId: 7, check });

const saved = (generation: number) => Effect.runPromise(storeOn(disk).save(market(generation)));

/** The generation that a new process would continue from, and the lines of the log. */
async function loaded(check?: (bytes: Uint8Array) => string | undefined) {
  const lines: string[] = [];
  const logger = Logger.make(({ message }) => lines.push(String(message)));
  const found = await Effect.runPromise(
    storeOn(disk, check).load.pipe(Effect.provide(Logger.layer([logger]))),
  );
  if (found !== undefined) {
    const { bytes, ranges } = market(found.bytes[0]!);
    expect(Buffer.compare(found.bytes, bytes)).toBe(0);
    expect(found.ranges).toEqual(ranges);
  }
  return { generation: found?.bytes[0], lines };
}

const names = () => readdirSync(folder).filter((name) => name.startsWith("market"));
const isAside = (bytes: Buffer) => readFileSync(join(folder, "market-7-left-aside")).equals(bytes);
const fileOf = (generation: number) => join(folder, `market-7-${generation}.saved`);

describe("a store of market data", () => {
  it("gives the newest of the last two saves to the next process, and the first one nothing", async () => {
    expect(await loaded()).toEqual({ generation: undefined, lines: [] });
    for (let generation = 1; generation <= 12; generation++) await saved(generation);
    expect(names().toSorted()).toEqual(["market-7-11.saved", "market-7-12.saved"]);
    expect(await loaded()).toEqual({ generation: 12, lines: [] });
  });

  it("goes on from the save before when any part of the newest is damaged, and says so", async () => {
    await saved(1);
    await saved(2);
    const whole = readFileSync(fileOf(2));
    const spots = [0, 7, 8, 39, 40, 43, 44, 60, 120, SIZE >> 1, whole.length - 1];
    for (const at of spots) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 1 << (at % 8);
      writeFileSync(fileOf(2), damaged);
      expect(await loaded()).toEqual({
        generation: 1,
        lines: ["Saved market data market-7-2.saved is left aside (damaged)"],
      });
    }
    for (const length of [0, 1, 8, 39, 40, 44, 100, whole.length - 1]) {
      writeFileSync(fileOf(2), whole.subarray(0, length));
      expect((await loaded()).generation).toBe(1);
    }
    writeFileSync(fileOf(2), Buffer.concat([whole, whole]));
    expect((await loaded()).generation).toBe(1);
    writeFileSync(fileOf(2), whole);
    expect((await loaded()).generation).toBe(2);
  });

  it("goes on from the save before when a market could not, whatever it says or throws", async () => {
    await saved(1);
    await saved(2);
    const refusing = (bytes: Uint8Array) => (bytes[0] === 2 ? "of version 9, not 2" : undefined);
    expect(await loaded(refusing)).toEqual({
      generation: 1,
      lines: ["Saved market data market-7-2.saved is left aside (of version 9, not 2)"],
    });
    const { generation, lines } = await loaded((bytes) => {
      if (bytes[0] === 2) throw new RangeError("no array is so long");
      return undefined;
    });
    expect(generation).toBe(1);
    expect(lines.join()).toContain("no array is so long");
  });

  it("starts with nothing rather than not at all, whatever ranges a whole file holds", async () => {
    for (const ranges of [
      null,
      {},
      "",
      [1],
      [{ fromBlock: 0 }],
      [{ ...RANGES[0], toBlock: "9" }],
    ]) {
      const strange = { ...market(3), ranges: ranges as never };
      await Effect.runPromise(storeOn(disk).save(strange));
      const { generation, lines } = await loaded();
      expect(generation).toBeUndefined();
      expect(lines.length).toBeGreaterThan(0);
    }
  });

  it("puts the newest of what it cannot use aside, where it stays, and removes the rest", async () => {
    await saved(1);
    await saved(2);
    const kept = readFileSync(fileOf(2));
    const store = storeOn(disk, () => "of version 9, not 2");
    expect(await Effect.runPromise(quiet(store.load))).toBeUndefined();
    await Effect.runPromise(store.save(market(3)));
    expect(names().toSorted()).toEqual(["market-7-3.saved", "market-7-left-aside"]);
    expect(isAside(kept)).toBe(true);
    for (let generation = 4; generation < 8; generation++) {
      await Effect.runPromise(store.save(market(generation)));
    }
    expect(names().toSorted()).toEqual([
      "market-7-6.saved",
      "market-7-7.saved",
      "market-7-left-aside",
    ]);
    expect(isAside(kept)).toBe(true);
  });

  it("takes nothing that lies beside its own files for a save, and lets it lie", async () => {
    await saved(4);
    const others = [
      ...["market-77-9.saved", "market-7-09.saved", "market-7-9.saved.old", "market-7-.saved"],
      ...["chain-7-9.snapshot", "market-7-1e9.saved", "market--7-9.saved"],
    ];
    for (const name of others) writeFileSync(join(folder, name), "x");
    mkdirSync(fileOf(90));
    expect(await loaded()).toEqual({ generation: 4, lines: [] });
    await saved(5);
    for (const name of others) expect(readFileSync(join(folder, name), "utf8")).toBe("x");
  });

  it("loses no save to a fault of any one step, and leaves no half of one behind", async () => {
    await saved(1);
    await saved(2);
    let steps = 0;
    for (const when of ["before", "after"] as const) {
      for (let step = 0; ; step++) {
        const before = await loaded();
        const failing = withFault(disk, step, when);
        const outcome = await Effect.runPromise(
          Effect.exit(quiet(storeOn(failing.disk).save(market(before.generation! + 1)))),
        );
        if (failing.count() <= step) break;
        steps++;
        const after = await loaded();
        expect(after.lines).toEqual([]);
        expect([before.generation, before.generation! + 1]).toContain(after.generation);
        if (outcome._tag === "Success") expect(after.generation).toBe(before.generation! + 1);
        expect(names().length).toBeLessThanOrEqual(4);
      }
    }
    // Write, sync, rename, names and removal each fail in both ways.
    expect(steps).toBeGreaterThanOrEqual(10);
    await saved(200);
    await saved(201);
    expect(names().length).toBe(2);
  });

  it("keeps what there was while the disk is full or gone, and saves once it is there again", async () => {
    await saved(1);
    const full: Disk = {
      ...disk,
      write: (name) =>
        Effect.tryPromise({
          try: () => writeFile("/dev/full", new Uint8Array(100)),
          catch: (cause) => new DiskError({ operation: "write", name, detail: String(cause) }),
        }),
    };
    const failure = await Effect.runPromise(Effect.flip(storeOn(full).save(market(2))));
    expect(failure.detail).toContain("ENOSPC");
    expect(names()).toEqual(["market-7-1.saved"]);
    rmSync(folder, { recursive: true });
    const gone = await Effect.runPromise(Effect.flip(storeOn(disk).save(market(2))));
    expect(gone.detail).toContain("ENOENT");
    const { generation, lines } = await loaded();
    expect(generation).toBeUndefined();
    expect(lines.join()).toContain("cannot be listed (ENOENT");
    mkdirSync(folder);
    await saved(3);
    expect(await loaded()).toEqual({ generation: 3, lines: [] });
  });

  it("goes on from what there was when a process ended in the middle of a save", async () => {
    await saved(1);
    const torn = join(folder, "market-7-2-1234.writing");
    writeFileSync(torn, readFileSync(fileOf(1)).subarray(0, SIZE >> 1));
    expect(await loaded()).toEqual({ generation: 1, lines: [] });
    await saved(2);
    expect(names().toSorted()).toEqual(["market-7-1.saved", "market-7-2.saved"]);
  });
});

/** Runs an effect without its log. */
const quiet = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  effect.pipe(Effect.provide(Logger.layer([])));

/** A disk on which one changing operation reports a failure, before or after it is done. */
function withFault(on: Disk, step: number, when: "before" | "after") {
  let count = 0;
  const failing = (operation: Effect.Effect<void, DiskError>) =>
    Effect.suspend(() => {
      if (count++ !== step) return operation;
      const fault = Effect.fail(new DiskError({ operation: "write", name: "", detail: "EIO" }));
      return when === "before" ? fault : Effect.andThen(operation, fault);
    });
  const wrapped: Disk = {
    list: on.list,
    read: on.read,
    write: (name, bytes) => failing(on.write(name, bytes)),
    sync: (name) => failing(on.sync(name)),
    rename: (from, to) => failing(on.rename(from, to)),
    remove: (name) => failing(on.remove(name)),
    syncNames: failing(on.syncNames),
  };
  return { disk: wrapped, count: () => count };
}

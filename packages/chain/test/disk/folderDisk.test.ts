import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Result, Stream } from "effect";
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { folderDisk } from "../../src/disk/folderDisk.ts";
import { makeSnapshotStore } from "../../src/snapshot/SnapshotStore.ts";
import { smallSnapshot } from "../snapshot/snapshots.ts";

const bytes = Uint8Array.of(1, 2, 3);
const children: ChildProcess[] = [];
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-disk-"));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

describe("a disk in a folder", () => {
  it("makes the folder and keeps files in it", async () => {
    const disk = await Effect.runPromise(folderDisk(join(folder, "a", "b")));
    await Effect.runPromise(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* disk.list, []);
        yield* disk.write("one.writing", Uint8Array.of(9, 9, 9, 9, 9));
        yield* disk.write("one.writing", bytes);
        yield* disk.sync("one.writing");
        yield* disk.rename("one.writing", "one");
        yield* disk.syncNames;
        assert.deepStrictEqual(yield* disk.list, ["one"]);
        assert.deepStrictEqual(Uint8Array.from(yield* disk.read("one")), bytes);
        yield* disk.remove("one");
        assert.deepStrictEqual(yield* disk.list, []);
      }),
    );
  });

  it("lists files only", async () => {
    await mkdir(join(folder, "inner"));
    await symlink("/", join(folder, "elsewhere"));
    await writeFile(join(folder, "one"), bytes);
    const disk = await Effect.runPromise(folderDisk(folder));
    assert.deepStrictEqual(await Effect.runPromise(disk.list), ["one"]);
  });

  it.each(["", ".", "..", ".hidden", "a/b", "../a", "/a", "a\\b", "a\0b", "a b", "x".repeat(256)])(
    "refuses %j as a name",
    async (name) => {
      const disk = await Effect.runPromise(folderDisk(folder));
      await Effect.runPromise(disk.write("one", bytes));
      for (const operation of [
        disk.write(name, bytes),
        disk.read(name),
        disk.sync(name),
        disk.remove(name),
        disk.rename(name, "two"),
        disk.rename("one", name),
      ]) {
        const result = await Effect.runPromise(Effect.result(operation));
        assert(Result.isFailure(result));
        assert.include(result.failure.detail, "no plain file name");
      }
      assert.deepStrictEqual(await Effect.runPromise(disk.list), ["one"]);
    },
  );

  it("reports what fails, with the operation and the name", async () => {
    const disk = await Effect.runPromise(folderDisk(folder));
    for (const operation of ["read", "sync", "remove"] as const) {
      const result = await Effect.runPromise(Effect.result(disk[operation]("none")));
      assert(Result.isFailure(result));
      assert.deepInclude(result.failure, { _tag: "DiskError", operation, name: "none" });
      assert.include(result.failure.detail, "ENOENT");
    }
    await writeFile(join(folder, "file"), bytes);
    const result = await Effect.runPromise(Effect.result(folderDisk(join(folder, "file"))));
    assert(Result.isFailure(result));
    assert.strictEqual(result.failure.operation, "open");
  });
});

describe("two processes on a folder", () => {
  it("are refused to the second, until the first is gone, however it went", async () => {
    const first = await holder();
    const refused = await Effect.runPromise(Effect.result(folderDisk(folder)));
    assert(Result.isFailure(refused));
    assert.strictEqual(refused.failure.operation, "open");
    assert.include(refused.failure.detail, `in use by process ${first.pid}`);
    first.kill("SIGKILL");
    await once(first, "exit");
    await Effect.runPromise(folderDisk(folder));
    assert.deepStrictEqual(await readdir(folder), ["lock-2"]);
  });

  it("does not mean one process that opens it again", async () => {
    await Effect.runPromise(folderDisk(folder));
    await Effect.runPromise(folderDisk(folder));
    assert.deepStrictEqual(await readdir(folder), ["lock-1"]);
  });

  it.each([
    ["of another machine", `elsewhere::${process.pid}:1`],
    ["of a former boot", `${hostname()}:0c7f:${process.pid}:1`],
    ["that makes no sense", "?"],
  ])("do not wait for the owner of a lock %s", async (_, owner) => {
    await symlink(owner, join(folder, "lock-7"));
    await Effect.runPromise(folderDisk(folder));
    assert.deepStrictEqual(await readdir(folder), ["lock-8"]);
  });

  it("of many that start at once over a dead one's lock, let one in", async () => {
    await symlink("?", join(folder, "lock-1"));
    const started = await Promise.all(Array.from({ length: 4 }, () => answer(lockingProcess())));
    assert.deepStrictEqual(started.toSorted(), ["held", "refused", "refused", "refused"]);
  });
});

describe("snapshots in a folder", () => {
  it("are sound when the process that saves them is killed amid a save", async () => {
    const { chainId, dexes } = smallSnapshot();
    const saver = start(`
      import { Effect } from "effect";
      import { folderDisk } from ${source("../../src/disk/folderDisk.ts")};
      import { makeSnapshotStore } from ${source("../../src/snapshot/SnapshotStore.ts")};
      import { smallSnapshot } from ${source("../snapshot/snapshots.ts")};
      const disk = await Effect.runPromise(folderDisk(${JSON.stringify(folder)}));
      const store = makeSnapshotStore({ disk, chainId: ${chainId}, dexes: "${dexes}" });
      for (let block = 1; ; block++) {
        await Effect.runPromise(store.save(smallSnapshot(block)));
        if (block === 3) console.log("saving");
      }`);
    await once(saver.stdout!, "data");
    saver.kill("SIGKILL");
    await once(saver, "exit");
    const disk = await Effect.runPromise(folderDisk(folder));
    const store = makeSnapshotStore({ disk, chainId, dexes });
    const found = await Effect.runPromise(Stream.runCollect(store.load));
    const names = await Effect.runPromise(disk.list);
    const generations = names.filter((name) => name.endsWith(".snapshot"));
    assert.isAtLeast(found.length, 2);
    assert.strictEqual(found.length, generations.length);
    assert.isAtLeast(found[0]!.stamp.number, 3);
  });
});

/** A process that holds the folder's lock. */
async function holder(): Promise<ChildProcess> {
  const child = lockingProcess();
  assert.strictEqual(await answer(child), "held");
  return child;
}

/** A process that tries to lock the folder, reports the outcome, and runs until it is killed. */
function lockingProcess(): ChildProcess {
  return start(`
    import { lockFolder } from ${source("../../src/disk/lockFolder.ts")};
    const holder = await lockFolder(${JSON.stringify(folder)});
    console.log(holder === undefined ? "held" : "refused");`);
}

async function answer(child: ChildProcess): Promise<string> {
  const [line] = await once(child.stdout!, "data");
  return String(line).trim();
}

function source(path: string): string {
  return JSON.stringify(new URL(path, import.meta.url).href);
}

/** Runs the script in a process, which lives until it is killed or this process ends. */
function start(script: string): ChildProcess {
  const untilEnd = `process.stdin.resume().on("end", () => process.exit());`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", untilEnd + script], {
    cwd: new URL("../..", import.meta.url),
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

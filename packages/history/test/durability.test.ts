import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { embeddedHistory, type HistoryStore, type HistoryTrade } from "@millrace/history";
import {
  killProcesses,
  law,
  RandomSource,
  surely,
  TestProcess,
  TestScope,
} from "@millrace/testing";
import { Effect } from "effect";
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { HistoryStory } from "./HistoryStory.ts";
import { PlainHistory } from "./PlainHistory.ts";

const WRITER = new URL("./killedWriter.ts", import.meta.url);
/** Kills fall within the first writes, and after many; a child starts in a third of a second. */
const WRITES_MAX = 40;

let folder = "";
let scope = new TestScope();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-durability-"));
  scope = new TestScope();
});
afterEach(async () => {
  await killProcesses();
  await scope.close();
  await rm(folder, { recursive: true });
});

const file = (name = "history.sqlite") => join(folder, name);
const opened = (options: { readonly path?: string; readonly pagesMax?: number } = {}) =>
  scope.run(embeddedHistory({ path: file(), chainId: 1, ...options }));
const reopen = async () => {
  await scope.close();
  scope = new TestScope();
};
const allBlocks = (history: HistoryStore) =>
  scope.run(history.blocks({ after: -1, swapsMax: Number.MAX_SAFE_INTEGER }));
const failureOf = (effect: Effect.Effect<unknown, unknown>) =>
  scope.run(Effect.flip(effect)) as Promise<{ readonly reason: string; readonly detail: string }>;

/** A store that lived through some of a story, and what is in it. */
async function lived(seed: number, writes: number) {
  const story = new HistoryStory(new RandomSource(seed), true);
  const plain = new PlainHistory();
  const history = await opened();
  for (let count = 0; count < writes; count++) {
    const changes = story.next();
    await scope.run(history.write(changes));
    plain.write(changes);
  }
  return { story, plain, history };
}

describe("a history in a file", () => {
  it("has all that was acknowledged after a kill, and of the write in flight all or nothing", async () => {
    for (const [index, random] of law("killed writers", 8).sources()) {
      await rm(file(), { force: true });
      const seed = random.integer(2 ** 31);
      const about = `kill ${index}, seed ${seed}`;
      const child = new TestProcess(WRITER, { words: [file(), String(seed)] });
      const last = random.integer(WRITES_MAX);
      await child.line(new RegExp(`^written ${last}\n`, "m"));
      await new Promise((resolve) => setTimeout(resolve, 30 * random.next() ** 2));
      await child.end("SIGKILL");
      const acknowledged = child.output.out.split("\n").filter((line) => line !== "").length;
      assert.isAbove(acknowledged, last, about);
      const story = new HistoryStory(new RandomSource(seed), true);
      const plain = new PlainHistory();
      for (let count = 0; count < acknowledged; count++) plain.write(story.next());
      const history = await opened();
      assert.deepEqual(await scope.run(history.check), { blocks: [], findings: [] }, about);
      const isOneMore = !(await isSame(history, plain));
      if (isOneMore) plain.write(story.next());
      assert.isTrue(await isSame(history, plain), about);
      for (const { address } of story.pools) {
        const query = { of: { kind: "pool", address }, limit: 1_000 } as const;
        assert.deepEqual(await scope.run(history.trades(query)), plain.trades(query), about);
      }
      for (const token of story.tokens) {
        const query = { of: { kind: "token", token }, seconds: 300, limit: 1_000 } as const;
        assert.deepEqual(await scope.run(history.candles(query)), plain.candles(query), about);
      }
      await reopen();
    }
  }, 14_400_000);

  it("goes on where it was, without a gap, when a full disk has room again", async () => {
    const story = new HistoryStory(new RandomSource(law("full disks", 1).seed), true);
    const plain = new PlainHistory();
    let history = await opened({ pagesMax: 120 });
    for (;;) {
      const changes = story.next();
      const outcome = await scope.run(Effect.result(history.write(changes)));
      if (outcome._tag === "Failure") {
        assert.equal(outcome.failure.reason, "Full");
        assert.isTrue(await isSame(history, plain));
        // Nothing is left behind by which a later one would succeed.
        assert.equal((await failureOf(history.write(changes))).reason, "Full");
        assert.isTrue(await isSame(history, plain));
        await reopen();
        history = await opened();
        await scope.run(history.write(changes));
        plain.write(changes);
        break;
      }
      plain.write(changes);
    }
    assert.isAbove(plain.blocks().length, 10);
    for (let count = 0; count < 10; count++) {
      const changes = story.next();
      await scope.run(history.write(changes));
      plain.write(changes);
    }
    assert.isTrue(await isSame(history, plain));
    assert.deepEqual(await scope.run(history.check), { blocks: [], findings: [] });
  }, 60_000);

  it("says why it cannot be opened", async () => {
    await writeFile(file("text"), "this is no database, however long one looks at it".repeat(100));
    await mkdir(file("folder"));
    new DatabaseSync(file("other")).exec("CREATE TABLE others (a); INSERT INTO others VALUES (1)");
    const newer = new DatabaseSync(file("newer"));
    newer.exec("PRAGMA user_version = 1000");
    newer.close();
    for (const [name, reason, words] of [
      ["text", "Damaged", /not a database/],
      ["folder", "Unavailable", /unable to open/],
      ["text/history.sqlite", "Unavailable", /ENOTDIR|EEXIST/],
      ["other", "Foreign", /something else/],
      ["newer", "Foreign", /of version 1000/],
    ] as const) {
      const failure = await failureOf(
        Effect.scoped(embeddedHistory({ path: file(name), chainId: 1 })),
      );
      assert.equal(failure.reason, reason, name);
      assert.match(failure.detail, words, name);
    }
    await opened();
    const foreign = await failureOf(Effect.scoped(embeddedHistory({ path: file(), chainId: 2 })));
    assert.deepEqual([foreign.reason, foreign.detail], ["Foreign", "of chain 1, not 2"]);
  });

  it.skipIf(process.getuid?.() === 0)("says that its folder is read-only", async () => {
    await chmod(folder, 0o500);
    const failure = await failureOf(Effect.scoped(embeddedHistory({ path: file(), chainId: 1 })));
    assert.oneOf(failure.reason, ["ReadOnly", "Unavailable"]);
    await chmod(folder, 0o700);
  });

  it("copies itself while writes go on: the copy is of one moment", async () => {
    const { story, plain, history } = await lived(7, 60);
    const moments = [plain.blocks()];
    const writing = (async () => {
      for (let count = 0; count < 40; count++) {
        const changes = story.next();
        await scope.run(history.write(changes));
        plain.write(changes);
        moments.push(plain.blocks());
      }
    })();
    await scope.run(history.copyTo(file("copy.sqlite")));
    await writing;
    const failure = await failureOf(history.copyTo(file("copy.sqlite")));
    assert.equal(failure.reason, "Invalid");
    const copy = await opened({ path: file("copy.sqlite") });
    const blocks = await allBlocks(copy);
    assert.isTrue(moments.some((moment) => isEqual(moment, blocks)));
    assert.deepEqual(await scope.run(copy.check), { blocks: [], findings: [] });
  });

  it("replaces a thread that is lost", async () => {
    const { story, plain, history } = await lived(3, 5);
    const hostile = { of: { kind: "pool", address: 7 }, limit: 1 } as never;
    const failure = await failureOf(history.trades(hostile));
    assert.equal(failure.reason, "Unavailable");
    assert.isTrue(await isSame(history, plain));
    const changes = story.next();
    await scope.run(history.write(changes));
    plain.write(changes);
    assert.isTrue(await isSame(history, plain));
  });

  it("is written by two processes at a time, each of which knows what the other wrote", async () => {
    const random = law("two writers of a file", 1).random();
    const story = new HistoryStory(random, true);
    const plain = new PlainHistory();
    const writers = [await opened(), await opened()];
    for (let count = 0; count < 60; count++) {
      const changes = story.next();
      await scope.run(random.pick(writers).write(changes));
      plain.write(changes);
      for (const writer of writers) {
        const { address } = random.pick(story.pools);
        const query = { of: { kind: "pool", address }, limit: 1_000 } as const;
        assert.deepEqual(await scope.run(writer.trades(query)), plain.trades(query));
      }
    }
    for (const writer of writers) assert.isTrue(await isSame(writer, plain));
    assert.deepEqual(await scope.run(writers[0]!.check), { blocks: [], findings: [] });
  });

  it("finds bytes that are not those that were written; its answers are right or missing", async () => {
    const { plain, story } = await lived(11, 50);
    await reopen();
    await copyFile(file(), file("sound.sqlite"));
    let found = 0;
    const flips = law("flipped bytes", 12);
    for (const [index, random] of flips.sources()) {
      await rm(`${file()}-wal`, { force: true });
      await copyFile(file("sound.sqlite"), file());
      const flipped = await flipOne(file(), random);
      const about = `flip ${index}, byte ${flipped}`;
      const damage = await answersRightly(plain, story, about);
      if (damage) found++;
      await reopen();
      assert.isTrue(existsSync(file()));
    }
    // Most of a file is what somebody wrote; some is room.
    assert.isAtLeast(found, surely(0.4 * flips.cases));
  }, 3_600_000);
});

/** Whether anything was found. */
async function answersRightly(plain: PlainHistory, story: HistoryStory, about: string) {
  const outcome = await scope.run(Effect.result(embeddedHistory({ path: file(), chainId: 1 })));
  if (outcome._tag === "Failure") {
    assert.oneOf(outcome.failure.reason, ["Damaged", "Foreign"], about);
    return true;
  }
  const history = outcome.success;
  const check = await scope.run(Effect.result(history.check));
  if (check._tag === "Failure") return true;
  const { blocks: lost, findings } = check.success;
  const isDamaged = lost.length > 0 || findings.length > 0;
  // What is left is what was written, of all that can be read.
  const kept = new Map(plain.blocks().map((block) => [block.stamp.number, block]));
  const read = await scope.run(
    Effect.result(history.blocks({ after: -1, swapsMax: Number.MAX_SAFE_INTEGER })),
  );
  if (read._tag === "Failure") assert.isTrue(isDamaged, about);
  else {
    for (const block of read.success) {
      assert.deepEqual(block, kept.get(block.stamp.number), about);
      kept.delete(block.stamp.number);
    }
    if (!isDamaged) assert.equal(kept.size, 0, about);
  }
  for (const address of story.addresses) {
    const query = { of: { kind: "token", address }, limit: 10_000 } as const;
    const trades = await scope.run(Effect.result(history.trades(query)));
    if (trades._tag === "Failure") {
      assert.isTrue(isDamaged, about);
      continue;
    }
    const written = new Set(plain.trades(query).map(textOf));
    const wanted = plain.trades(query).filter(({ stamp }) => !kept.has(stamp.number));
    if (findings.length === 0) assert.deepEqual(trades.success, wanted, about);
    for (const trade of trades.success) assert.isTrue(written.has(textOf(trade)), about);
  }
  const isMended =
    lost.length === 0 && findings.every((finding) => finding.startsWith("made anew"));
  for (const token of isMended ? story.tokens : []) {
    const query = { of: { kind: "token", token }, seconds: 60, limit: 10_000 } as const;
    assert.deepEqual(await scope.run(history.candles(query)), plain.candles(query), about);
  }
  return isDamaged;
}

const textOf = ({ stamp, ...swap }: HistoryTrade): string =>
  [stamp.number, ...Object.values(swap)].join();

/** Its place. */
async function flipOne(path: string, random: RandomSource): Promise<number> {
  const handle = await open(path, "r+");
  const { size } = await handle.stat();
  const at = random.integer(size);
  const byte = new Uint8Array(1);
  await handle.read(byte, 0, 1, at);
  byte[0]! ^= 1 << random.integer(8);
  await handle.write(byte, 0, 1, at);
  await handle.close();
  return at;
}

async function isSame(history: HistoryStore, plain: PlainHistory): Promise<boolean> {
  const coverage = await scope.run(history.coverage);
  const ranges = coverage.map(({ fromBlock, toBlock }) => ({ fromBlock, toBlock }));
  return isEqual(await allBlocks(history), plain.blocks()) && isEqual(ranges, plain.coverage());
}

function isEqual(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

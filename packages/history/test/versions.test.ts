import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import type { Address } from "@millrace/core";
import {
  embeddedHistory,
  type HistoryBlock,
  type HistoryChange,
  type HistoryStore,
  type StoredState,
} from "@millrace/history";
import { killProcesses, RandomSource, TestProcess, TestScope } from "@millrace/testing";
import { Effect } from "effect";
import { afterEach, assert, beforeEach, describe, it } from "vitest";
import { PlainHistory } from "./PlainHistory.ts";

const VERSIONS = [1];
const NEWEST = 2;
const OPENER = new URL("./killedOpener.ts", import.meta.url);

let folder = "";
let scope = new TestScope();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-versions-"));
  scope = new TestScope();
});
afterEach(async () => {
  await killProcesses();
  await scope.close();
  await rm(folder, { recursive: true });
});

/** What was kept in a file that a millrace of then wrote. */
interface Kept {
  readonly blocks: ReadonlyArray<HistoryBlock>;
  readonly coverage: ReadonlyArray<{ readonly fromBlock: number; readonly toBlock: number }>;
  readonly states: ReadonlyArray<StoredState>;
}

const recorded = async (version: number, kind: "sqlite" | "json"): Promise<Buffer> => {
  const url = new URL(`./versions/version${version}.${kind}.gz`, import.meta.url);
  return gunzipSync(await readFile(url));
};

async function keptIn(version: number): Promise<Kept> {
  const kept = JSON.parse(String(await recorded(version, "json")), (key, value) => {
    if (key === "prices") return new Map(value);
    if (key === "swaps") return value.map((swap: object) => ({ maker: undefined, ...swap }));
    if (key === "bytes") return new Uint8Array(Buffer.from(value, "hex"));
    return /^amount/.test(key) ? BigInt(value.slice(0, -1)) : value;
  });
  return kept as Kept;
}

/** A file of a version; gives its path. */
async function fileOf(version: number): Promise<string> {
  const path = join(folder, `version${version}.sqlite`);
  await writeFile(path, await recorded(version, "sqlite"));
  assert.equal(versionOf(path), version);
  return path;
}

function versionOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare("PRAGMA user_version").get()?.["user_version"];
  } finally {
    database.close();
  }
}

describe("a file of an earlier version", () => {
  for (const version of VERSIONS) {
    it(`${version} has all that it had, and goes on`, async () => {
      const path = await fileOf(version);
      const kept = await keptIn(version);
      const history = await scope.run(embeddedHistory({ path, chainId: 1 }));
      assert.equal(versionOf(path), NEWEST);
      const plain = new PlainHistory();
      const block = (block: HistoryBlock): HistoryChange => ({ kind: "block", block });
      plain.write(kept.blocks.map(block));
      await expectKept(history, plain, kept);
      // Blocks that were indexed then are taken back, and come again.
      const random = new RandomSource(1);
      const some = random.shuffled(kept.blocks).slice(0, 40);
      const revert = { kind: "revert", hashes: some.map(({ stamp }) => stamp.hash) } as const;
      plain.write([revert]);
      await scope.run(history.write([revert]));
      await expectAnswers(history, plain, kept);
      plain.write(some.map(block));
      await scope.run(history.write(some.map(block)));
      await expectAnswers(history, plain, kept);
      assert.deepEqual(await scope.run(history.check), { blocks: [], findings: [] });
    });

    it(`${version} is of one version or the other, whenever the process is killed`, async () => {
      const kept = await keptIn(version);
      const plain = new PlainHistory();
      plain.write(kept.blocks.map((block) => ({ kind: "block", block })));
      for (const afterMs of [0, 5, 15, 30]) {
        const path = await fileOf(version);
        const child = new TestProcess(OPENER, { words: [path] });
        await child.line(/^opening\n/m);
        await new Promise((resolve) => setTimeout(resolve, afterMs));
        await child.end("SIGKILL");
        assert.oneOf(versionOf(path), [version, NEWEST]);
        const history = await scope.run(embeddedHistory({ path, chainId: 1 }));
        await expectKept(history, plain, kept);
        await scope.close();
        scope = new TestScope();
        await rm(path);
      }
    });

    it(`${version} is mended where it was damaged before`, async () => {
      const path = await fileOf(version);
      const kept = await keptIn(version);
      const database = new DatabaseSync(path);
      const [first] = database
        .prepare(`SELECT number FROM blocks WHERE number NOT IN
          (SELECT number FROM unindexed) ORDER BY number`)
        .all();
      const lost = Number(first!["number"]);
      database.prepare("UPDATE blocks SET checksum = checksum + 1 WHERE number = ?").run(lost);
      database.close();
      const history = await scope.run(embeddedHistory({ path, chainId: 1 }));
      assert.deepEqual(await scope.run(history.check), { blocks: [lost], findings: [] });
      const plain = new PlainHistory();
      const left = kept.blocks.filter(({ stamp }) => stamp.number !== lost);
      plain.write(left.map((block) => ({ kind: "block", block })));
      await expectAnswers(history, plain, kept);
    });
  }

  it("is not changed by who only reads, who is told of its version", async () => {
    const path = await fileOf(1);
    const opened = embeddedHistory({ path, chainId: 1, isReadOnly: true });
    const failure = await scope.run(Effect.flip(Effect.scoped(opened)));
    assert.equal(failure.reason, "Foreign");
    assert.match(failure.detail, /of version 1/);
    assert.equal(versionOf(path), 1);
  });
});

async function expectKept(history: HistoryStore, plain: PlainHistory, kept: Kept) {
  const coverage = await scope.run(history.coverage);
  assert.deepEqual(
    coverage.map(({ fromBlock, toBlock }) => ({ fromBlock, toBlock })),
    kept.coverage,
  );
  const asOf = Number.MAX_SAFE_INTEGER;
  assert.deepEqual(await scope.run(history.states({ asOf })), kept.states);
  await expectAnswers(history, plain, kept);
}

/** All blocks, all trades and all candles. */
async function expectAnswers(history: HistoryStore, plain: PlainHistory, kept: Kept) {
  const all = { after: -1, swapsMax: Number.MAX_SAFE_INTEGER };
  assert.deepEqual(await scope.run(history.blocks(all)), plain.blocks());
  const swaps = kept.blocks.flatMap((block) => block.swaps);
  const limit = 1e6;
  for (const [kind, addresses] of [
    ["pool", swaps.map(({ pool }) => pool)],
    ["token", swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])],
    ["maker", swaps.flatMap(({ maker }) => maker ?? [])],
  ] as const) {
    for (const address of new Set<Address>(addresses)) {
      const query = { of: { kind, address }, limit };
      assert.deepEqual(await scope.run(history.trades(query)), plain.trades(query));
    }
  }
  for (const { transactionHash: hash } of swaps.filter((_, at) => at % 40 === 0)) {
    const query = { of: { kind: "transaction", hash }, limit } as const;
    assert.deepEqual(await scope.run(history.trades(query)), plain.trades(query));
  }
  const pairs = new Map(
    swaps.map(({ pool, tokenIn, tokenOut }) => {
      const [token0, token1] = [tokenIn, tokenOut].sort() as [Address, Address];
      return [`${pool}${token0}${token1}`, { kind: "pair", pool, token0, token1 } as const];
    }),
  );
  const tokens = new Set(swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
  const subjects = [...tokens].map((token) => ({ kind: "token", token }) as const);
  for (const of of [...subjects, ...pairs.values()]) {
    for (const seconds of [60, 3_600]) {
      const query = { of, seconds, limit };
      assert.deepEqual(await scope.run(history.candles(query)), plain.candles(query));
    }
  }
}

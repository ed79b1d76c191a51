import {
  type HistoryChange,
  type HistoryStore,
  HistoryWriter,
  postgresHistory,
} from "@millrace/history";
import { budget, law, TestScope, until } from "@millrace/testing";
import { Effect } from "effect";
import { afterAll, afterEach, assert, beforeAll, describe, expect, it } from "vitest";
import { HistoryStory } from "./HistoryStory.ts";
import { historyLaws } from "./historyLaws.ts";
import { PostgresServer, postgresPrograms } from "./PostgresServer.ts";

const programs = postgresPrograms();
if (programs === undefined) {
  console.warn(
    "SKIPPED packages/history/test/postgres.test.ts: no PostgreSQL server (initdb, postgres) is " +
      "installed; `apt-get install postgresql` brings it",
  );
}

describe.skipIf(programs === undefined)("PostgreSQL", () => {
  let server: PostgresServer;
  let scope: TestScope;
  const stores: TestScope[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start(programs!);
  });

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  afterAll(() => server?.stop());

  const open = (schema: string, chainId = 1): Promise<HistoryStore> => {
    scope = new TestScope();
    stores.push(scope);
    return scope.run(postgresHistory({ url: server.url(), chainId, schema }));
  };
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect);

  historyLaws("in PostgreSQL", async () => {
    const schema = server.newSchema();
    return {
      open: postgresHistory({ url: server.url(), chainId: 1, schema }),
      dispose: async () => void (await server.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
    };
  });

  it("keeps the chains of one schema apart", async () => {
    const schema = server.newSchema();
    const random = law("two chains in a database", 1).random();
    const [one, other] = [await open(schema, 1), await open(schema, 8453)];
    // The same pools, tokens and hashes: a fork.
    const story = new HistoryStory(random);
    const changes = grown(story, 60);
    await run(one.write(changes));
    assert.deepEqual(await run(everything(other)), []);
    assert.deepEqual(await run(other.coverage), []);
    await run(other.write(changes));
    const before = await Promise.all([run(everything(other)), run(candlesOf(other, story))]);
    const hashes = story.blocks.map(({ stamp }) => stamp.hash);
    await run(one.write([{ kind: "revert", hashes }]));
    assert.deepEqual(await run(everything(one)), []);
    assert.deepEqual(await run(candlesOf(one, story)), []);
    const after = await Promise.all([run(everything(other)), run(candlesOf(other, story))]);
    assert.deepEqual(after, before);
    expect(before[0].length).toBeGreaterThan(0);
    expect(before[1].length).toBeGreaterThan(0);
  });

  it("is brought to one version by all who start together", async () => {
    const schema = server.newSchema();
    const stores = await Promise.all([1, 1, 2, 2, 3].map((chainId) => open(schema, chainId)));
    assert.deepEqual(await Promise.all(stores.map(({ size }) => run(size).then((s) => s.swaps))), [
      ...[0, 0, 0, 0, 0],
    ]);
    assert.deepEqual(await server.query(`SELECT version FROM ${schema}.schema_version`), [
      { version: 1 },
    ]);
  });

  it("refuses a schema of a later version, and tables that are another's", async () => {
    const later = server.newSchema();
    await open(later);
    await server.query(`UPDATE ${later}.schema_version SET version = 1000`);
    const refused = await run(Effect.flip(Effect.scoped(store(later))));
    assert.equal(refused.reason, "Foreign");
    assert.match(refused.detail, /version 1000/);
    const others = server.newSchema();
    await server.query(`CREATE SCHEMA ${others}`);
    await server.query(`CREATE TABLE ${others}.trades (mine text)`);
    assert.equal((await run(Effect.flip(Effect.scoped(store(others))))).reason, "Foreign");
    assert.deepEqual(
      await server.query(`SELECT tablename FROM pg_tables WHERE schemaname = '${others}'`),
      [{ tablename: "trades" }],
    );
  });

  it("lets two writers of a chain write one after the other", async () => {
    const schema = server.newSchema();
    const story = new HistoryStory(law("two writers of a chain", 1).random());
    const writers = [await open(schema), await open(schema)];
    const writes = Array.from({ length: 12 }, () => grown(story, 5));
    // Both are told of every block, as two services on one chain are.
    await Promise.all(
      writers.map(async (writer) => {
        for (const changes of writes) await run(writer.write(changes));
      }),
    );
    const blocks = story.blocks.filter(({ swaps }) => swaps.length > 0);
    assert.deepEqual(await run(everything(writers[0]!)), blocks);
    assert.deepEqual(await run(writers[1]!.check), { blocks: [], findings: [] });
  });

  it("says that it is cut off, and keeps all or nothing of what was being written", async () => {
    const schema = server.newSchema();
    const story = new HistoryStory(law("a connection that is cut", 1).random());
    const history = await open(schema);
    const failures: string[] = [];
    for (let round = 0; round < budget(45); round++) {
      const before = story.blocks.length;
      const changes = grown(story, 8);
      const outcome = run(Effect.result(history.write(changes)));
      // At some moment of it.
      await new Promise((resolve) => setTimeout(resolve, round % 15));
      await server.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'millrace'`,
      );
      const result = await outcome;
      if (result._tag === "Failure") {
        failures.push(result.failure.reason);
        const kept = (await run(eventuallyRead(history))).length;
        const counts = [before, story.blocks.length].map(
          (end) => story.blocks.slice(0, end).filter(({ swaps }) => swaps.length > 0).length,
        );
        expect(counts).toContain(kept);
      }
      await run(Effect.retry(history.write(changes), { times: 5 }));
    }
    expect(failures.length).toBeGreaterThan(0);
    expect(new Set(failures)).toEqual(new Set(["Unavailable"]));
    const blocks = story.blocks.filter(({ swaps }) => swaps.length > 0);
    assert.deepEqual(await run(everything(history)), blocks);
    assert.deepEqual(await run(history.check), { blocks: [], findings: [] });
  });

  it("finds nothing wrong where times of blocks go back across midnight", async () => {
    const history = await open(server.newSchema());
    const story = new HistoryStory(law("clocks at midnight", 1).random());
    while (story.blocks.every(({ swaps }) => swaps.length === 0)) story.follow();
    const { swaps, prices } = story.blocks.find((block) => block.swaps.length > 0)!;
    const midnightMs = 20_000 * 86_400_000;
    const changes = [-20, 5, -10, 30].map((seconds, number): HistoryChange => {
      const hash = `0x${String(number + 1).padStart(64, "0")}` as const;
      const stamp = { number, hash, timestampMs: midnightMs + 1_000 * seconds };
      return { kind: "block", block: { stamp, swaps, prices } };
    });
    await run(history.write(changes));
    const before = await run(candlesOf(history, story));
    assert.deepEqual(await run(history.check), { blocks: [], findings: [] });
    assert.deepEqual(await run(candlesOf(history, story)), before);
  });

  it("never shows the password", async () => {
    const secret = "hunter2 is wrong";
    const schema = server.newSchema();
    const urls = [
      server.url(secret),
      `postgres://millrace:${secret.replaceAll(" ", "")}@localhost:1/none`,
      `postgres://millrace:hunter2@[/none`,
      `mysql://millrace:hunter2@localhost/none`,
    ];
    for (const url of urls) {
      const failing = Effect.scoped(postgresHistory({ url, chainId: 1, schema }));
      const error = await run(Effect.flip(failing));
      assert.equal(error.reason, "Unavailable");
      for (const text of [String(error), JSON.stringify(error), error.detail, `${error.stack}`]) {
        expect(text).not.toMatch(/hunter2/);
      }
    }
  });

  it("refuses names that are no schemas, and copies: pg_dump makes them", async () => {
    for (const schema of ["", "a b", 'x"; DROP SCHEMA public', "Öl", "a".repeat(64)]) {
      assert.equal((await run(Effect.flip(Effect.scoped(store(schema))))).reason, "Invalid");
    }
    const history = await open(server.newSchema());
    const refused = await run(Effect.flip(history.copyTo("/tmp/copy")));
    assert.equal(refused.reason, "Invalid");
    assert.match(refused.detail, /pg_dump/);
  });

  it("is read by those who may only read", async () => {
    const schema = server.newSchema();
    const story = new HistoryStory(law("a reader of a database", 1).random());
    await run((await open(schema)).write(grown(story, 20)));
    await server.query(`CREATE ROLE reader_${schema} LOGIN PASSWORD '${server.password}'`);
    await server.query(`GRANT USAGE ON SCHEMA ${schema} TO reader_${schema}`);
    await server.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO reader_${schema}`);
    const url = server.url().replace("millrace:", `reader_${schema}:`);
    const scope = new TestScope();
    stores.push(scope);
    const reader = await scope.run(postgresHistory({ url, chainId: 1, schema }));
    expect((await run(everything(reader))).length).toBeGreaterThan(0);
    const failure = await run(Effect.flip(reader.write(grown(story, 20))));
    assert.equal(failure.reason, "ReadOnly");
  });

  it("finds blocks without all of their trades, and candles that are not theirs", async () => {
    const schema = server.newSchema();
    const story = new HistoryStory(law("damage in a database", 1).random());
    const history = await open(schema);
    await run(history.write(grown(story, 80)));
    const [before] = [await run(candlesOf(history, story))];
    await server.query(`UPDATE ${schema}.token_candles SET high = high + 1 WHERE ctid IN (
      SELECT ctid FROM ${schema}.token_candles WHERE high IS NOT NULL LIMIT 3)`);
    await server.query(`DELETE FROM ${schema}.pair_candles WHERE ctid IN (
      SELECT ctid FROM ${schema}.pair_candles WHERE seconds = 3600 LIMIT 2)`);
    const found = await run(history.check);
    assert.deepEqual(found.blocks, []);
    assert.deepEqual(found.findings, ["5 candles were made anew"]);
    assert.deepEqual(await run(candlesOf(history, story)), before);
    const blocks = await run(everything(history));
    const lost = blocks[3]!.stamp.number;
    await server.query(`DELETE FROM ${schema}.trades WHERE block_number = ${lost}
      AND log_index = (SELECT min(log_index) FROM ${schema}.trades WHERE block_number = ${lost})`);
    assert.deepEqual((await run(history.check)).blocks, [lost]);
    assert.deepEqual(
      await run(everything(history)),
      blocks.filter(({ stamp }) => stamp.number !== lost),
    );
    const ranges = await run(history.coverage);
    expect(ranges.some((range) => range.fromBlock <= lost && range.toBlock >= lost)).toBe(false);
    // What follows is told from its own time on, not from that of what was before.
    const next = blocks.find(({ stamp }) => stamp.number > lost)!.stamp.timestampMs;
    expect(ranges.find(({ fromBlock }) => fromBlock === lost + 1)?.fromMs).toBe(next);
    assert.deepEqual(await run(history.check), { blocks: [], findings: [] });
  });

  it("is written on by itself when its server was lost, without a gap", async () => {
    const schema = server.newSchema();
    const story = new HistoryStory(law("a server that is lost", 1).random());
    const history = await open(schema);
    const problems: Array<string | undefined> = [];
    const writer = new HistoryWriter({
      store: history,
      onProblem: (problem) => Effect.sync(() => void problems.push(problem?.reason)),
    });
    await scope.run(Effect.forkScoped(writer.run));
    const offer = (blocks: number) => {
      for (const change of grown(story, blocks)) {
        assert.isTrue(writer.offer(change, Date.now()));
      }
    };
    const isWritten = () => writer.status(Date.now()).behindMs === 0;
    offer(20);
    await until(isWritten, () => "before the loss");
    await server.lose();
    offer(20);
    await until(
      () => writer.status(Date.now()).problem !== undefined,
      () => "the loss is not told",
    );
    offer(20);
    await server.resume();
    await until(isWritten, () => `after the loss: ${writer.status(Date.now()).problem}`);
    const blocks = story.blocks.filter(({ swaps }) => swaps.length > 0);
    assert.deepEqual(await run(everything(history)), blocks);
    assert.deepEqual(problems, ["Unavailable", undefined]);
    assert.deepEqual(await run(history.check), { blocks: [], findings: [] });
  });

  it("keeps states by checkpoint, takes them back with their blocks, and forgets the past", async () => {
    const schema = server.newSchema();
    const story = new HistoryStory(law("states in a database", 1).random());
    const history = await open(schema);
    await run(history.write(grown(story, 80)));
    const stateOf = (at: number, kind: "checkpoint" | "delta"): HistoryChange => {
      const { stamp } = story.blocks[at]!;
      return { kind: "state", state: { stamp, kind, bytes: Uint8Array.of(at, 0, 255) } };
    };
    const kinds = ["checkpoint", "delta", "delta", "checkpoint", "delta"] as const;
    await run(history.write(kinds.map((kind, at) => stateOf(10 * at, kind))));
    const read = async (at: number) => {
      const states = await run(history.states({ asOf: story.blocks[at]!.stamp.number }));
      return states.map(({ kind, bytes }) => [kind, bytes[0]]);
    };
    assert.deepEqual(await read(25), [
      ["checkpoint", 0],
      ["delta", 10],
      ["delta", 20],
    ]);
    assert.deepEqual(await read(79), [
      ["checkpoint", 30],
      ["delta", 40],
    ]);
    await run(history.write([{ kind: "revert", hashes: [story.blocks[40]!.stamp.hash] }]));
    assert.deepEqual(await read(79), [["checkpoint", 30]]);
    const hourMs = 3_600_000;
    const swapped = story.blocks.filter(({ swaps }, at) => swaps.length > 0 && at !== 40);
    const firstMs = swapped[0]!.stamp.timestampMs;
    const endMs = firstMs - (firstMs % hourMs) + hourMs;
    await run(history.write([{ kind: "forget", beforeMs: endMs - 1 }]));
    assert.deepEqual(await run(everything(history)), swapped);
    await run(history.write([{ kind: "forget", beforeMs: endMs }]));
    const left = swapped.filter(({ stamp }) => stamp.timestampMs >= endMs);
    assert.deepEqual(await run(everything(history)), left);
    assert.deepEqual(await run(history.check), { blocks: [], findings: [] });
  });

  const store = (schema: string) => postgresHistory({ url: server.url(), chainId: 1, schema });
});

/** Changes by which a story grows by so many blocks at least; none is taken back. */
function grown(story: HistoryStory, count: number): HistoryChange[] {
  const end = story.blocks.length + count;
  const changes: HistoryChange[] = [];
  while (story.blocks.length < end) changes.push(...story.follow());
  return changes;
}

const everything = (history: HistoryStore) => history.blocks({ after: -1, swapsMax: 1e9 });

const eventuallyRead = (history: HistoryStore) => Effect.retry(everything(history), { times: 5 });

const candlesOf = (history: HistoryStore, story: HistoryStory) =>
  Effect.map(
    Effect.forEach(story.tokens, (token) =>
      history.candles({ of: { kind: "token", token }, seconds: 3_600, limit: 1_000 }),
    ),
    (lists) => lists.flat(),
  );

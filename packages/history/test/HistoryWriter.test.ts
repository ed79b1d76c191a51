import { type HistoryChange, HistoryError, HistoryWriter } from "@millrace/history";
import { law, RandomSource, TestScope, until } from "@millrace/testing";
import { Effect } from "effect";
import { assert, describe, it } from "vitest";
import { HistoryStory } from "./HistoryStory.ts";

describe("a writer of a history", () => {
  it("writes all that comes, once and in order, through failures of the store", async () => {
    for (const [index, random] of law("writers of histories", 20).sources()) {
      const scope = new TestScope();
      const story = new HistoryStory(random);
      const written: HistoryChange[] = [];
      const problems: boolean[] = [];
      const writer = new HistoryWriter({
        store: {
          write: (changes) =>
            random.chance(0.3)
              ? Effect.fail(new HistoryError({ reason: "Full", detail: "no room" }))
              : Effect.sync(() => void written.push(...changes)),
        },
        onProblem: (problem) => Effect.sync(() => void problems.push(problem !== undefined)),
      });
      const offered: HistoryChange[] = [];
      await scope.run(Effect.forkScoped(writer.run));
      for (let step = 0; step < 8; step++) {
        for (const change of story.next()) {
          assert.isTrue(writer.offer(change, Date.now()));
          offered.push(change);
        }
        await new Promise((resolve) => setTimeout(resolve, random.integer(30)));
      }
      await until(
        () => writer.status(Date.now()).behindMs === 0 && written.length === offered.length,
        () => `${index}: ${written.length} of ${offered.length}`,
      );
      assert.deepEqual(written, offered);
      const { failures, problem, droppedBlocks, waitingSwaps } = writer.status(Date.now());
      assert.deepEqual([problem, droppedBlocks, waitingSwaps], [undefined, 0, 0]);
      // A row of failures is told once, and its end.
      assert.isTrue(problems.every((isProblem, at) => isProblem === (at % 2 === 0)));
      assert.equal(problems.length > 0, failures > 0);
      await scope.close();
    }
  }, 120_000);

  it("leaves out what is impossible, and that alone", async () => {
    const story = new HistoryStory(new RandomSource(1));
    const written: HistoryChange[] = [];
    const isImpossible = (change: HistoryChange) =>
      change.kind === "block" && change.block.stamp.number % 3 === 0;
    const writer = new HistoryWriter({
      store: {
        write: (changes) =>
          changes.some(isImpossible)
            ? Effect.fail(new HistoryError({ reason: "Invalid", detail: "impossible" }))
            : Effect.sync(() => void written.push(...changes)),
      },
    });
    const offered: HistoryChange[] = [];
    while (offered.length < 40) {
      for (const change of story.next()) {
        writer.offer(change, 0);
        offered.push(change);
      }
    }
    await Effect.runPromise(writer.finish);
    assert.deepEqual(
      written,
      offered.filter((change) => !isImpossible(change)),
    );
    assert.equal(writer.status(0).droppedBlocks, offered.filter(isImpossible).length);
    const numbers = written.flatMap((change) =>
      change.kind === "block" ? [change.block.stamp.number] : [],
    );
    assert.equal(writer.status(0).writtenBlock, Math.max(...numbers));
  });

  it("says what was impossible until something is written again", async () => {
    const problems: Array<string | undefined> = [];
    const writer = new HistoryWriter({
      store: {
        write: (changes) =>
          changes.some(({ kind }) => kind === "forgetUncovered")
            ? Effect.fail(new HistoryError({ reason: "Invalid", detail: "impossible" }))
            : Effect.void,
      },
      onProblem: (problem) => Effect.sync(() => void problems.push(problem?.reason)),
    });
    writer.offer({ kind: "forgetUncovered" }, 0);
    await Effect.runPromise(writer.finish);
    assert.equal(writer.status(0).problem?.reason, "Invalid");
    writer.offer({ kind: "revertAbove", number: 7 }, 0);
    await Effect.runPromise(writer.finish);
    assert.deepEqual(problems, ["Invalid", undefined]);
  });

  it("waits where the rest of a batch with something impossible finds no room", async () => {
    const story = new HistoryStory(new RandomSource(3));
    const changes = Array.from({ length: 8 }, () => story.next()).flat();
    let writes = 0;
    const writer = new HistoryWriter({
      store: {
        write: (some) => {
          // A loop that does not wait would hold the test for ever.
          if (++writes > 10) throw new Error("written again and again");
          const reason = some.length > 1 ? "Invalid" : "Full";
          return Effect.fail(new HistoryError({ reason, detail: "" }));
        },
      },
    });
    for (const change of changes) writer.offer(change, 0);
    await Effect.runPromise(writer.finish);
    assert.equal(writes, 2);
    assert.equal(writer.status(0).problem?.reason, "Full");
  });

  it("takes no block for which there is no room, and still takes one back", async () => {
    const story = new HistoryStory(new RandomSource(2));
    const writer = new HistoryWriter({
      store: { write: () => Effect.fail(new HistoryError({ reason: "Full", detail: "" })) },
      swapsMax: 30,
    });
    const blocks: HistoryChange[] = [];
    while (blocks.length < 60) {
      blocks.push(...story.next().filter(({ kind }) => kind === "block"));
    }
    const taken = blocks.filter((block) => writer.offer(block, 5)).length;
    const status = writer.status(25);
    assert.isAbove(taken, 0);
    assert.equal(status.droppedBlocks, blocks.length - taken);
    assert.isAtMost(status.waitingSwaps, 30);
    assert.equal(status.behindMs, 20);
    assert.isFalse(writer.hasRoom);
    assert.isTrue(writer.offer({ kind: "revert", hashes: ["0x"] }, 25));
    await Effect.runPromise(writer.finish);
    assert.equal(writer.status(25).problem?.reason, "Full");
  });
});

import { assert, describe, it } from "@effect/vitest";
import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import { Ancestry, type Ask } from "../../src/follow/Ancestry.ts";
import type { Following } from "../../src/follow/Following.ts";
import type { Header } from "../../src/follow/Header.ts";
import { confirmKnown } from "../../src/history/confirmKnown.ts";
import { firstBlockSince } from "../../src/history/firstBlockSince.ts";
import type { KnownRange } from "../../src/history/KnownRange.ts";
import type { Endpoint } from "../../src/rpc/Endpoints.ts";

const JOURNAL_DEPTH = 8;
/** Branches are named by a hex digit; `b` leaves `a` after this block, `c` deeper down. */
const FORK = 27;
const DEEP_FORK = 12;
const END = header(30, "a");

describe("the ancestry of a header", () => {
  it.effect("is found by hash near its end, where a node's numbers are of another branch", () =>
    Effect.gen(function* () {
      const node = nodeOf("b");
      const ancestry = new Ancestry(node.ask, END, JOURNAL_DEPTH);
      for (let number = 30; number >= 0; number--) {
        const { hash } = yield* ancestry.headerAt(number);
        assert.strictEqual(hash, hashOf(number, "a"));
      }
      yield* ancestry.confirm;
    }),
  );

  it.effect("shares with a branch all blocks up to the fork, wherever that is", () =>
    Effect.gen(function* () {
      for (let fork = 0; fork <= 30; fork++) {
        const blocks = Array.from({ length: 30 }, (_, index) => {
          const number = index + 1;
          return { number, hash: hashOf(number, number > fork ? "d" : "a") };
        });
        const ancestry = new Ancestry(nodeOf("a").ask, END, JOURNAL_DEPTH);
        assert.strictEqual(yield* ancestry.countShared(blocks), fork);
        yield* ancestry.confirm;
      }
    }),
  );

  it.effect("is not confirmed when a deep reorganisation struck while it was asked for", () =>
    Effect.gen(function* () {
      const node = nodeOf("a");
      const ancestry = new Ancestry(node.ask, END, JOURNAL_DEPTH);
      assert.strictEqual((yield* ancestry.headerAt(25)).hash, hashOf(25, "a"));
      node.branch = "c";
      const ofLostBranch = [{ number: 14, hash: hashOf(14, "a") }];
      // The hashes that the node now has by number are not of this chain.
      assert.strictEqual(yield* ancestry.countShared(ofLostBranch), 0);
      const error = yield* Effect.flip(ancestry.confirm);
      assert.strictEqual(error.reason, "Refused");
    }),
  );

  it.effect("needs no confirmation where all of it was found by hash", () =>
    Effect.gen(function* () {
      const node = nodeOf("a");
      const ancestry = new Ancestry(node.ask, END, JOURNAL_DEPTH);
      const recent = [{ number: 26, hash: hashOf(26, "a") }];
      assert.strictEqual(yield* ancestry.countShared(recent), 1);
      const before = node.asked();
      yield* ancestry.confirm;
      assert.strictEqual(node.asked(), before);
    }),
  );
});

describe("what a reader knows from an earlier life", () => {
  it.effect("is confirmed as far as the market's block and its branch reach, and no further", () =>
    Effect.gen(function* () {
      // The market opens at the tip of a short fork; others have the reader's blocks up to 30.
      const tip = header(28, "b");
      const known = [rangeOf(20, 30, "a")];
      const { following, confirmedTo } = opening(known);
      const node = nodeOf("a");
      const ancestry = new Ancestry(node.ask, tip, JOURNAL_DEPTH);
      const parts = yield* confirmKnown(following, ancestry, tip);
      assert.strictEqual(confirmedTo(), FORK);
      assert.deepStrictEqual(
        parts.map(({ range, blocks }) => [range.toBlock, blocks.at(-1)?.hash]),
        [[FORK, hashOf(FORK, "a")]],
      );
    }),
  );

  it.effect("is dropped where all of it comes after the market's block", () =>
    Effect.gen(function* () {
      const { following, confirmedTo } = opening([rangeOf(29, 30, "a")]);
      const tip = header(28, "b");
      const ancestry = new Ancestry(nodeOf("a").ask, tip, JOURNAL_DEPTH);
      assert.deepStrictEqual(yield* confirmKnown(following, ancestry, tip), []);
      assert.isUndefined(confirmedTo());
    }),
  );

  it.effect("goes on below with the block that its own branch has before it", () =>
    Effect.gen(function* () {
      // By number, the node gives block 28 of the other branch.
      const { following } = opening([rangeOf(28, 29, "a")]);
      const ancestry = new Ancestry(nodeOf("b").ask, END, JOURNAL_DEPTH);
      const [part] = yield* confirmKnown(following, ancestry, END);
      assert.strictEqual(part?.range.parentHash, hashOf(27, "a"));
      assert.strictEqual(part?.blocks.at(-1)?.hash, hashOf(29, "a"));
    }),
  );
});

describe("the first block of the past that is wanted", () => {
  it.effect("is of the followed branch where a node's numbers are of one with other times", () =>
    Effect.gen(function* () {
      const ancestry = new Ancestry(nodeOf("b").ask, END, JOURNAL_DEPTH);
      const sinceMs = header(28, "a").timestampMs;
      assert.isBelow(header(28, "b").timestampMs, sinceMs);
      const found = yield* firstBlockSince(ancestry.headerAt, END, sinceMs, 0, 2);
      assert.strictEqual(found, 28);
    }),
  );
});

/** A node that has all branches by hash, and by number the branch that it considers canonical. */
function nodeOf(branch: Branch) {
  let asked = 0;
  const endpoint: Endpoint = {
    name: "node",
    request: (_, [which]) =>
      Effect.sync(() => {
        asked++;
        const wanted = which as Hex;
        const found =
          wanted.length === 66
            ? header(Number.parseInt(wanted.slice(3), 16), wanted[2] as Branch)
            : header(Number(wanted), node.branch);
        const { number, timestampMs } = found;
        const quantities = { number: hexOf(number), timestamp: hexOf(timestampMs / 1_000) };
        return { ...found, ...quantities };
      }),
  };
  const ask: Ask = (use) => use(endpoint);
  const node = { ask, branch, asked: () => asked };
  return node;
}

function opening(known: ReadonlyArray<KnownRange>) {
  const condition: { confirmedTo: number | undefined } = { confirmedTo: undefined };
  const following = { known, condition, mirror: { resetCount: 0 } } as unknown as Following;
  return { following, confirmedTo: () => condition.confirmedTo };
}

function rangeOf(fromBlock: number, toBlock: number, branch: Branch): KnownRange {
  const numbers = Array.from({ length: toBlock - fromBlock + 1 }, (_, index) => fromBlock + index);
  const blocks = numbers.map((number) => ({ number, hash: hashOf(number, branch) }));
  return { fromBlock, toBlock, toHash: hashOf(toBlock, branch), blocks };
}

type Branch = "a" | "b" | "c" | "d";

function header(number: number, branch: Branch): Header {
  return {
    number,
    hash: hashOf(number, branch),
    parentHash: hashOf(Math.max(0, number - 1), branch),
    // Blocks of a fork come a second earlier.
    timestampMs: 12_000 * number - (ownBranch(number, branch) === "a" ? 0 : 1_000),
    logsBloom: `0x${"0".repeat(512)}`,
    receiptsRoot: undefined,
  };
}

function hashOf(number: number, branch: Branch): Hex {
  return `0x${ownBranch(number, branch)}${number.toString(16).padStart(63, "0")}`;
}

/** The branch that names a block: below its fork every branch is `a`. */
function ownBranch(number: number, branch: Branch): Branch {
  if (branch === "b") return number > FORK ? "b" : "a";
  if (branch === "c") return number > DEEP_FORK ? "c" : "a";
  return branch;
}

const hexOf = (value: number): Hex => `0x${value.toString(16)}`;

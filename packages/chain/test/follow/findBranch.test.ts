import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { findBranch } from "../../src/follow/findBranch.ts";
import type { Header } from "../../src/follow/Header.ts";
import { Journal } from "../../src/follow/Journal.ts";
import type { Endpoint } from "../../src/rpc/Endpoints.ts";
import { RpcError } from "../../src/rpc/RpcError.ts";

/** A journal of blocks 10 to 20; blocks from 16 on can be reverted. */
function journal(): Journal {
  const followed = new Journal(4);
  followed.startAt(header(10), []);
  for (let number = 11; number <= 20; number++) {
    followed.append(header(number));
    followed.trim();
  }
  return followed;
}

describe("a block that a node announces", () => {
  it("joins by its parents, asked for by hash", async () => {
    const branch = await find(header(23), [header(21), header(22)]);
    expect(branch).toMatchObject({ kind: "joined", ancestor: hash(20) });
    expect(branch.kind === "joined" && branch.headers.map(({ number }) => number)).toEqual([
      21, 22, 23,
    ]);
  });

  it("is joined to the block where the two chains part", async () => {
    const fork = [header(18, "b", "a"), header(19, "b"), header(20, "b")];
    expect(await find(header(21, "b"), fork)).toMatchObject({ kind: "joined", ancestor: hash(17) });
  });

  it("is known when it is one that was followed, however long ago", async () => {
    expect(await find(header(20), [])).toEqual({ kind: "known" });
    expect(await find(header(17), [])).toEqual({ kind: "known" });
    expect(await find(header(11), [])).toEqual({ kind: "known" });
  });

  it("is apart when the chains part before the journal, or it is too far ahead", async () => {
    const deep = [14, 15, 16, 17, 18, 19, 20].map((number) => header(number, "b"));
    expect(await find(header(21, "b"), deep)).toEqual({ kind: "apart" });
    expect(await find(header(12, "b"), [])).toEqual({ kind: "apart" });
    expect(await find(header(200), [])).toEqual({ kind: "apart" });
  });

  it("is refused when a parent has another number than one less", async () => {
    const lying = { ...header(21), number: 19 };
    await expect(find(header(22), [lying])).rejects.toMatchObject({ reason: "BadData" });
  });

  it("gives up at once on an endpoint that does not answer", async () => {
    let asked = 0;
    const silent: Endpoint = {
      name: "silent",
      request: (method) => {
        asked++;
        return Effect.fail(
          new RpcError({ endpoint: "silent", method, reason: "TimedOut", detail: "" }),
        );
      },
    };
    const found = Effect.runPromise(findBranch(silent, journal(), header(90), 100));
    await expect(found).rejects.toMatchObject({ reason: "TimedOut" });
    expect(asked).toBeLessThanOrEqual(8);
  });
});

/** The answer with a node that has only these blocks. */
const find = (target: Header, blocks: ReadonlyArray<Header>) =>
  Effect.runPromise(
    findBranch(
      {
        name: "scripted",
        request: (_, [which]) => {
          const block = blocks.find(
            ({ hash: known, number }) => known === which || `0x${number.toString(16)}` === which,
          );
          return Effect.succeed(
            block === undefined
              ? null
              : {
                  ...block,
                  number: `0x${block.number.toString(16)}`,
                  timestamp: "0x1",
                },
          );
        },
      },
      journal(),
      target,
      100,
    ),
  );

function header(number: number, branch = "a", parentBranch = branch): Header {
  return {
    number,
    hash: hash(number, branch),
    parentHash: hash(number - 1, parentBranch),
    timestampMs: 1_000,
    logsBloom: `0x${"0".repeat(512)}`,
    receiptsRoot: undefined,
  };
}

function hash(number: number, branch = "a"): Hex {
  return `0x${branch}${number.toString(16).padStart(63, "0")}`;
}

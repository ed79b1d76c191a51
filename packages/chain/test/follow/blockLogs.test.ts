import type { Hex } from "@millrace/protocols";
import { Effect, Result } from "effect";
import { describe, expect, it } from "vitest";
import type { Completeness } from "../../src/ChainOptions.ts";
import { makeBlockLogs } from "../../src/follow/BlockLogs.ts";
import type { Header } from "../../src/follow/Header.ts";
import { logsBloom } from "../../src/follow/logsBloom.ts";
import type { Endpoint } from "../../src/rpc/Endpoints.ts";

const SWAP = hash(0x5a);
const OTHER = hash(0x07);
const BLOCK = hash(0xb1);

const block = [
  nodeLog(0, 0xa1, [OTHER]),
  nodeLog(1, 0xa2, [SWAP]),
  nodeLog(2, 0xa1, [OTHER, hash(0x11)]),
  nodeLog(3, 0xa3, [SWAP, hash(0x12)]),
];

describe("the logs of a block", () => {
  it("are those of the followed kinds, in order, when all is well", async () => {
    expect(await indexes(block)).toEqual([1, 3]);
  });

  const refused: ReadonlyArray<readonly [string, ReadonlyArray<NodeLog>, RegExp]> = [
    ["one is missing in the middle", block.toSpliced(2, 1), /log 2 is missing/],
    ["the last is missing", block.slice(0, 3), /bloom/],
    ["all are missing", [], /bloom/],
    ["one comes twice", block.toSpliced(2, 0, block[1]!), /log 1 after log 1/],
    ["they are out of order", [block[1]!, block[0]!, ...block.slice(2)], /log 0 after log 1/],
    ["one is of another block", block.with(1, { ...block[1]!, blockHash: hash(0xee) }), /of block/],
    ["one was reverted", block.with(1, { ...block[1]!, removed: true }), /reverted/],
    ["one has another address", block.with(1, { ...nodeLog(1, 0xa9, [SWAP]) }), /bloom/],
  ];
  for (const [what, logs, why] of refused) {
    it(`are refused when ${what}`, async () => {
      const outcome = await ask(logs, "always");
      expect(outcome).toMatchObject({ reason: "BadData", detail: expect.stringMatching(why) });
    });
  }

  it("are refused when the answer is no list", async () => {
    expect(await ask("nonsense" as never, "always")).toMatchObject({ reason: "BadData" });
  });

  it("are asked for by the followed kinds alone when completeness is never proved", async () => {
    const asked: unknown[] = [];
    await ask(block, "never", asked);
    expect(asked).toEqual([{ blockHash: BLOCK, topics: [[SWAP]] }]);
  });

  it("are asked for whole on suspicion: the bloom may hold a kind that did not come", async () => {
    const asked: unknown[] = [];
    expect(await ask([], "suspicion", asked)).toMatchObject({ reason: "BadData" });
    expect(asked).toEqual([{ blockHash: BLOCK, topics: [[SWAP]] }, { blockHash: BLOCK }]);
  });

  it("are not suspected when all kinds came that the bloom may hold", async () => {
    const asked: unknown[] = [];
    await ask(block, "suspicion", asked);
    expect(asked).toHaveLength(1);
  });

  it("are proved for one block in sixteen when they are sampled, by the block's hash", async () => {
    const wholly: string[] = [];
    for (let last = 0; last < 64; last++) {
      const asked: unknown[] = [];
      const blockHash = `0x${last.toString(16).padStart(64, "0")}` as Hex;
      const logs = block.map((log) => ({ ...log, blockHash }));
      await ask(logs, "sampled", asked, blockHash);
      if (!("topics" in (asked[0] as object))) wholly.push(blockHash);
    }
    expect(wholly).toHaveLength(4);
  });
});

type NodeLog = ReturnType<typeof nodeLog>;

function nodeLog(index: number, address: number, topics: ReadonlyArray<Hex>) {
  return {
    address: `0x${address.toString(16).padStart(40, "0")}`,
    topics,
    data: "0x",
    transactionHash: hash(index),
    logIndex: `0x${index.toString(16)}`,
    blockHash: BLOCK as Hex,
    blockNumber: "0x5",
    removed: false,
  };
}

function hash(byte: number): Hex {
  return `0x${byte.toString(16).padStart(64, "0")}`;
}

const indexes = async (logs: ReadonlyArray<NodeLog>) => {
  const outcome = await ask(logs, "always");
  return "map" in outcome ? outcome.map(({ logIndex }) => logIndex) : outcome;
};

async function ask(
  answer: ReadonlyArray<NodeLog>,
  completeness: Completeness,
  asked: unknown[] = [],
  blockHash: Hex = BLOCK,
) {
  const header: Header = {
    number: 5,
    hash: blockHash,
    parentHash: hash(0xb0),
    timestampMs: 5_000,
    logsBloom: logsBloom(block as never),
    receiptsRoot: undefined,
  };
  const endpoint: Endpoint = {
    name: "scripted",
    request: (_, [filter]) => {
      asked.push(filter);
      const topics = (filter as { topics?: ReadonlyArray<ReadonlyArray<Hex>> }).topics?.[0];
      const kinds = (log: NodeLog) => topics === undefined || topics.includes(log.topics[0]!);
      return Effect.succeed(Array.isArray(answer) ? answer.filter(kinds) : answer);
    },
  };
  const blockLogs = makeBlockLogs(new Set([SWAP]), completeness, "bloom");
  const outcome = await Effect.runPromise(Effect.result(blockLogs(endpoint, header)));
  return Result.isSuccess(outcome) ? outcome.success : outcome.failure;
}

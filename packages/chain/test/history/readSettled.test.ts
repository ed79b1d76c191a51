import { assert, describe, it } from "@effect/vitest";
import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import type { BlockLogs } from "../../src/follow/BlockLogs.ts";
import { headerByNumber } from "../../src/follow/Header.ts";
import { checkOneBlock } from "../../src/history/checkOneBlock.ts";
import { datedBlocks } from "../../src/history/datedBlocks.ts";
import { firstBlockSince } from "../../src/history/firstBlockSince.ts";
import { readRange } from "../../src/history/readRange.ts";
import { decodeLogs, type NodeLog } from "../../src/reading/decodeLogs.ts";
import { aside, type Endpoint } from "../../src/rpc/Endpoints.ts";

const TOPIC: Hex = `0x${"aa".repeat(32)}`;
const TOPICS: ReadonlySet<Hex> = new Set([TOPIC]);
/** The range is blocks 10 to 20; block n was mined n·12 s after the start. */
const FROM = 10;
const TO = { number: 20, hash: hashOf(20) };
const LOGS = [logOf(10, 0), logOf(13, 2), logOf(13, 5), logOf(17, 1), logOf(20, 0)];

describe("the logs of a range of the past", () => {
  it.effect("are read with the headers at its ends, and dated by what they say", () =>
    Effect.gen(function* () {
      const node = nodeOf(LOGS);
      const range = yield* readRange(node.endpoint, TOPICS, FROM, TO);
      assert.deepStrictEqual(
        range.logs.map(({ blockNumber, log }) => [blockNumber, log.logIndex]),
        LOGS.map(({ blockNumber, logIndex }) => [Number(blockNumber), Number(logIndex)]),
      );
      assert.deepStrictEqual(
        [range.first, range.last].map(({ hash }) => hash),
        [hashOf(FROM), TO.hash],
      );
      const before = node.asked.length;
      const blocks = yield* datedBlocks(node.endpoint, range, range.logs);
      assert.deepStrictEqual(
        blocks.map(({ stamp }) => stamp),
        [10, 13, 17, 20].map(stampOf),
      );
      assert.deepStrictEqual(
        blocks.map(({ logs }) => logs.length),
        [1, 2, 1, 1],
      );
      assert.strictEqual(node.asked.length, before);
    }),
  );

  it.effect.each([
    ["none has a time", LOGS.map(({ blockTimestamp: _, ...log }) => log)],
    ["one has no time", LOGS.map((log, at) => (at === 2 ? { ...log, blockTimestamp: null } : log))],
    [
      "one falls back",
      LOGS.map((log, at) => (at === 3 ? { ...log, blockTimestamp: "0x80" } : log)),
    ],
    ["one is before the range", [logOf(13, 0, 9 * 12)]],
    ["one is after the range", [logOf(13, 0, 21 * 12)]],
    ["the first is not its block's", [logOf(10, 0, 11 * 12), logOf(20, 0)]],
    ["the last is not its block's", [logOf(10, 0), logOf(20, 0, 19 * 12)]],
    ["two of one block differ", [logOf(13, 2), logOf(13, 5, 14 * 12)]],
  ] as const)("are dated by headers where %s", ([, logs]) =>
    Effect.gen(function* () {
      const node = nodeOf(logs);
      const range = yield* readRange(node.endpoint, TOPICS, FROM, TO);
      const before = node.asked.length;
      const blocks = yield* datedBlocks(node.endpoint, range, range.logs);
      const numbers = [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))];
      assert.deepStrictEqual(
        blocks.map(({ stamp }) => stamp),
        numbers.map(stampOf),
      );
      assert.strictEqual(node.asked.length, before + numbers.length);
    }),
  );

  it.effect.each([
    ["reverted", [{ ...LOGS[1]!, removed: true }]],
    ["of another topic", [{ ...LOGS[1]!, topics: [`0x${"bb".repeat(32)}`] }]],
    ["without topics", [{ ...LOGS[1]!, topics: [] }]],
    ["from before it", [logOf(9, 0)]],
    ["from after it", [logOf(21, 0)]],
    ["of another first block", [{ ...LOGS[0]!, blockHash: hashOf(99) }]],
    ["of another last block", [{ ...LOGS[4]!, blockHash: hashOf(99) }]],
    ["of two blocks of one number", [LOGS[1]!, { ...LOGS[2]!, blockHash: hashOf(99) }]],
    ["out of order", [LOGS[3]!, LOGS[1]!]],
    ["twice", [LOGS[1]!, LOGS[1]!]],
    ["no list", "0x"],
  ] as const)("are refused when they are %s", ([, logs]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(readRange(nodeOf(logs).endpoint, TOPICS, FROM, TO));
      assert.strictEqual(error.reason, "BadData");
    }),
  );

  it.effect("are too many where an answer may have been cut", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 10_000 }, (_, index) => logOf(13, index));
      const error = yield* Effect.flip(readRange(nodeOf(many).endpoint, TOPICS, FROM, TO));
      assert.strictEqual(error.reason, "TooLarge");
    }),
  );

  it.effect(
    "are not asked of a node on another chain, nor believed of one that changes to it",
    () =>
      Effect.gen(function* () {
        const apart = { number: 20, hash: hashOf(77) };
        const first = nodeOf(LOGS);
        const refused = yield* Effect.flip(readRange(first.endpoint, TOPICS, FROM, apart));
        assert.strictEqual(refused.reason, "Refused");
        assert.notInclude(first.asked, "eth_getLogs");
        const second = nodeOf(LOGS, { movesAfterLogs: true });
        const moved = yield* Effect.flip(readRange(second.endpoint, TOPICS, FROM, TO));
        assert.strictEqual(moved.reason, "Refused");
        assert.include(second.asked, "eth_getLogs");
      }),
  );

  it.effect("of dates that headers do not have are refused", () =>
    Effect.gen(function* () {
      const stranger = [{ ...logOf(13, 0), blockHash: hashOf(99), blockTimestamp: null }];
      const node = nodeOf(stranger);
      const range = yield* readRange(node.endpoint, TOPICS, FROM, TO);
      const error = yield* Effect.flip(datedBlocks(node.endpoint, range, range.logs));
      assert.strictEqual(error.reason, "BadData");
    }),
  );
});

describe("one block of a range", () => {
  const topics = new Set([TOPIC]);
  const everywhere = Array.from({ length: 11 }, (_, index) => logOf(FROM + index, 0));
  const provedOf = (logs: ReadonlyArray<unknown>): BlockLogs => {
    const decoded = decodeLogs(logs) as ReadonlyArray<NodeLog>;
    return (_, { hash }) =>
      Effect.succeed(decoded.filter(({ blockHash }) => blockHash === hash).map(({ log }) => log));
  };

  it.effect("is found to be as it is by its hash, with logs of others beside it", () =>
    Effect.gen(function* () {
      const others = everywhere.map((log) => ({ ...log, topics: [], logIndex: "0x1" }));
      for (const logs of [everywhere, LOGS, []]) {
        const { endpoint } = nodeOf(logs);
        const range = yield* readRange(endpoint, TOPICS, FROM, TO);
        const blockLogs = provedOf([...logs, ...others]);
        for (let draw = 0; draw < 30; draw++) {
          yield* checkOneBlock(endpoint, blockLogs, topics, range);
        }
      }
    }),
  );

  it.effect.each([
    ["left out", []],
    ["changed", everywhere.map((log) => ({ ...log, data: "0x01" }))],
    ["of another block", everywhere.map((log) => ({ ...log, blockHash: hashOf(99) }))],
    ["of another index", everywhere.map((log) => ({ ...log, logIndex: "0x1" }))],
    ["too many", everywhere.flatMap((log) => [log, { ...log, logIndex: "0x7" }])],
  ] as const)("gives a node away whose logs are %s", ([, logs]) =>
    Effect.gen(function* () {
      const { endpoint } = nodeOf(everywhere);
      const range = yield* readRange(endpoint, TOPICS, FROM, TO);
      const told = { ...range, logs: decodeLogs(logs) as ReadonlyArray<NodeLog> };
      for (let draw = 0; draw < 30; draw++) {
        const checked = checkOneBlock(endpoint, provedOf(everywhere), topics, told);
        assert.strictEqual((yield* Effect.flip(checked)).reason, "BadData");
      }
    }),
  );
});

describe("an endpoint aside", () => {
  it.effect("asks for everything in the line of what can wait", () =>
    Effect.gen(function* () {
      const priorities: unknown[] = [];
      const { endpoint } = nodeOf(LOGS);
      const watched: Endpoint = {
        ...endpoint,
        request: (method, params, priority) => {
          priorities.push(priority);
          return endpoint.request(method, params);
        },
      };
      const range = yield* readRange(aside(watched), TOPICS, FROM, TO);
      yield* datedBlocks(aside(watched), range, range.logs);
      assert.deepStrictEqual(priorities, ["aside", "aside", "aside", "aside"]);
    }),
  );
});

describe("the first block since a time", () => {
  it.effect("is found for every time, without asking for the chain's beginning", () =>
    Effect.gen(function* () {
      for (let since = 0; since <= 1_000 * 12; since += 5) {
        const node = nodeOf([]);
        const step = 1 + (since % 40);
        const found = yield* firstBlockSince(
          headerAt(node),
          { number: 1_000 },
          since * 1_000,
          3,
          step,
        );
        assert.strictEqual(found, Math.max(3, Math.ceil(since / 12)));
        if (since < 11_000) continue;
        const lowest = Math.min(...node.numbers);
        assert.isAtLeast(lowest, 1_000 - 2 * Math.max(step, 1_000 - found) - 1);
      }
    }),
  );

  it.effect("is the start where the chain is younger, or not yet there", () =>
    Effect.gen(function* () {
      const node = nodeOf([]);
      const first = (startBlock: number, step: number) =>
        firstBlockSince(headerAt(node), { number: 50 }, 0, startBlock, step);
      assert.strictEqual(yield* first(20, 9_999), 20);
      assert.strictEqual(yield* first(50, 9), 50);
      assert.strictEqual(yield* first(80, 9), 80);
      assert.deepStrictEqual(node.numbers, [20]);
    }),
  );
});

/** A node that has every block, and gives these logs for any filter. */
function nodeOf(logs: unknown, { movesAfterLogs = false } = {}) {
  const asked: string[] = [];
  const numbers: number[] = [];
  let branch = 0;
  const endpoint: Endpoint = {
    name: "node",
    request: (method, params) =>
      Effect.sync(() => {
        asked.push(method);
        if (method === "eth_getLogs") {
          if (movesAfterLogs) branch = 5_000;
          return logs;
        }
        const number = Number(params[0]);
        numbers.push(number);
        return {
          number: `0x${number.toString(16)}`,
          hash: hashOf(number + branch),
          parentHash: hashOf(number - 1 + branch),
          timestamp: `0x${(number * 12).toString(16)}`,
          logsBloom: `0x${"0".repeat(512)}`,
        };
      }),
  };
  return { endpoint, asked, numbers };
}

const headerAt =
  ({ endpoint }: { readonly endpoint: Endpoint }) =>
  (number: number) =>
    headerByNumber(endpoint, number);

function logOf(number: number, logIndex: number, seconds = number * 12) {
  return {
    address: `0x${"11".repeat(20)}`,
    topics: [TOPIC],
    data: "0x",
    transactionHash: hashOf(logIndex),
    logIndex: `0x${logIndex.toString(16)}`,
    blockNumber: `0x${number.toString(16)}`,
    blockHash: hashOf(number),
    blockTimestamp: `0x${seconds.toString(16)}`,
  };
}

function stampOf(number: number) {
  return { number, hash: hashOf(number), timestampMs: number * 12_000 };
}

function hashOf(number: number): Hex {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

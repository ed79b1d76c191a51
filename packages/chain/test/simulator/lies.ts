import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import type { NodeAnswer } from "./answers.ts";
import type { Faults } from "./Faults.ts";
import { headerOf, type SimulatedBlock } from "./SimulatedChain.ts";
import { bloomOf } from "./words.ts";

type LogJson = Record<string, unknown>;

/**
 * A faulty node's version of a true answer. Checking the answer against the header (parent, bloom,
 * log indexes) or its own shape detects every lie.
 */
export function lieAbout(
  answer: NodeAnswer,
  method: string,
  params: ReadonlyArray<unknown>,
  faults: Faults,
  dice: RandomSource,
  block: (hash: unknown) => SimulatedBlock | undefined,
): NodeAnswer {
  if (!("result" in answer)) return answer;
  const { result } = answer;
  if (method === "eth_getBlockByHash" || method === "eth_getBlockByNumber") {
    return { result: lieAboutHeader(result, faults, dice, block) };
  }
  if (method === "eth_getLogs") {
    const filter = params[0] as Readonly<Record<string, unknown>>;
    const ofBlock = block(filter["blockHash"]);
    const isWhole = filter["address"] === undefined && filter["topics"] === undefined;
    return {
      result: lieAboutLogs(result as LogJson[], faults, dice, isWhole ? ofBlock : undefined),
    };
  }
  if (method === "eth_call" && faults.strikes("emptyCall")) return { result: "0x" };
  return answer;
}

function lieAboutHeader(
  result: unknown,
  faults: Faults,
  dice: RandomSource,
  block: (hash: unknown) => SimulatedBlock | undefined,
): unknown {
  if (result === null) return result;
  if (faults.strikes("nullBlock")) return null;
  const header = result as Record<string, unknown>;
  const parent = block(header["parentHash"]);
  if (parent !== undefined && faults.strikes("otherBlock")) {
    return { ...headerOf(parent), transactions: [] };
  }
  if (!faults.strikes("mangledHeader")) return result;
  const broken: ReadonlyArray<Record<string, unknown>> = [
    { ...header, number: null },
    { ...header, hash: undefined },
    { ...header, hash: "0x1234" },
    { ...header, parentHash: 17 },
    { ...header, logsBloom: "0x" },
    { ...header, logsBloom: "0xzz" },
    { ...header, timestamp: "yesterday" },
    { ...header, timestamp: `0x${"f".repeat(40)}` },
    { ...header, number: "-0x1" },
  ];
  return dice.pick([...broken, [], "0x", 5, {}]);
}

/** `whole` is the block, where all logs of a block were requested by hash. */
function lieAboutLogs(
  logs: ReadonlyArray<LogJson>,
  faults: Faults,
  dice: RandomSource,
  whole: SimulatedBlock | undefined,
): ReadonlyArray<unknown> {
  let told = logs;
  if (told.length === 0) return told;
  if (whole !== undefined && faults.strikes("missingLogs")) told = withoutSome(told, dice, whole);
  if (told.length > 0 && faults.strikes("removedLogs")) {
    const orphan = { ...dice.pick(told), removed: true, blockHash: dice.hex(32) };
    const all = whole !== undefined && dice.chance(0.3);
    told = all ? told.map((log) => ({ ...log, removed: true })) : [...told, orphan];
  }
  if (told.length > 0 && faults.strikes("duplicatedLogs")) told = [...told, dice.pick(told)];
  if (faults.strikes("unsortedLogs")) told = dice.shuffled(told);
  if (told.length > 0 && faults.strikes("mangledLogs")) {
    const at = dice.integer(told.length);
    return told.map((log, index) => (index === at ? mangled(log, dice) : log));
  }
  return told;
}

function mangled(log: LogJson, dice: RandomSource): unknown {
  return dice.pick<unknown>([
    { ...log, blockTimestamp: "0x1" },
    { ...log, blockTimestamp: "0xffffffff" },
    { ...log, blockTimestamp: null },
    { ...log, topics: undefined },
    { ...log, topics: "0x" },
    { ...log, logIndex: null },
    { ...log, blockHash: null },
    { ...log, data: "0xzz" },
    { ...log, data: 5 },
    { ...log, address: "0x12" },
    { ...log, transactionHash: undefined },
    null,
    "log",
  ]);
}

/** Leaves out some logs, but always such that the bloom or the indexes show it. */
function withoutSome(
  logs: ReadonlyArray<LogJson>,
  dice: RandomSource,
  block: SimulatedBlock,
): ReadonlyArray<LogJson> {
  if (dice.chance(0.5)) return [];
  const left = logs.filter(() => dice.chance(0.7));
  const hasGap = left.some((log, index) => Number(log["logIndex"]) !== index);
  const bloom = bloomOf(left as unknown as ReadonlyArray<{ address: Hex; topics: Hex[] }>);
  return hasGap || bloom !== block.bloom ? left : [];
}

import { describe, expect, it } from "vitest";
import { decodeLogs } from "../../src/reading/decodeLogs.ts";
import { pairCreated } from "./factoryChain.ts";

const log = pairCreated(1, 100);

describe("decodeLogs", () => {
  it("gives logs with their block, everything in lower case", () => {
    const loud = { ...log, address: `0x${log.address.slice(2).toUpperCase()}`, removed: undefined };
    const [decoded] = decodeLogs([loud]) as Exclude<ReturnType<typeof decodeLogs>, string>;
    expect(decoded).toEqual({
      log: {
        address: log.address,
        topics: log.topics,
        data: log.data,
        transactionHash: log.transactionHash,
        logIndex: 1,
      },
      blockHash: log.blockHash,
      blockNumber: 100,
      removed: false,
    });
  });

  it("marks a log that was reverted", () => {
    expect(decodeLogs([{ ...log, removed: true }])).toMatchObject([{ removed: true }]);
  });

  it("decodes data of megabytes", () => {
    const data = `0x${"ab".repeat(5_000_000)}`;
    expect(decodeLogs([{ ...log, data }])).toMatchObject([{ log: { logIndex: 1 } }]);
  });

  const word = `0x${"0".repeat(64)}`;
  it.each<[string, unknown]>([
    ["no list", { 0: log }],
    ["a hole", [null]],
    ["a text", ["0x"]],
    ["an address too short", [{ ...log, address: log.address.slice(0, -2) }]],
    ["an address that is a list", [{ ...log, address: [log.address] }]],
    ["an address without a prefix", [{ ...log, address: `${log.address.slice(2)}00` }]],
    ["five topics", [{ ...log, topics: [word, word, word, word, word] }]],
    ["topics that are a text", [{ ...log, topics: word }]],
    ["a topic of 31 bytes", [{ ...log, topics: [word.slice(0, -2)] }]],
    ["a topic with a sign", [{ ...log, topics: [word.replace("0x0", "0x-")] }]],
    ["half a byte of data", [{ ...log, data: "0x1" }]],
    ["no data", [{ ...log, data: undefined }]],
    ["data with a line break", [{ ...log, data: "0x12\n" }]],
    ["a hash that is none", [{ ...log, transactionHash: "0x12" }]],
    ["an index that is a number", [{ ...log, logIndex: 1 }]],
    ["an index that is no safe integer", [{ ...log, logIndex: "0x3fffffffffffff" }]],
    ["an index of many digits", [{ ...log, logIndex: `0x${"0".repeat(40)}1` }]],
    ["an empty quantity", [{ ...log, logIndex: "0x" }]],
    ["a pending block", [{ ...log, blockNumber: null, blockHash: null }]],
    ["a removal that is a text", [{ ...log, removed: "false" }]],
  ])("says what is wrong with %s", (_, raw) => {
    expect(decodeLogs(raw)).toBeTypeOf("string");
  });
});

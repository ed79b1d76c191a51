import { law } from "@millrace/testing";
import fc from "fast-check";
import {
  decodeFunctionResult,
  encodeFunctionData,
  encodeFunctionResult,
  multicall3Abi,
} from "viem";
import { describe, expect, it } from "vitest";
import { aggregateBytes, decodeAggregate, encodeAggregate } from "../../src/reading/multicall.ts";

const abi = multicall3Abi;
const functionName = "aggregate3";
const hex = (constraints: fc.IntArrayConstraints) =>
  fc
    .uint8Array(constraints)
    .map((bytes): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`);
const calls = fc.array(
  fc.record({ to: hex({ minLength: 20, maxLength: 20 }), data: hex({ maxLength: 100 }) }),
);
const results = fc.array(fc.record({ success: fc.boolean(), returnData: hex({ maxLength: 100 }) }));

describe("the codec of aggregate3", () => {
  it("encodes calls as the library does, and knows their length", () => {
    fc.assert(
      fc.property(calls, (list) => {
        const args = list.map(({ to, data }) => ({
          target: to,
          allowFailure: true,
          callData: data,
        }));
        const data = encodeAggregate(list);
        expect(data).toBe(encodeFunctionData({ abi, functionName, args: [args] }));
        const bytes = list.reduce((sum, call) => sum + aggregateBytes(call), 0);
        expect((data.length - 2) / 2).toBe(4 + 2 * 32 + bytes);
      }),
      law("aggregate3: encoded as by the library", 300).options,
    );
  });

  it("decodes answers as the library does, those of failed calls as none", () => {
    fc.assert(
      fc.property(results, (list) => {
        const data = encodeFunctionResult({ abi, functionName, result: list });
        expect(decodeAggregate(data, list.length)).toEqual(
          list.map(({ success, returnData }) => (success ? returnData : undefined)),
        );
        expect(decodeAggregate(data, list.length + 1)).toBeUndefined();
      }),
      law("aggregate3: decoded as by the library", 300).options,
    );
  });

  it("takes nothing for an answer that is cut, longer or changed in its structure", () => {
    fc.assert(
      fc.property(results, fc.nat(), fc.integer({ min: 1, max: 15 }), (list, index, change) => {
        const data = encodeFunctionResult({ abi, functionName, result: list });
        const count = list.length;
        const at = 2 + (index % (data.length - 2));
        expect(decodeAggregate(data.slice(0, at) as `0x${string}`, count)).toBeUndefined();
        expect(decodeAggregate(`${data}00`, count)).toBeUndefined();
        const digit = (Number.parseInt(data[at]!, 16) ^ change).toString(16);
        const changed = `${data.slice(0, at)}${digit}${data.slice(at + 1)}` as `0x${string}`;
        const answers = decodeAggregate(changed, count);
        // The library decodes every accepted answer in the same way.
        if (answers === undefined) return;
        const read = decodeFunctionResult({ abi, functionName, data: changed });
        expect(answers).toEqual(
          read.map(({ success, returnData }) => (success ? returnData : undefined)),
        );
      }),
      law("aggregate3: changed answers", 300).options,
    );
  });
});

import { readFileSync } from "node:fs";
import type { Address } from "@millrace/core";
import {
  executorAbi,
  executorCreationCode,
  executorDeployment,
  isExecutorCode,
} from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import {
  type Abi,
  type AbiFunction,
  bytesToHex,
  hexToBytes,
  slice,
  toFunctionSelector,
  toFunctionSignature,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outwardAbi } from "../contracts/callTraces.ts";
import { compile } from "../contracts/compile.ts";
import { committedContracts } from "../contracts/compileContracts.ts";
import { ExecutorFixture } from "../contracts/ExecutorFixture.ts";

const ELSEWHERE: Address = "0x4200000000000000000000000000000000000006";

describe("the executor's code", () => {
  let arena: ExecutorFixture;
  let code: Hex;
  beforeAll(async () => {
    arena = await ExecutorFixture.open(5);
    code = await arena.chain.request<Hex>("eth_getCode", [arena.executor, "latest"]);
  });
  afterAll(() => arena?.close());

  it("is known again where it was deployed, and for that wrapped native token only", () => {
    expect(isExecutorCode(code, arena.wrappedNative)).toBe(true);
    expect(isExecutorCode(code, ELSEWHERE)).toBe(false);
    expect(isExecutorCode("0x", arena.wrappedNative)).toBe(false);
    expect(isExecutorCode(`${code}00`, arena.wrappedNative)).toBe(false);
    const other = `${code.slice(0, -2)}${code.endsWith("00") ? "01" : "00"}` as Hex;
    expect(isExecutorCode(other, arena.wrappedNative)).toBe(false);
  });

  it("lands at the address that is told, whoever sends the transaction", async () => {
    const { to, data, address } = executorDeployment(ELSEWHERE);
    await arena.mustSend({ from: await arena.account(), to, data });
    const there = await arena.chain.request<Hex>("eth_getCode", [address, "latest"]);
    expect(isExecutorCode(there, ELSEWHERE)).toBe(true);
    expect(data.endsWith(executorCreationCode(ELSEWHERE).slice(2))).toBe(true);
  });

  it("has the interface that is published, and no more", () => {
    const { source, settings } = committedContracts[0]!;
    const text = readFileSync(new URL(`../../${source}`, import.meta.url), "utf8");
    expect(interfaceOf(compile({ [source]: text }, settings)["Executor"]!.abi)).toEqual(
      interfaceOf([...executorAbi, { type: "receive", stateMutability: "payable" }]),
    );
  });

  it("knows no functions but its own, and the few that it calls on others", () => {
    const functions = executorAbi.filter((item) => item.type === "function");
    const errors = executorAbi.filter((item) => item.type === "error");
    const selectors = [
      ...[...functions, ...outwardAbi].map((item) => toFunctionSelector(item)),
      ...errors.map(({ name, inputs }) =>
        toFunctionSelector(`${name}(${inputs.map(({ type }) => type)})`),
      ),
      toFunctionSelector("Panic(uint256)"),
    ];
    expect([...selectorsIn(code)].sort()).toEqual([...new Set(selectors)].sort());
  });

  it("has no instruction that keeps, makes, lends itself to or ends anything", () => {
    const found = new Set([...instructions(code)].map(([opcode]) => opcode));
    for (const forbidden of [
      "SSTORE",
      "CREATE",
      "CREATE2",
      "CALLCODE",
      "DELEGATECALL",
      "SELFDESTRUCT",
    ] as const)
      expect(found.has(OPCODES[forbidden]), forbidden).toBe(false);
    for (const used of ["TLOAD", "TSTORE", "CALL"] as const)
      expect(found.has(OPCODES[used]), used).toBe(true);
  });
});

/** An int256's least number looks like a selector, too. */
const LEAST = "0x80000000";

const OPCODES = {
  SSTORE: 0x55,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  SELFDESTRUCT: 0xff,
} as const;

const PUSH1 = 0x60;
const PUSH4 = 0x63;
const PUSH32 = 0x7f;

/** The instructions of a code in order, each with its pushed data. */
function* instructions(code: Hex): Generator<readonly [opcode: number, pushed: Hex]> {
  const bytes = hexToBytes(code);
  for (let at = 0; at < bytes.length; at++) {
    const opcode = bytes[at]!;
    const width = opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 1 : 0;
    yield [opcode, bytesToHex(bytes.slice(at + 1, at + 1 + width))];
    at += width;
  }
}

/**
 * Four bytes, or a word of four bytes and zeros: selectors that the code compares, calls or reverts
 * with.
 */
function selectorsIn(code: Hex): ReadonlySet<Hex> {
  const found = new Set<Hex>();
  for (const [opcode, pushed] of instructions(code)) {
    if (opcode === PUSH4) found.add(pushed);
    if (opcode !== PUSH32 || !/^0x[0-9a-f]{8}0{56}$/.test(pushed)) continue;
    const selector = slice(pushed, 0, 4);
    if (selector !== LEAST && BigInt(selector) !== 0n) found.add(selector);
  }
  return found;
}

/** The entries of an ABI as text, without names of parameters. */
function interfaceOf(abi: Abi): ReadonlyArray<string> {
  return abi
    .map((item) => {
      const inputs = "inputs" in item ? (item.inputs ?? []) : [];
      const name = "name" in item ? item.name : "";
      const like = { type: "function", name, inputs, outputs: [] } as unknown as AbiFunction;
      const mutability = "stateMutability" in item ? item.stateMutability : "";
      const outputs = item.type === "function" ? item.outputs.map(({ type }) => type) : [];
      return `${item.type} ${toFunctionSignature(like)} ${mutability} ${outputs}`;
    })
    .sort();
}

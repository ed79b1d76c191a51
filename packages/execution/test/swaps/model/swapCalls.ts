import type { Address } from "@millrace/core";
import { executorAbi } from "@millrace/execution";
import {
  type Abi,
  type AbiFunction,
  decodeAbiParameters,
  type Hex,
  parseAbi,
  parseAbiParameters,
  toFunctionSelector,
} from "viem";

/** Calls of the routers, read by viem from the contracts' interfaces. */

interface ExecutorCall {
  readonly isInput: boolean;
  readonly order: ExecutorArguments[0];
  readonly paths: ExecutorArguments[1];
  readonly permit: ExecutorArguments[2];
}

/** Throws where it is no swap. */
export function executorCall(data: Hex): ExecutorCall {
  const { name, args } = readCall(executorFunctions, data);
  const [order, paths, permit] = args as unknown as ExecutorArguments;
  return { isInput: name.startsWith("swapExactInput"), order, paths, permit };
}

type ExecutorArguments = readonly [
  order: {
    readonly tokenIn: Address;
    readonly tokenOut: Address;
    readonly amountIn: bigint;
    readonly amountOutMin: bigint;
    readonly recipient: Address;
    readonly fee: bigint;
    readonly deadline: bigint;
    readonly nativeOut: boolean;
  },
  paths: ReadonlyArray<{
    readonly amount: bigint;
    readonly legs: Hex;
  }>,
  permit?: Readonly<Record<"amount" | "deadline" | "v" | "r" | "s", unknown>>,
];

/** A leg of the executor, in the words of its source. */
export interface ExecutorLeg {
  /** Direction and kind in one byte, then the fee where the kind has one. */
  readonly head: string;
  readonly target: Address;
  readonly tokenOut: Address;
}

/** Legs of pairs, with a fee of three bytes, and of concentrated pools, one after the other. */
export function executorLegs(bytes: Hex): ExecutorLeg[] {
  const legs: ExecutorLeg[] = [];
  let rest = bytes.slice(2);
  while (rest.length > 0) {
    const [leg, kind, target, tokenOut, fee = ""] =
      /^([08][01])(.{40})(.{40})(.{6})/.exec(rest) ?? /^([08]3)(.{40})(.{40})/.exec(rest) ?? [];
    if (leg === undefined) throw new Error(`no leg: ${rest}`);
    legs.push({ head: `${kind} ${fee}`, target: `0x${target}`, tokenOut: `0x${tokenOut}` });
    rest = rest.slice(leg.length);
  }
  return legs;
}

const executorFunctions = functionsOf(executorAbi, "swapExact");
const wrapperFunctions = functionsOf(
  parseAbi(["function deposit() payable", "function withdraw(uint256 amount)"]),
);

/** What is withdrawn; undefined for a deposit. */
export function wrapperCall(data: Hex): bigint | undefined {
  const { args } = readCall(wrapperFunctions, data);
  return args[0] as bigint | undefined;
}

const routerFunctions = functionsOf(
  parseAbi(["function execute(bytes commands, bytes[] inputs, uint256 deadline) payable"]),
);
export const pathOfTokens = parseAbiParameters("address, uint256, uint256, address[], bool");
export const pathOfBytes = parseAbiParameters("address, uint256, uint256, bytes, bool");
export const threeWords = parseAbiParameters("address, address, uint256");
export const twoWords = parseAbiParameters("address, uint256");

/** As an amount: all that the router has. */
export const ALL = 1n << 255n;

/** Commands in their order, each a byte of two digits and its input. */
export function routerCall(data: Hex) {
  const { args } = readCall(routerFunctions, data);
  const [bytes, inputs, deadline] = args as unknown as readonly [Hex, ReadonlyArray<Hex>, bigint];
  if (bytes.length !== 2 + 2 * inputs.length) throw new Error("commands without input");
  const commands = inputs.map(
    (input, place) => [bytes.slice(2 + 2 * place, 4 + 2 * place), input] as const,
  );
  return { commands, deadline };
}

/** A pair of V2 has no fee in the call. */
export type RouterHop = readonly [tokenIn: string, feePips: number | undefined, tokenOut: string];

/** Token, fee, token …; of exact output from the last token back. */
export function hopsOf(path: Hex, isTurned: boolean): RouterHop[] {
  const hops: RouterHop[] = [];
  for (let at = 2; at + 86 <= path.length; at += 46) {
    const one = `0x${path.slice(at, at + 40)}`;
    const fee = Number.parseInt(path.slice(at + 40, at + 46), 16);
    const other = `0x${path.slice(at + 46, at + 86)}`;
    hops.push(isTurned ? [other, fee, one] : [one, fee, other]);
  }
  if (path.length !== 42 + 46 * hops.length) throw new Error(`a path of ${path.length} digits`);
  return isTurned ? hops.reverse() : hops;
}

const SELECTOR_END = 10;

/** By selector; once, as hashing is what costs. */
function functionsOf(abi: Abi, start = ""): ReadonlyMap<string, AbiFunction> {
  const functions = abi.filter((item) => item.type === "function" && item.name.startsWith(start));
  return new Map((functions as AbiFunction[]).map((item) => [toFunctionSelector(item), item]));
}

function readCall(functions: ReadonlyMap<string, AbiFunction>, data: Hex) {
  const item = functions.get(data.slice(0, SELECTOR_END));
  if (item === undefined) throw new Error(`no such function: ${data.slice(0, SELECTOR_END)}`);
  const args: ReadonlyArray<unknown> =
    item.inputs.length === 0
      ? []
      : decodeAbiParameters(item.inputs, `0x${data.slice(SELECTOR_END)}`);
  return { name: item.name, args };
}

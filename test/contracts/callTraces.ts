import type { Address } from "@millrace/core";
import { executorAbi } from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { parseAbi, size, slice, toFunctionSelector } from "viem";
import { errorName } from "./ExecutorFixture.ts";

/** A call and those that it made, as the tracer `callTracer` of a node tells it. */
export interface TracedCall {
  readonly type: string;
  readonly from: Address;
  readonly to?: Address;
  readonly input: Hex;
  readonly output?: Hex;
  readonly value?: Hex;
  readonly error?: string;
  readonly calls?: ReadonlyArray<TracedCall>;
}

/** All that the executor's code calls, on whatever address. */
export const outwardAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address, uint256) returns (bool)",
  "function transferFrom(address, address, uint256) returns (bool)",
  "function permit(address, address, uint256, uint256, uint8, bytes32, bytes32)",
  "function deposit() payable",
  "function withdraw(uint256)",
  "function getReserves() view returns (uint256, uint256)",
  "function getAmountOut(uint256, address) view returns (uint256)",
  "function swap(uint256, uint256, address, bytes)",
  "function swap(address, bool, int256, uint160, bytes)",
  "struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }",
  "struct SwapParams { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }",
  "function unlock(bytes)",
  "function swap(PoolKey, SwapParams, bytes) returns (int256)",
  "function sync(address)",
  "function settle() payable",
  "function take(address, address, uint256)",
]);

const OUTWARD = new Set<Hex>(outwardAbi.map((item) => toFunctionSelector(item)));
const OF_PAYER = new Set<Hex>(
  outwardAbi
    .filter(({ name }) => name === "transferFrom" || name === "permit")
    .map((item) => toFunctionSelector(item)),
);
/** Of a manager that is unlocked. */
const MANAGED = new Set<Hex>(outwardAbi.slice(-4).map((item) => toFunctionSelector(item)));
const [SETTLE, UNLOCK] = [toFunctionSelector("settle()"), toFunctionSelector("unlock(bytes)")];

const NAMES: ReadonlyMap<Hex, "order" | "callback"> = new Map(
  executorAbi.flatMap((item) =>
    item.type === "function" && item.stateMutability !== "view"
      ? [[toFunctionSelector(item), item.name.endsWith("Callback") ? "callback" : "order"] as const]
      : [],
  ),
);

/** What was asked of the executor, and "none" or the name of the error that it answered with. */
export interface Asked {
  readonly what: "order" | "callback" | "native" | "other";
  readonly error: string;
  readonly from: Address;
}

/** Who an order is paid by, and which managers the executor has unlocked for it. */
interface Context {
  readonly payer: Address | undefined;
  readonly unlocked: ReadonlyArray<Address>;
}

/**
 * Walks a transaction. `asked`: all that was asked of the executor, reverted or not. `offences`:
 * what its code must never do: anything but to call, functions other than its own few, native
 * tokens with words for anybody but the wrapped one and a manager that is paid, words for a manager
 * that is not unlocked, or a payer who did not send the order under way.
 */
export function watchExecutor(
  trace: TracedCall,
  executor: Address,
  wrappedNative: Address,
): { readonly asked: ReadonlyArray<Asked>; readonly offences: ReadonlyArray<string> } {
  const asked: Asked[] = [];
  const offences: string[] = [];
  const visit = (call: TracedCall, context: Context): void => {
    if (call.from === executor) offences.push(...offencesOf(call, context, wrappedNative));
    const what = call.to === executor ? askedOf(call.input) : undefined;
    if (what !== undefined) asked.push({ what, error: errorOf(call), from: call.from });
    // The order that is under way is the outermost one: another within it gets no further.
    const payer = what === "order" ? (context.payer ?? call.from) : context.payer;
    const isUnlock = call.from === executor && call.input.startsWith(UNLOCK);
    const unlocked = isUnlock ? [...context.unlocked, call.to!] : context.unlocked;
    for (const inner of call.calls ?? []) visit(inner, { payer, unlocked });
  };
  visit(trace, { payer: undefined, unlocked: [] });
  return { asked, offences };
}

function offencesOf(
  { type, to, input, value }: TracedCall,
  { payer, unlocked }: Context,
  wrappedNative: Address,
): ReadonlyArray<string> {
  if (type !== "CALL" && type !== "STATICCALL") return [`${type} of ${to}`];
  // Native tokens for a recipient.
  if (input === "0x") return [];
  const selector = slice(input, 0, 4);
  if (!OUTWARD.has(selector)) return [`${selector} of ${to}`];
  if (MANAGED.has(selector) && !unlocked.includes(to!)) return [`${selector} of ${to}, locked`];
  if (BigInt(value ?? 0) > 0n && to !== wrappedNative && selector !== SETTLE)
    return [`value with ${selector} to ${to}`];
  if (!OF_PAYER.has(selector)) return [];
  const owner: Address = `0x${input.slice(34, 74)}`;
  return owner === payer ? [] : [`${selector} of ${owner}'s in the order of ${payer}`];
}

function askedOf(input: Hex): Asked["what"] {
  if (input === "0x") return "native";
  return (size(input) < 4 ? undefined : NAMES.get(slice(input, 0, 4))) ?? "other";
}

const errorOf = ({ error, output }: TracedCall): string =>
  error === undefined ? "none" : errorName(output);

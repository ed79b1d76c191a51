import type { Address } from "@millrace/core";
import { executorAbi } from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import { type AbiFunction, parseAbi, size, slice, toFunctionSelector } from "viem";
import { errorName } from "./ExecutorFixture.ts";

/** A call and its inner calls, as a node's `callTracer` reports them. */
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

/** Functions of the payer's tokens. */
const payerAbi = parseAbi([
  "function transferFrom(address, address, uint256) returns (bool)",
  "function permit(address, address, uint256, uint256, uint8, bytes32, bytes32)",
]);

/** Functions of an unlocked manager or vault. */
const unlockedAbi = parseAbi([
  "struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }",
  "struct SwapParams { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }",
  "struct VaultSwapParams { uint8 kind; address pool; address tokenIn; address tokenOut; uint256 amountGiven; uint256 limit; bytes userData; }",
  "function swap(PoolKey, SwapParams, bytes) returns (int256)",
  "function sync(address)",
  "function settle() payable",
  "function take(address, address, uint256)",
  "function swap(VaultSwapParams) returns (uint256, uint256, uint256)",
  "function settle(address, uint256) returns (uint256)",
  "function sendTo(address, address, uint256)",
]);

/** Functions of contracts that take their input by allowance, or are sent it. */
const takingAbi = parseAbi([
  "struct SingleSwap { bytes32 poolId; uint8 kind; address assetIn; address assetOut; uint256 amount; bytes userData; }",
  "struct BatchSwapStep { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }",
  "struct FundManagement { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }",
  "function exchange(int128, int128, uint256, uint256) payable",
  "function exchange(uint256, uint256, uint256, uint256) payable",
  "function swap(SingleSwap, FundManagement, uint256, uint256)",
  "function batchSwap(uint8, BatchSwapStep[], address[], FundManagement, int256[], uint256)",
  "function deposit(uint256, address)",
  "function redeem(uint256, address, address)",
  "function wrap(uint256)",
  "function unwrap(uint256)",
]);

/** All functions that the executor's code calls, on any address. */
export const outwardAbi = [
  ...parseAbi([
    "function balanceOf(address) view returns (uint256)",
    "function transfer(address, uint256) returns (bool)",
    "function approve(address, uint256) returns (bool)",
    "function allowance(address, address) view returns (uint256)",
    "function deposit() payable",
    "function withdraw(uint256)",
    "function getReserves() view returns (uint256, uint256)",
    "function getAmountOut(uint256, address) view returns (uint256)",
    "function swap(uint256, uint256, address, bytes)",
    "function swap(address, bool, int256, uint160, bytes)",
    "function unlock(bytes)",
  ]),
  ...[...payerAbi, ...unlockedAbi, ...takingAbi],
];

const selectorsOf = (items: ReadonlyArray<AbiFunction>): ReadonlySet<Hex> =>
  new Set(items.map((item) => toFunctionSelector(item)));

const OUTWARD = selectorsOf(outwardAbi);
const OF_PAYER = selectorsOf(payerAbi);
const UNLOCKED = selectorsOf(unlockedAbi);
const TAKING = selectorsOf(takingAbi);
const [SETTLE, UNLOCK] = [toFunctionSelector("settle()"), toFunctionSelector("unlock(bytes)")];
const APPROVE = toFunctionSelector("approve(address,uint256)");
const ALLOWANCE = toFunctionSelector("allowance(address,address)");
/** With native tokens, too. */
const EXCHANGES = selectorsOf(takingAbi.filter(({ name }) => name === "exchange"));

const NAMES: ReadonlyMap<Hex, "order" | "callback"> = new Map(
  executorAbi.flatMap((item) =>
    item.type === "function" && item.stateMutability !== "view"
      ? [[toFunctionSelector(item), item.name.endsWith("Callback") ? "callback" : "order"] as const]
      : [],
  ),
);

/** A call of the executor, and "none" or the name of its error. */
export interface Asked {
  readonly what: "order" | "callback" | "native" | "other";
  readonly error: string;
  readonly from: Address;
}

/** The payer of an order, and the managers that the executor has unlocked for it. */
interface Context {
  readonly payer: Address | undefined;
  readonly unlocked: ReadonlyArray<Address>;
}

/** An allowance of the executor that it has not yet taken back. */
interface Allowed {
  readonly token: Address;
  readonly spender: Address;
  /** The spender has been called. */
  isUsed: boolean;
}

/**
 * Walks a transaction. `asked` are all calls of the executor, reverted or not. `offences` are
 * things that its code must never do: an operation other than a call, a function other than its own
 * few, native tokens with calldata for anybody except the wrapped token and a manager or pool that
 * is paid, calldata for a manager that is not unlocked, a payer who did not send the current order,
 * an allowance for anybody except the next called contract, or an allowance that is not checked
 * again.
 */
export function watchExecutor(
  trace: TracedCall,
  executor: Address,
  wrappedNative: Address,
): { readonly asked: ReadonlyArray<Asked>; readonly offences: ReadonlyArray<string> } {
  const asked: Asked[] = [];
  const offences: string[] = [];
  const allowances = new Allowances();
  const visit = (call: TracedCall, context: Context): void => {
    if (call.from === executor) {
      offences.push(...offencesOf(call, context, wrappedNative), ...allowances.offencesOf(call));
    }
    const what = call.to === executor ? askedOf(call.input) : undefined;
    if (what !== undefined) asked.push({ what, error: errorOf(call), from: call.from });
    // The current order is the outermost one: another order within it fails.
    const payer = what === "order" ? (context.payer ?? call.from) : context.payer;
    const isUnlock = call.from === executor && call.input.startsWith(UNLOCK);
    const unlocked = isUnlock ? [...context.unlocked, call.to!] : context.unlocked;
    for (const inner of call.calls ?? []) visit(inner, { payer, unlocked });
    // A revert undoes allowances.
    if (what === "order" && errorOf(call) === "none") offences.push(...allowances.left());
    else if (what === "order" && context.payer === undefined) allowances.forget();
  };
  visit(trace, { payer: undefined, unlocked: [] });
  return { asked, offences };
}

/**
 * One allowance at a time: granted, used by a call, checked again, and revoked if something is
 * left.
 */
class Allowances {
  #allowed: Allowed | undefined;
  /** The allowance was checked, and something is left. */
  #isLeft = false;

  offencesOf({ to, input, output = "0x" }: TracedCall): ReadonlyArray<string> {
    const selector = input === "0x" ? "0x" : slice(input, 0, 4);
    const allowed = this.#allowed;
    if (selector === APPROVE) {
      const spender: Address = `0x${input.slice(34, 74)}`;
      if (allowed === undefined) {
        this.#allowed = { token: to!, spender, isUsed: false };
        return [];
      }
      const isRight = this.#isLeft && allowed.token === to && allowed.spender === spender;
      this.forget();
      return isRight && BigInt(slice(input, 36)) === 0n ? [] : [`allowed ${spender} of ${to}`];
    }
    if (allowed === undefined) return [];
    if (TAKING.has(selector as Hex)) {
      if (allowed.isUsed || to !== allowed.spender)
        return [`${selector} of ${to}, allowed another`];
      allowed.isUsed = true;
    } else if (selector === ALLOWANCE && allowed.isUsed && to === allowed.token) {
      // A token with an invalid answer ends the order.
      this.#isLeft = output === "0x" || BigInt(slice(output, 0, 32)) !== 0n;
      if (!this.#isLeft) this.forget();
    }
    return [];
  }

  left(): ReadonlyArray<string> {
    const allowed = this.#allowed;
    this.forget();
    return allowed === undefined ? [] : [`${allowed.token} left to ${allowed.spender}`];
  }

  forget(): void {
    this.#allowed = undefined;
    this.#isLeft = false;
  }
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
  if (UNLOCKED.has(selector) && !unlocked.includes(to!)) return [`${selector} of ${to}, locked`];
  const mayHaveValue = to === wrappedNative || selector === SETTLE || EXCHANGES.has(selector);
  if (BigInt(value ?? 0) > 0n && !mayHaveValue) return [`value with ${selector} to ${to}`];
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

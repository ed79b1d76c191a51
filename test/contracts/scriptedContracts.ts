import type { Address } from "@millrace/core";
import { executorAbi } from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import {
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  parseAbi,
  parseAbiParameters,
  toFunctionSelector,
} from "viem";
import { type ExecutorFixture, errorName, tokenAbi } from "./ExecutorFixture.ts";
import type { OrderLeg } from "./orders.ts";

/** An act of a scripted contract; with `must`, its failure reverts the call that caused it. */
export interface Act {
  readonly target: Address;
  readonly value: bigint;
  readonly data: Hex;
  readonly must: boolean;
}

const scriptedAbi = parseAbi([
  "struct Act { address target; uint256 value; bytes data; bool must; }",
  "function setScript(bytes4 selector, Act[] acts, bytes answer)",
  "function perform(Act[] acts) payable",
  "function outcomeCount() view returns (uint256)",
  "function outcomes(uint256) view returns (bytes)",
]);

/** Functions that the executor calls on others. */
export const SELECTORS = {
  concentratedSwap: toFunctionSelector("swap(address,bool,int256,uint160,bytes)"),
  pairSwap: toFunctionSelector("swap(uint256,uint256,address,bytes)"),
  getReserves: toFunctionSelector("getReserves()"),
  balanceOf: toFunctionSelector("balanceOf(address)"),
  transfer: toFunctionSelector("transfer(address,uint256)"),
  transferFrom: toFunctionSelector("transferFrom(address,address,uint256)"),
  permit: toFunctionSelector("permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"),
  getAmountOut: toFunctionSelector("getAmountOut(uint256,address)"),
  unlock: toFunctionSelector("unlock(bytes)"),
  managerSwap: toFunctionSelector(
    "swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)",
  ),
  sync: toFunctionSelector("sync(address)"),
  settle: toFunctionSelector("settle()"),
  take: toFunctionSelector("take(address,address,uint256)"),
  exchange: toFunctionSelector("exchange(int128,int128,uint256,uint256)"),
  exchangeByIndex: toFunctionSelector("exchange(uint256,uint256,uint256,uint256)"),
  vaultSwap: toFunctionSelector(
    "swap((bytes32,uint8,address,address,uint256,bytes),(address,bool,address,bool),uint256,uint256)",
  ),
  vaultBatchSwap: toFunctionSelector(
    "batchSwap(uint8,(bytes32,uint256,uint256,uint256,bytes)[],address[],(address,bool,address,bool),int256[],uint256)",
  ),
  vaultV3Swap: toFunctionSelector("swap((uint8,address,address,address,uint256,uint256,bytes))"),
  vaultV3Settle: toFunctionSelector("settle(address,uint256)"),
  sendTo: toFunctionSelector("sendTo(address,address,uint256)"),
  deposit: toFunctionSelector("deposit(uint256,address)"),
  redeem: toFunctionSelector("redeem(uint256,address,address)"),
  wrap: toFunctionSelector("wrap(uint256)"),
  unwrap: toFunctionSelector("unwrap(uint256)"),
  beforeSwap: toFunctionSelector(
    "beforeSwap(address,(address,address,uint24,int24,address),(bool,int256,uint160),bytes)",
  ),
  afterSwap: toFunctionSelector(
    "afterSwap(address,(address,address,uint24,int24,address),(bool,int256,uint160),int256,bytes)",
  ),
  received: "0x00000000",
} as const;

/** The `getReserves` answer of a scripted pair. */
export const reservesAnswer = (reserve0: bigint, reserve1: bigint): Hex =>
  encodeAbiParameters(
    [{ type: "uint256" }, { type: "uint256" }, { type: "uint256" }],
    [reserve0, reserve1, 0n],
  );

/** The bits of its address mean: called before and after swaps, and may change their amounts. */
export const SWAP_HOOK: Address = "0x40000000000000000000000000000000000000cc";

/** A hook's acts before and after a swap, and its part of the amount that the swap did not fix. */
export interface HookManners {
  readonly before?: ReadonlyArray<Act>;
  readonly after?: ReadonlyArray<Act>;
  readonly taken?: bigint;
}

/** The parts of a scripted contract that is a hook. */
export function hookParts({
  before = [],
  after = [],
  taken = 0n,
}: HookManners): ReadonlyArray<Parameters<typeof scriptData>> {
  const { beforeSwap, afterSwap } = SELECTORS;
  const [beforeAnswer, afterAnswer] = [
    parseAbiParameters("bytes4, int256, uint24"),
    parseAbiParameters("bytes4, int128"),
  ] as const;
  return [
    [beforeSwap, before, encodeAbiParameters(beforeAnswer, [beforeSwap, 0n, 0])],
    [afterSwap, after, encodeAbiParameters(afterAnswer, [afterSwap, taken])],
  ];
}

/** A scripted pool manager's answer to a swap; `taken` is above 0. */
export function swapAnswer(leg: OrderLeg, taken: bigint, given: bigint): Hex {
  const deltas = leg.tokenIn < leg.tokenOut ? [-taken, given] : [given, -taken];
  return encodePacked(["int128", "int128"], deltas as [bigint, bigint]);
}

/** Sets a scripted contract's acts and return data for a function. */
export const scriptData = (selector: Hex, acts: ReadonlyArray<Act>, answer: Hex = "0x"): Hex =>
  encodeFunctionData({
    ...{ abi: scriptedAbi, functionName: "setScript", args: [selector, acts, answer] },
  });

export const setScript = (
  arena: ExecutorFixture,
  scripted: Address,
  selector: Hex,
  acts: ReadonlyArray<Act>,
  answer?: Hex,
) =>
  arena.mustSend({
    ...{ from: arena.operator, to: scripted, data: scriptData(selector, acts, answer) },
  });

export const performData = (acts: ReadonlyArray<Act>): Hex =>
  encodeFunctionData({ abi: scriptedAbi, functionName: "perform", args: [acts] });

/** The outcomes of acts that may fail, in order: "none", or the error's name. */
export async function errorsMet(
  arena: ExecutorFixture,
  scripted: Address,
): Promise<ReadonlyArray<string>> {
  const abi = scriptedAbi;
  return errorsKept(
    arena,
    scripted,
    encodeFunctionData({ abi, functionName: "outcomeCount" }),
    (index) => encodeFunctionData({ abi, functionName: "outcomes", args: [index] }),
  );
}

/** The same of a fixture token's hook. */
export async function hookErrors(
  arena: ExecutorFixture,
  token: Address,
): Promise<ReadonlyArray<string>> {
  const abi = tokenAbi;
  return errorsKept(arena, token, encodeFunctionData({ abi, functionName: "hookCount" }), (index) =>
    encodeFunctionData({ abi, functionName: "hookAnswers", args: [index] }),
  );
}

async function errorsKept(
  { chain }: ExecutorFixture,
  to: Address,
  count: Hex,
  outcomeAt: (index: bigint) => Hex,
): Promise<ReadonlyArray<string>> {
  const ask = (data: Hex) => chain.request<Hex>("eth_call", [{ to, data }, "latest"]);
  const answers = await Promise.all(
    Array.from({ length: Number(await ask(count)) }, (_, index) => ask(outcomeAt(BigInt(index)))),
  );
  return answers.map((answer) => {
    const [outcome] = decodeAbiParameters([{ type: "bytes" }], answer);
    const [succeeded, said] = decodeAbiParameters([{ type: "bool" }, { type: "bytes" }], outcome);
    return succeeded ? "none" : errorName(said);
  });
}

const act = (target: Address, data: Hex, must: boolean): Act => ({ target, value: 0n, data, must });

export const may = (target: Address, data: Hex): Act => act(target, data, false);
export const must = (target: Address, data: Hex): Act => act(target, data, true);

export type PoolCallback =
  | "uniswapV3SwapCallback"
  | "pancakeV3SwapCallback"
  | "algebraSwapCallback";

export const callbackData = (
  amount0: bigint,
  amount1: bigint,
  functionName: PoolCallback = "uniswapV3SwapCallback",
): Hex => encodeFunctionData({ abi: executorAbi, functionName, args: [amount0, amount1, "0x"] });

export const managerAbi = parseAbi([
  "function unlock(bytes data)",
  "function sync(address currency)",
  "function settle() payable",
  "function take(address currency, address to, uint256 amount)",
]);

/** The callback of a pool manager after its unlock. */
export const unlockCallback: Hex = encodeFunctionData({
  ...{ abi: executorAbi, functionName: "unlockCallback", args: ["0x"] },
});

export const transferData = (to: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [to, amount] });

/** Takes from an owner's allowance. */
export const takeData = (owner: Address, to: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: tokenAbi, functionName: "transferFrom", args: [owner, to, amount] });

/** A callback that asks for an amount of a leg's input. */
export const ask = ({ tokenIn, tokenOut }: OrderLeg, amount: bigint): Hex =>
  tokenIn < tokenOut ? callbackData(amount, -1n) : callbackData(-1n, amount);

/** Sets the call that a fixture token makes before each transfer. */
export const setHook = (arena: ExecutorFixture, token: Address, target: Address, data: Hex) => {
  const hook = { functionName: "setHook", args: [target, data] } as const;
  return arena.mustSend({
    ...{ from: arena.operator, to: token },
    data: encodeFunctionData({ abi: tokenAbi, ...hook }),
  });
};

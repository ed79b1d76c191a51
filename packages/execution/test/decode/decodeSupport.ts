import type { Address } from "@millrace/core";
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from "viem";
import { executorAbi } from "../../src/executor/abi.ts";
import type { Permit } from "../../src/Permit.ts";
import type { SwapIntent, SwapLeg } from "../../src/SwapIntent.ts";
import type { RouterTable, SwapCall } from "../../src/SwapRouter.ts";

/** Calls written by viem, from the contracts' interfaces: a second opinion beside our encoders. */

const place = (n: number): Address => `0x${n.toString(16).padStart(2, "0").repeat(20)}`;

/** Ascending, so that `A` is token0 of every pool and `D` token1. */
export const [A, B, C, D] = [place(0x20), place(0x21), place(0x22), place(0x23)];
export const SENDER = place(0x90);
export const RECIPIENT = place(0x91);
export const PARTNER = place(0x92);
export const STRANGER = place(0x93);
const EXECUTOR = place(0xa0);
export const UNIVERSAL = place(0xa1);
export const DEADLINE = 1_800_000_600;

/** The wrapped native token is `A`. */
export const TABLE = {
  chainId: 1,
  wrappedNative: A,
  executor: EXECUTOR,
  universalRouter: {
    address: UNIVERSAL,
    version: "2.0",
    permit2: place(0xa2),
    v2DexId: "UNISWAP_V2",
    v3DexId: "UNISWAP_V3",
    v4DexId: "UNISWAP_V4",
  },
} as const satisfies RouterTable;

export function v2Leg(tokenIn: Address, tokenOut: Address, change: Partial<SwapLeg> = {}): SwapLeg {
  const pool: Address = `0x${tokenIn.slice(2, 4)}${tokenOut.slice(2, 4)}${"02".repeat(18)}`;
  return {
    ...{ pool, dexId: "UNISWAP_V2", protocol: "constant-product", feePips: 3000, parameter: 0 },
    ...{ tokenIn, tokenOut, zeroForOne: tokenIn < tokenOut, amountIn: 1000n, amountOut: 900n },
    ...change,
  };
}

export function v3Leg(tokenIn: Address, tokenOut: Address, change: Partial<SwapLeg> = {}): SwapLeg {
  const pool: Address = `0x${tokenIn.slice(2, 4)}${tokenOut.slice(2, 4)}${"03".repeat(18)}`;
  return {
    ...v2Leg(tokenIn, tokenOut),
    ...{ pool, dexId: "UNISWAP_V3", protocol: "concentrated-liquidity" },
    ...{ feePips: 500, parameter: 10 },
    ...change,
  };
}

/** Of a manager, with a key of its own fee and spacing; native is `ETHER`. */
export function v4Leg(tokenIn: Address, tokenOut: Address): SwapLeg {
  const [fee, tickSpacing, hooks] = [2_345, 67, place(0x04)];
  const zeroForOne = tokenIn < tokenOut;
  const [currency0, currency1] = zeroForOne ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
  const id = keccak256(
    encodeAbiParameters(poolKey, [currency0, currency1, fee, tickSpacing, hooks]),
  );
  return {
    ...v2Leg(tokenIn, tokenOut),
    ...{ pool: id.slice(0, 42) as Address, dexId: "UNISWAP_V4", protocol: "uniswap-v4" },
    ...{ feePips: fee, parameter: tickSpacing },
    key: { manager: place(0xa3), fee, tickSpacing, hooks },
  };
}

const poolKey = parseAbiParameters("address, address, uint24, int24, address");

/** Of paths that take 1000 each and give 900. */
export function intentOf(
  legs: ReadonlyArray<ReadonlyArray<SwapLeg>>,
  change: Partial<SwapIntent> = {},
): SwapIntent {
  const count = BigInt(legs.length);
  const bps = BigInt(change.fee?.bps ?? 0);
  const gross = change.kind === "exactOut" ? 900n * count : 890n * count;
  return {
    ...{ chainId: 1, kind: "exactIn", sender: SENDER, recipient: RECIPIENT },
    tokenIn: legs[0]?.[0]?.tokenIn ?? A,
    tokenOut: legs[0]?.at(-1)?.tokenOut ?? A,
    ...{ isNativeIn: false, isNativeOut: false, wrappedNative: A },
    paths: legs.map((path) => ({
      ...{ amountIn: 1000n, amountOut: 900n, legs: path },
      ...(change.kind === "exactOut" && { inputBound: 1002n }),
    })),
    ...{ amountIn: 1000n * count, amountOut: 900n * count },
    amountInMax: (change.kind === "exactOut" ? 1010n : 1000n) * count,
    amountOutMin: gross - (gross * bps) / 10_000n,
    feeAmount: (900n * count * bps) / 10_000n,
    ...{ deadline: DEADLINE, blockNumber: 7 },
    ...change,
  };
}

export const PERMIT: Permit = {
  signature: `0x${"ab".repeat(32)}${"cd".repeat(32)}1c`,
  amount: 5000n,
  deadline: 1_800_000_700n,
  nonce: 3n,
  expiration: 1_800_000_800n,
};

export interface ExecutorParts {
  readonly order: {
    readonly tokenIn: Address;
    readonly tokenOut: Address;
    readonly amountIn: bigint;
    readonly amountOutMin: bigint;
    readonly recipient: Address;
    readonly fee: bigint;
    readonly deadline: bigint;
    readonly nativeOut: boolean;
  };
  readonly paths: ReadonlyArray<{
    readonly amount: bigint;
    /** The bytes of each. */
    readonly legs: ReadonlyArray<Hex>;
  }>;
}

/** A leg's bytes, from the description of the contract. */
export function legBytes(leg: SwapLeg): Hex {
  const { pool, tokenOut, feePips, protocol, parameter, zeroForOne } = leg;
  const isPair = protocol !== "concentrated-liquidity";
  const kind = (isPair ? parameter : 3) + (zeroForOne ? 128 : 0);
  const types = ["uint8", "address", "address", ...(isPair ? ["uint24"] : [])];
  const values = [kind, pool, tokenOut, ...(isPair ? [feePips] : [])];
  return encodePacked(types as never, values as never);
}

export function executorParts(intent: SwapIntent): ExecutorParts {
  const { fee, kind, tokenIn, tokenOut, amountOutMin, recipient } = intent;
  return {
    order: {
      ...{ tokenIn, tokenOut, amountOutMin, recipient, amountIn: intent.amountInMax },
      fee: fee === undefined ? 0n : (BigInt(fee.bps) << 160n) + BigInt(fee.recipient),
      deadline: BigInt(intent.deadline),
      nativeOut: intent.isNativeOut,
    },
    paths: intent.paths.map((path) => ({
      amount: kind === "exactIn" ? path.amountIn : path.amountOut,
      legs: path.legs.map(legBytes),
    })),
  };
}

export function executorCall(
  intent: SwapIntent,
  { order, paths }: ExecutorParts = executorParts(intent),
  permit?: Pick<Permit, "amount" | "deadline"> & { v: number; r: Hex; s: Hex },
  kind: SwapIntent["kind"] = intent.kind,
): SwapCall {
  const name = kind === "exactIn" ? "swapExactInput" : "swapExactOutput";
  const written = paths.map(({ amount, legs }) => ({ amount, legs: concatHex(legs) }));
  const data =
    permit === undefined
      ? encodeFunctionData({ abi: executorAbi, functionName: name, args: [order, written] })
      : encodeFunctionData({
          abi: executorAbi,
          functionName: `${name}WithPermit`,
          args: [order, written, permit],
        });
  return { to: EXECUTOR, data, value: intent.isNativeIn ? intent.amountInMax : 0n };
}

/** A command of the Universal Router: its byte and its input. */
export type Command = readonly [byte: number, input: Hex];

const pathOfTokens = parseAbiParameters("address, uint256, uint256, address[], bool");
const pathOfBytes = parseAbiParameters("address, uint256, uint256, bytes, bool");
const threeWords = parseAbiParameters("address, address, uint256");
const twoWords = parseAbiParameters("address, uint256");
const permitSingle = parseAbiParameters(
  "((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) permit, bytes signature",
);

/** Recipients and amounts that the router reads as a shorthand. */
export const TO_SENDER: Address = "0x0000000000000000000000000000000000000001";
export const TO_ROUTER: Address = "0x0000000000000000000000000000000000000002";
export const ALL = 1n << 255n;
export const ETHER: Address = "0x0000000000000000000000000000000000000000";

export interface SwapWords {
  readonly to?: Address;
  readonly amount?: bigint;
  readonly limit?: bigint;
  readonly payerIsUser?: boolean;
}

const swapWords = ({ to = RECIPIENT, amount = 1000n, limit = 890n }: SwapWords) =>
  [to, amount, limit] as const;

export function v2In(tokens: ReadonlyArray<Address>, words: SwapWords = {}, byte = 0x08): Command {
  const payer = words.payerIsUser ?? true;
  return [byte, encodeAbiParameters(pathOfTokens, [...swapWords(words), tokens, payer])];
}

export function v2Out(tokens: ReadonlyArray<Address>, words: SwapWords = {}): Command {
  return v2In(tokens, { amount: 900n, limit: 1010n, ...words }, 0x09);
}

/** Tokens and fees in turn, as written. */
export function v3In(
  path: ReadonlyArray<Address | number>,
  words: SwapWords = {},
  byte = 0x00,
): Command {
  const payer = words.payerIsUser ?? true;
  const bytes = concatHex(
    path.map((item) => (typeof item === "number" ? numberToHex(item, { size: 3 }) : item)),
  );
  return [byte, encodeAbiParameters(pathOfBytes, [...swapWords(words), bytes, payer])];
}

export function v3Out(path: ReadonlyArray<Address | number>, words: SwapWords = {}): Command {
  return v3In(path, { amount: 900n, limit: 1010n, ...words }, 0x01);
}

/** Of a V4_SWAP: an action's byte, and what it is given. */
export type Action = readonly [byte: number, parameters: Hex];

const managedSwap = parseAbiParameters([
  "Parameters parameters",
  "struct Parameters { address currency; PathKey[] path; uint128 amount; uint128 limit; }",
  "struct PathKey { address token; uint24 fee; int24 tickSpacing; address hooks; bytes data; }",
]);
const settleWords = parseAbiParameters("address, uint256, bool");

export const v4Command = (actions: ReadonlyArray<Action>): Command => [
  0x10,
  encodeAbiParameters(parseAbiParameters("bytes, bytes[]"), [
    concatHex(actions.map(([byte]) => numberToHex(byte, { size: 1 }))),
    actions.map(([, parameters]) => parameters),
  ]),
];

/** Along pools of `v4Leg`: a list of what each gives; of an exact output, of what each takes. */
export const v4Swap = (
  currency: Address,
  tokens: ReadonlyArray<Address>,
  { amount = 0n, limit = 0n, data = "0x" as Hex, byte = 0x07, fee = 2_345 } = {},
): Action => {
  const key = { fee, tickSpacing: 67, hooks: place(0x04), data };
  const path = tokens.map((token) => ({ token, ...key }));
  return [byte, encodeAbiParameters(managedSwap, [{ currency, path, amount, limit }])];
};
export const v4Settle = (token: Address, amount: bigint, payerIsUser: boolean): Action => [
  0x0b,
  encodeAbiParameters(settleWords, [token, amount, payerIsUser]),
];
export const v4Take = (token: Address, to: Address, amount = 0n): Action => [
  0x0e,
  encodeAbiParameters(threeWords, [token, to, amount]),
];
export const pull = (token: Address, to: Address, amount: bigint): Command => [
  0x02,
  encodeAbiParameters(threeWords, [token, to, amount]),
];

export const sweep = (token: Address, to: Address, least: bigint): Command => [
  0x04,
  encodeAbiParameters(threeWords, [token, to, least]),
];
export const transfer = (token: Address, to: Address, amount: bigint): Command => [
  0x05,
  encodeAbiParameters(threeWords, [token, to, amount]),
];
export const payPortion = (token: Address, to: Address, bps: bigint): Command => [
  0x06,
  encodeAbiParameters(threeWords, [token, to, bps]),
];
export const wrap = (to: Address, amount: bigint): Command => [
  0x0b,
  encodeAbiParameters(twoWords, [to, amount]),
];
export const unwrap = (to: Address, least: bigint): Command => [
  0x0c,
  encodeAbiParameters(twoWords, [to, least]),
];

export function permit2(
  change: Partial<{ token: Address; amount: bigint; nonce: number; spender: Address }> = {},
  signature: Hex = PERMIT.signature,
): Command {
  const { token = B, amount = PERMIT.amount, nonce = 3, spender = UNIVERSAL } = change;
  const details = { token, amount, expiration: Number(PERMIT.expiration), nonce };
  const single = { details, spender, sigDeadline: PERMIT.deadline };
  return [0x8a, encodeAbiParameters(permitSingle, [single, signature])];
}

const routerAbi = parseAbi([
  "function execute(bytes commands, bytes[] inputs, uint256 deadline) payable",
]);

export function routerCall(
  commands: ReadonlyArray<Command>,
  { value = 0n, deadline = BigInt(DEADLINE) } = {},
): SwapCall {
  const bytes = concatHex(commands.map(([byte]) => numberToHex(byte, { size: 1 })));
  const inputs = commands.map(([, input]) => input);
  const args = [bytes, inputs, deadline] as const;
  return { to: UNIVERSAL, data: encodeFunctionData({ abi: routerAbi, args }), value };
}

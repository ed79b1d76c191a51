import type { Address } from "@millrace/core";
import { executorAbi } from "@millrace/execution";
import { executorWord, type Hex } from "@millrace/protocols";
import { type ContractFunctionArgs, encodeFunctionData } from "viem";

/** A leg as the executor's callers write it. */
export interface OrderLeg {
  readonly kind: "pair" | "feeFirst" | "concentrated";
  readonly pool: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly feePips?: number;
}

export type Order = ContractFunctionArgs<typeof executorAbi, "payable", "swapExactInput">[0];
export type Path = ContractFunctionArgs<typeof executorAbi, "payable", "swapExactInput">[1][number];
export type Permit = ContractFunctionArgs<
  typeof executorAbi,
  "nonpayable",
  "swapExactInputWithPermit"
>[2];

const KINDS = { pair: 0, feeFirst: 1, concentrated: 2 } as const;
export const FAR = 2n ** 40n;

export const pathOf = (amount: bigint, ...legs: ReadonlyArray<OrderLeg>): Path => ({
  amount,
  legs: legs.map(({ kind, pool, tokenIn, tokenOut, feePips = 3_000 }) => ({
    pool: executorWord(KINDS[kind], {
      ...{ pool, feePips, parameter: 0, zeroForOne: tokenIn < tokenOut },
    }),
    tokenOut,
  })),
});

export const feeOf = (recipient: Address, bps: number): bigint =>
  (BigInt(bps) << 160n) | BigInt(recipient);

export const encodeSwap = (
  kind: "exactIn" | "exactOut",
  order: Order,
  paths: ReadonlyArray<Path>,
  permit?: Permit,
): Hex => {
  const abi = executorAbi;
  if (permit !== undefined)
    return encodeFunctionData({
      abi,
      functionName: kind === "exactIn" ? "swapExactInputWithPermit" : "swapExactOutputWithPermit",
      args: [order, paths, permit],
    });
  return encodeFunctionData({
    abi,
    functionName: kind === "exactIn" ? "swapExactInput" : "swapExactOutput",
    args: [order, paths],
  });
};

import type { Address } from "@millrace/core";
import { executorAbi } from "@millrace/execution";
import type { Hex } from "@millrace/protocols";
import {
  type ContractFunctionArgs,
  concatHex,
  encodeFunctionData,
  encodePacked,
  padHex,
} from "viem";

/** A leg as the executor's callers write it. */
export interface OrderLeg {
  readonly kind: keyof typeof KINDS;
  /** The contract that the executor calls: for managed pools their manager; unused for wrapping. */
  readonly pool: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly feePips?: number;
  /** Of managed pools. */
  readonly tickSpacing?: number;
  readonly hooks?: Address;
  /** Of Curve's pools: all of their coins, in their order, native ones as such. */
  readonly coins?: ReadonlyArray<Address>;
  /** Of Balancer's vaults: the pool's id. */
  readonly poolId?: Hex;
  /** Of Balancer V3: the router that calls the vault. */
  readonly router?: Address;
}

export type Order = ContractFunctionArgs<typeof executorAbi, "payable", "swapExactInput">[0];
export type Path = ContractFunctionArgs<typeof executorAbi, "payable", "swapExactInput">[1][number];
export type Permit = ContractFunctionArgs<
  typeof executorAbi,
  "nonpayable",
  "swapExactInputWithPermit"
>[2];

const KINDS = {
  pair: 0,
  volatile: 1,
  stable: 2,
  concentrated: 3,
  managed: 4,
  wrapping: 5,
  stableSwap: 6,
  cryptoSwap: 7,
  balancerV2: 8,
  balancerV3: 9,
  shares: 10,
  wrapper: 11,
} as const;
const ZERO_FOR_ONE = 0x80;
export const FAR = 2n ** 40n;
export const NATIVE: Address = `0x${"00".repeat(20)}`;

export const pathOf = (amount: bigint, ...legs: ReadonlyArray<OrderLeg>): Path => ({
  amount,
  legs: concatHex(legs.map(legBytes)),
});

/** Encodes a leg as the executor's source defines it. */
export function legBytes(leg: OrderLeg): Hex {
  const { kind, pool, tokenIn, tokenOut, feePips = 3_000 } = leg;
  const { tickSpacing = 60, hooks = NATIVE, coins = [tokenIn, tokenOut], poolId = "0x" } = leg;
  const head = KINDS[kind] + (tokenIn < tokenOut ? ZERO_FOR_ONE : 0);
  const plain = encodePacked(["uint8", "address", "address"], [head, pool, tokenOut]);
  switch (kind) {
    case "wrapping":
      return encodePacked(["uint8"], [head]);
    case "pair":
    case "volatile":
      return concatHex([plain, encodePacked(["uint24"], [feePips])]);
    case "managed":
      return concatHex([
        plain,
        encodePacked(["uint24", "int24", "address"], [feePips, tickSpacing, hooks]),
      ]);
    case "stableSwap":
    case "cryptoSwap": {
      const places = 16 * coins.indexOf(tokenIn) + coins.indexOf(tokenOut);
      return concatHex([plain, encodePacked(["uint8"], [places])]);
    }
    case "balancerV2":
      return concatHex([plain, padHex(poolId, { size: 32 })]);
    case "balancerV3":
      return concatHex([plain, padHex(poolId, { size: 20 })]);
    default:
      return plain;
  }
}

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

import { type Address, encodeFunctionData, type Hex } from "viem";
import { devnetTokenAbi, multicall3Abi, permit2ApprovalAbi, wethAbi } from "../contracts/abis.ts";
import type { Sending, Transaction } from "../node/transactions.ts";
import { MAX_UINT160, MAX_UINT256, type Market, type Trader, toUnits } from "./Market.ts";

/** What each trader has of each token. */
const FORTUNE_USD = 2_000_000_000;

/**
 * Gives all traders and the deployer of all tokens, in one transaction: these tokens let everybody
 * call `mint`, and the wrapped native is bought by Multicall3 and handed on.
 */
export function fundTraders({ contracts, tokens, traders, deployer }: Market): Transaction {
  const holders = [...traders.map(({ address }) => address), deployer];
  const mints = tokens.slice(1).flatMap((token) => {
    const amount = toUnits(FORTUNE_USD / token.priceUsd, token);
    return holders.map((holder) => call(token.address, mint(holder, amount)));
  });
  const native = tokens[0]!;
  const each = toUnits(FORTUNE_USD / native.priceUsd, native);
  const deposited = each * BigInt(holders.length);
  const deposit = encodeFunctionData({ abi: wethAbi, functionName: "deposit" });
  const wraps = [
    { ...call(native.address, deposit), value: deposited },
    ...holders.map((holder) => call(native.address, transfer(holder, each))),
  ];
  return {
    to: contracts.multicall3,
    value: deposited,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3Value",
      args: [[...mints, ...wraps]],
    }),
  };
}

/** Lets all routers, the position manager, Permit2 and Multicall3 take a trader's tokens. */
export function approveForTrader(
  { contracts, families, tokens }: Market,
  { address: from }: Trader,
): ReadonlyArray<Sending> {
  const spenders = [
    ...[contracts.v2Router, contracts.v2SisterRouter, contracts.swapRouter02],
    ...[contracts.positionManager, contracts.permit2, contracts.multicall3],
    ...(families === undefined ? [] : [families.router]),
  ];
  const permit = (token: Address): Transaction => ({
    to: contracts.permit2,
    data: encodeFunctionData({
      abi: permit2ApprovalAbi,
      functionName: "approve",
      args: [token, contracts.universalRouter, MAX_UINT160, 2 ** 48 - 1],
    }),
  });
  return tokens.flatMap(({ address }) => [
    ...spenders.map((spender) => ({ from, transaction: approve(address, spender) })),
    { from, transaction: permit(address) },
  ]);
}

/** What opening pools, and trading in them, takes of the deployer's tokens goes through these. */
export function approveForDeployer({
  contracts,
  families,
  tokens,
  deployer,
}: Market): ReadonlyArray<Sending> {
  const spenders = [
    ...[contracts.positionManager, contracts.multicall3, contracts.swapRouter02],
    ...(families === undefined ? [] : [families.router]),
  ];
  return tokens.flatMap(({ address }) =>
    spenders.map((spender) => ({ from: deployer, transaction: approve(address, spender) })),
  );
}

export const approve = (token: Address, spender: Address): Transaction => ({
  to: token,
  data: approvalOf(spender),
});

const approvals = new Map<Address, Hex>();

/** Hundreds of transactions approve a few. */
function approvalOf(spender: Address): Hex {
  const known = approvals.get(spender);
  if (known !== undefined) return known;
  const args = [spender, MAX_UINT256] as const;
  const data = encodeFunctionData({ abi: devnetTokenAbi, functionName: "approve", args });
  approvals.set(spender, data);
  return data;
}

const call = (target: Address, callData: Hex) => ({
  target,
  allowFailure: false,
  value: 0n,
  callData,
});

const mint = (to: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: devnetTokenAbi, functionName: "mint", args: [to, amount] });

const transfer = (to: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: devnetTokenAbi, functionName: "transfer", args: [to, amount] });

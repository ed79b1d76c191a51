import { type Address, encodeFunctionData, type Hex } from "viem";
import {
  devnetTokenAbi,
  multicall3Abi,
  permit2ApprovalAbi,
  wethAbi,
  wrapperAbi,
} from "../contracts/abis.ts";
import type { Sending, Transaction } from "../node/transactions.ts";
import {
  MAX_UINT160,
  MAX_UINT256,
  type Market,
  type MarketToken,
  type Trader,
  toUnits,
} from "./Market.ts";

/** What each trader has of each token. */
const FORTUNE_USD = 2_000_000_000;
/** What each account for users has of each token. */
const ACCOUNT_USD = 1_000_000;

/**
 * Gives all traders and the deployer of all tokens, in one transaction: these tokens let everybody
 * call `mint`; wrapped and staked native tokens, and shares, Multicall3 buys and hands on.
 */
export function fundTraders(market: Market): Transaction {
  const { contracts, tokens, traders, deployer, families } = market;
  const holders = [...traders.map(({ address }) => address), deployer];
  const native = tokens[0]!;
  const mints = tokens.slice(1).flatMap((token) => {
    const amount = toUnits(FORTUNE_USD / token.priceUsd, token);
    if (token.wraps === undefined || families === undefined)
      return holders.map((holder) => call(token.address, mint(holder, amount)));
    if (token.wraps.kind === "stake") return stake(token, native, holders, amount);
    const { asset: symbol } = token.wraps;
    const asset = tokens.find((other) => other.symbol === symbol)!;
    return deposit(contracts.multicall3, token, asset, holders, amount);
  });
  const each = toUnits(FORTUNE_USD / native.priceUsd, native);
  const wrapped = encodeFunctionData({ abi: wethAbi, functionName: "deposit" });
  const calls = [
    ...mints,
    { ...call(native.address, wrapped), value: each * BigInt(holders.length) },
    ...holders.map((holder) => call(native.address, transfer(holder, each))),
  ];
  return calledTogether(contracts.multicall3, calls);
}

/**
 * Hands each account some of every token, out of what a trader has: a transaction for each account,
 * which the first trader sends. Multicall3 has the traders' approvals.
 */
export function fundAccounts(
  { contracts, tokens, traders }: Market,
  accounts: ReadonlyArray<Address>,
): ReadonlyArray<Sending> {
  const from = traders[0]!.address;
  return accounts.map((account) => {
    const calls = tokens.map((token) => {
      const amount = toUnits(ACCOUNT_USD / token.priceUsd, token);
      const args = [from, account, amount] as const;
      return call(
        token.address,
        encodeFunctionData({ abi: devnetTokenAbi, functionName: "transferFrom", args }),
      );
    });
    return { from, transaction: calledTogether(contracts.multicall3, calls) };
  });
}

/** Stakes a little, has it earn what makes a token worth its price, and stakes the rest. */
function stake(
  token: MarketToken,
  native: MarketToken,
  holders: ReadonlyArray<Address>,
  amount: bigint,
) {
  const rate = (value: bigint) =>
    toUnits((Number(value) * token.priceUsd) / native.priceUsd, UNITS);
  const first = toUnits(1_000, token);
  const earned = encodeFunctionData({
    ...{ abi: wrapperAbi, functionName: "earn", args: [rate(first) - first] },
  });
  // A little more than what it comes to, since shares are rounded down.
  const rest = (rate(amount) + 1_000_000_000n) * BigInt(holders.length);
  return [
    { ...call(token.address, "0x"), value: first },
    call(token.address, earned),
    { ...call(token.address, "0x"), value: rest },
    ...holders.map((holder) => call(token.address, transfer(holder, amount))),
  ];
}

/** Deposits for each holder, and has the vault earn what makes its shares worth their price. */
function deposit(
  multicall3: Address,
  vault: MarketToken,
  asset: MarketToken,
  holders: ReadonlyArray<Address>,
  amount: bigint,
) {
  const whole = amount * BigInt(holders.length);
  const earned = toUnits(Number(whole) * (vault.priceUsd / asset.priceUsd - 1), UNITS);
  const deposited = (holder: Address) =>
    encodeFunctionData({ abi: wrapperAbi, functionName: "deposit", args: [amount, holder] });
  return [
    call(asset.address, mint(multicall3, whole)),
    call(asset.address, approve(asset.address, vault.address).data),
    ...holders.map((holder) => call(vault.address, deposited(holder))),
    call(asset.address, mint(vault.address, earned)),
  ];
}

/** Of numbers that are units already. */
const UNITS = { decimals: 0 };

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

const calledTogether = (
  multicall3: Address,
  calls: ReadonlyArray<ReturnType<typeof call>>,
): Transaction => ({
  to: multicall3,
  value: calls.reduce((sum, { value }) => sum + value, 0n),
  data: encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3Value", args: [calls] }),
});

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

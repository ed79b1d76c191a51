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

/** Each trader's share of a token's supply; the deployer, who fills the pools, has the rest. */
const TRADER_SHARE = 0.15;
/** Worth of each token in each account for users. */
const ACCOUNT_USD = 1_000_000;

/**
 * Gives the whole supply of all tokens to the traders and the deployer, in one transaction. Anybody
 * may call these tokens' `mint`; Multicall3 buys wrapped and staked native tokens and shares, and
 * passes them on.
 */
export function fundTraders(market: Market): Transaction {
  const { contracts, tokens, traders, deployer, families } = market;
  const native = tokens[0]!;
  const holdingsOf = (token: MarketToken): ReadonlyArray<Holding> => {
    const share = (part: number) => toUnits((part * token.capUsd) / token.priceUsd, token);
    return [
      ...traders.map(({ address }) => ({ holder: address, amount: share(TRADER_SHARE) })),
      { holder: deployer, amount: share(1 - TRADER_SHARE * traders.length) },
    ];
  };
  const mints = tokens.slice(1).flatMap((token) => {
    const holdings = holdingsOf(token);
    if (token.wraps === undefined || families === undefined)
      return holdings.map(({ holder, amount }) => call(token.address, mint(holder, amount)));
    if (token.wraps.kind === "stake") return stake(token, native, holdings);
    const { asset: symbol } = token.wraps;
    const asset = tokens.find((other) => other.symbol === symbol)!;
    return deposit(contracts.multicall3, token, asset, holdings);
  });
  const natives = holdingsOf(native);
  const wrapped = encodeFunctionData({ abi: wethAbi, functionName: "deposit" });
  const calls = [
    ...mints,
    { ...call(native.address, wrapped), value: sumOf(natives) },
    ...natives.map(({ holder, amount }) => call(native.address, transfer(holder, amount))),
  ];
  return calledTogether(contracts.multicall3, calls);
}

/**
 * Sends each account some of every token from the first trader, in a transaction for each account.
 * Multicall3 has the traders' approvals.
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

/** How much of a token an account gets. */
interface Holding {
  readonly holder: Address;
  readonly amount: bigint;
}

const sumOf = (holdings: ReadonlyArray<Holding>): bigint =>
  holdings.reduce((sum, { amount }) => sum + amount, 0n);

/** Stakes a little, lets it earn what gives the token its price, and stakes the rest. */
function stake(token: MarketToken, native: MarketToken, holdings: ReadonlyArray<Holding>) {
  const rate = (value: bigint) =>
    toUnits((Number(value) * token.priceUsd) / native.priceUsd, UNITS);
  const first = toUnits(1_000, token);
  const earned = encodeFunctionData({
    ...{ abi: wrapperAbi, functionName: "earn", args: [rate(first) - first] },
  });
  // A little more than the exact sum, since shares are rounded down.
  const rest = rate(sumOf(holdings)) + 1_000_000_000n * BigInt(holdings.length);
  return [
    { ...call(token.address, "0x"), value: first },
    call(token.address, earned),
    { ...call(token.address, "0x"), value: rest },
    ...holdings.map(({ holder, amount }) => call(token.address, transfer(holder, amount))),
  ];
}

/** Deposits for each holder, and lets the vault earn what gives its shares their price. */
function deposit(
  multicall3: Address,
  vault: MarketToken,
  asset: MarketToken,
  holdings: ReadonlyArray<Holding>,
) {
  const whole = sumOf(holdings);
  const earned = toUnits(Number(whole) * (vault.priceUsd / asset.priceUsd - 1), UNITS);
  const deposited = ({ holder, amount }: Holding) =>
    encodeFunctionData({ abi: wrapperAbi, functionName: "deposit", args: [amount, holder] });
  return [
    call(asset.address, mint(multicall3, whole)),
    call(asset.address, approve(asset.address, vault.address).data),
    ...holdings.map((holding) => call(vault.address, deposited(holding))),
    call(asset.address, mint(vault.address, earned)),
  ];
}

/** For amounts that are in units already. */
const UNITS = { decimals: 0 };

/** Approves a trader's tokens for all routers, the position manager, Permit2 and Multicall3. */
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

/**
 * Approvals of the deployer's tokens for the contracts that open pools and make the first trades.
 */
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

/** Cached: hundreds of transactions approve a few spenders. */
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

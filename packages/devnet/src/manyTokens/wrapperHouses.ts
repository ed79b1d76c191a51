import { encodeFunctionData, zeroAddress } from "viem";
import { wrapperAbi as abi, devnetTokenAbi } from "../contracts/abis.ts";
import type { ManyTokenHouse } from "./ManyTokenHouse.ts";

/** A wrapper is itself the token of its shares, at position 1: nothing more is made or filled. */
const create: ManyTokenHouse["create"] = (_ground, tokens) => {
  const { address } = tokens[1]!;
  return { address, id: address };
};
const fill = () => undefined;

/** An ERC-4626 vault: swaps in one direction deposit, in the other redeem shares. */
export const vaultHouse: ManyTokenHouse = {
  ...{ kind: "erc4626", create, fill },
  swap: ({ address: target, tokens }, { positionIn, amountIn }, { router }) => {
    const isDeposit = positionIn === 0;
    // The router sends the caller its balances of both tokens afterwards.
    const data = isDeposit
      ? encodeFunctionData({ abi, functionName: "deposit", args: [amountIn, router] })
      : encodeFunctionData({ abi, functionName: "redeem", args: [amountIn, router, router] });
    return { target, data, tokens, amounts: isDeposit ? [amountIn, 0n] : [0n, amountIn] };
  },
  quote: ({ address: to }, { positionIn, amountIn }) => {
    const functionName = positionIn === 0 ? "previewDeposit" : "previewRedeem";
    const data = encodeFunctionData({ abi, functionName, args: [amountIn] });
    return { to, data, amountOut: BigInt };
  },
  /** Assets sent to the vault are earned by all its shares. */
  change: ({ address, tokens }, { random, depths }) => {
    const [asset] = tokens;
    const earned = BigInt(Math.floor(Number(depths[0]) * random.betweenMagnitudes(1e-9, 1e-5)));
    const args = [address, earned] as const;
    const data = encodeFunctionData({ abi: devnetTokenAbi, functionName: "transfer", args });
    return { target: asset!, data, tokens: [asset!], amounts: [earned] };
  },
};

/**
 * Lido's staking by wstETH: it gives shares for the native tokens sent to it, and cannot redeem
 * them.
 */
export const stakeHouse: ManyTokenHouse = {
  ...{ kind: "lido", nativeAt: 0, create, fill },
  swap: ({ address: target, tokens }, { positionIn, amountIn }) =>
    positionIn === 0
      ? { target, data: "0x", tokens: [zeroAddress, tokens[1]!], amounts: [amountIn, 0n] }
      : undefined,
  quote: ({ address: to }, { amountIn }) => {
    const call = { abi, functionName: "getWstETHByStETH", args: [amountIn] } as const;
    return { to, data: encodeFunctionData(call), amountOut: BigInt };
  },
  /** Like a report of what validators have earned. */
  change: ({ address: target }, { random, depths }) => {
    const earned = BigInt(Math.floor(Number(depths[0]) * random.betweenMagnitudes(1e-9, 1e-5)));
    const data = encodeFunctionData({ abi, functionName: "earn", args: [earned] });
    return { target, data, tokens: [], amounts: [] };
  },
};

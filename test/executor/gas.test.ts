import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approval, ExecutorFixture, MAX_UINT256 } from "../contracts/ExecutorFixture.ts";
import { encodeSwap, FAR, type OrderLeg, pathOf } from "../contracts/orders.ts";
import { swapRouterAbi, v2RouterAbi } from "../live/abis.ts";

// Gas of whole transactions, by a sender who holds both tokens and has approved both contracts.

const RATIO_MAX = 1.15;
const BLOCK_SECONDS = 12;

describe("gas of the executor", () => {
  let arena: ExecutorFixture;
  let trader: Address;
  beforeAll(async () => {
    arena = await ExecutorFixture.open(3);
    trader = arena.devnet.traders[0]!.address;
    for (const { address: to } of arena.devnet.tokens)
      await arena.mustSend({ from: trader, to, data: approval(arena.executor, MAX_UINT256) });
  });
  afterAll(() => arena?.close());

  /** Gas of a transaction; resets the chain afterwards. */
  async function gasOf(to: Address, data: Hex): Promise<number> {
    const { timestamp } = await arena.chain.request<{ readonly timestamp: Hex }>(
      "eth_getBlockByNumber",
      ["latest", false],
    );
    const snapshot = await arena.chain.request<Hex>("evm_snapshot");
    // A pair also writes its price once time has passed since its last swap, for either contract.
    await arena.chain.request("evm_setNextBlockTimestamp", [Number(timestamp) + BLOCK_SECONDS]);
    const { gasUsed } = await arena.mustSend({ from: trader, to, data });
    await arena.chain.request("evm_revert", [snapshot]);
    // The node may still hold a mined transaction, and would mine it again.
    await arena.chain.request("anvil_dropAllTransactions");
    return gasUsed;
  }

  const amountOf = (token: Address) =>
    10n ** BigInt(arena.devnet.tokens.find(({ address }) => address === token)!.decimals);

  const executorSwap = (amount: bigint, ...legs: ReadonlyArray<OrderLeg>): Hex =>
    encodeSwap(
      "exactIn",
      {
        ...{ tokenIn: legs[0]!.tokenIn, tokenOut: legs.at(-1)!.tokenOut, amountIn: amount },
        ...{ amountOutMin: 1n, recipient: trader, fee: 0n, deadline: FAR, nativeOut: false },
      },
      [pathOf(amount, ...legs)],
    );

  const poolsOf = (dexId: string) => arena.devnet.pools.filter((pool) => pool.dexId === dexId);

  it("for one Uniswap V3 pool is at most 1.15 times SwapRouter02's, in each direction", async () => {
    const ratios: number[] = [];
    for (const { address: pool, token0, token1, fee } of poolsOf("UNISWAP_V3")) {
      for (const [tokenIn, tokenOut] of [
        [token0, token1],
        [token1, token0],
      ] as const) {
        const amountIn = amountOf(tokenIn);
        const leg = { kind: "concentrated", pool, tokenIn, tokenOut } as const;
        // The first swap of a pool fills slots that were empty.
        const data = executorSwap(amountIn, leg);
        await arena.mustSend({ from: trader, to: arena.executor, data });
        const ours = await gasOf(arena.executor, data);
        const params = {
          ...{ tokenIn, tokenOut, fee, recipient: trader, amountIn },
          ...{ amountOutMinimum: 1n, sqrtPriceLimitX96: 0n },
        };
        const theirs = await gasOf(
          arena.devnet.contracts.swapRouter02,
          encodeFunctionData({
            ...{ abi: swapRouterAbi, functionName: "exactInputSingle", args: [params] },
          }),
        );
        ratios.push(ours / theirs);
      }
    }
    expect(ratios.length).toBeGreaterThan(30);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(RATIO_MAX);
  });

  it("for one Uniswap V2 pair is at most 1.15 times Router02's", async () => {
    const ratios: number[] = [];
    for (const { address: pool, token0: tokenIn, token1: tokenOut } of poolsOf("UNISWAP_V2")) {
      const amountIn = amountOf(tokenIn);
      const leg = { kind: "pair", pool, tokenIn, tokenOut } as const;
      const ours = await gasOf(arena.executor, executorSwap(amountIn, leg));
      const theirs = await gasOf(
        arena.devnet.contracts.v2Router,
        encodeFunctionData({
          ...{ abi: v2RouterAbi, functionName: "swapExactTokensForTokens" },
          args: [amountIn, 1n, [tokenIn, tokenOut], trader, FAR],
        }),
      );
      ratios.push(ours / theirs);
    }
    expect(ratios.length).toBeGreaterThan(5);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(RATIO_MAX);
  });
});

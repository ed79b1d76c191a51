import type { SwapCall, SwapOrder } from "@millrace/execution";
import { concat, encodeFunctionData, numberToHex, parseAbi } from "viem";
import type { SwapFixture } from "./swapFixture.ts";

const NO_DEADLINE = 2n ** 40n;
const router02Abi = parseAbi([
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])",
  "function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[])",
]);
const swapRouter02Abi = parseAbi([
  "struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "struct SingleOut { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }",
  "struct Path { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }",
  "function exactInputSingle(Single params) payable returns (uint256)",
  "function exactOutputSingle(SingleOut params) payable returns (uint256)",
  "function exactInput(Path params) payable returns (uint256)",
]);

/**
 * The same swap by Uniswap's own router for one family: Router02 for pairs, SwapRouter02 for
 * concentrated pools. Undefined for an order that takes several calls there, or that these routers
 * cannot execute.
 */
export function olderRouterCall(
  { devnet: { contracts, pools } }: SwapFixture,
  order: SwapOrder,
): SwapCall | undefined {
  const { amountIn, amountOut, sender: recipient, steps, tokenIn, tokenOut } = order;
  if (order.fee !== undefined || order.isNativeOut) return undefined;
  if (steps.filter((step) => step.tokenIn === tokenIn).length > 1) return undefined;
  const found = steps.map(({ pool }) => pools.find(({ address }) => address === pool)!);
  const isOut = order.kind === "exactOut";
  const most = 2n * amountIn;
  const tokens = [tokenIn, ...steps.map((step) => step.tokenOut)];
  if (found.every(({ dexId }) => dexId === "UNISWAP_V2") && !order.isNativeIn) {
    const rest = [tokens, recipient, NO_DEADLINE] as const;
    const call = isOut
      ? ({ functionName: "swapTokensForExactTokens", args: [amountOut, most, ...rest] } as const)
      : ({ functionName: "swapExactTokensForTokens", args: [amountIn, 1n, ...rest] } as const);
    return {
      to: contracts.v2Router,
      data: encodeFunctionData({ abi: router02Abi, ...call }),
      value: 0n,
    };
  }
  if (found.some(({ dexId }) => dexId !== "UNISWAP_V3")) return undefined;
  const value = order.isNativeIn ? amountIn : 0n;
  const to = contracts.swapRouter02;
  const abi = swapRouter02Abi;
  if (steps.length === 1) {
    const pool = { tokenIn, tokenOut, fee: found[0]!.fee, recipient, sqrtPriceLimitX96: 0n };
    const call = isOut
      ? ({
          functionName: "exactOutputSingle",
          args: [{ ...pool, amountOut, amountInMaximum: most }],
        } as const)
      : ({
          functionName: "exactInputSingle",
          args: [{ ...pool, amountIn, amountOutMinimum: 1n }],
        } as const);
    return { to, data: encodeFunctionData({ abi, ...call }), value };
  }
  if (isOut) return undefined;
  const path = concat(
    tokens.flatMap((token, position) => {
      const pool = found[position];
      return pool === undefined ? [token] : [token, numberToHex(pool.fee, { size: 3 })];
    }),
  );
  const args = [{ path, recipient, amountIn, amountOutMinimum: 1n }] as const;
  return { to, data: encodeFunctionData({ abi, functionName: "exactInput", args }), value };
}

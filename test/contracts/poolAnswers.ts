import type { Address } from "@millrace/core";
import { decodeFunctionResult, encodeFunctionData } from "viem";
import { quoterAbi } from "../live/abis.ts";
import type { ExecutorFixture } from "./ExecutorFixture.ts";
import { poolAbi } from "./ExecutorFixture.ts";
import type { OrderLeg } from "./orders.ts";

/** What a pool gives for an input in the newest block, by its own rules. */
export async function amountOutOf(
  arena: ExecutorFixture,
  leg: OrderLeg,
  amountIn: bigint,
): Promise<bigint> {
  if (leg.kind === "concentrated") return quote(arena, leg, "exactIn", amountIn);
  const [reserveIn, reserveOut] = await reserves(arena, leg);
  return pairAmountOut(leg, amountIn, reserveIn, reserveOut);
}

/** The least input for which a pool gives an output; by trial for a pair. */
export async function amountInOf(
  arena: ExecutorFixture,
  leg: OrderLeg,
  amountOut: bigint,
): Promise<bigint> {
  if (leg.kind === "concentrated") return quote(arena, leg, "exactOut", amountOut);
  const [reserveIn, reserveOut] = await reserves(arena, leg);
  let [low, high] = [0n, reserveIn * reserveOut];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (pairAmountOut(leg, middle, reserveIn, reserveOut) >= amountOut) high = middle;
    else low = middle;
  }
  return high;
}

function pairAmountOut(
  { kind, feePips = 3_000 }: OrderLeg,
  amountIn: bigint,
  reserveIn: bigint,
  reserveOut: bigint,
): bigint {
  const pips = BigInt(feePips);
  if (kind === "volatile") {
    const kept = amountIn - (amountIn * pips) / 1_000_000n;
    return (kept * reserveOut) / (reserveIn + kept);
  }
  const kept = amountIn * (1_000_000n - pips);
  return (kept * reserveOut) / (reserveIn * 1_000_000n + kept);
}

async function reserves(arena: ExecutorFixture, { pool, tokenIn, tokenOut }: OrderLeg) {
  const call = {
    to: pool,
    data: encodeFunctionData({ abi: poolAbi, functionName: "getReserves" }),
  };
  const answer = await arena.chain.request<`0x${string}`>("eth_call", [call, "latest"]);
  const [reserve0, reserve1] = [answer.slice(2, 66), answer.slice(66, 130)].map((digits) =>
    BigInt(`0x${digits}`),
  ) as [bigint, bigint];
  return tokenIn < tokenOut ? ([reserve0, reserve1] as const) : ([reserve1, reserve0] as const);
}

async function quote(
  { chain, devnet }: ExecutorFixture,
  { tokenIn, tokenOut, feePips: fee = 3_000 }: OrderLeg,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): Promise<bigint> {
  const to: Address = devnet.contracts.quoterV2;
  const rest = { tokenIn, tokenOut, fee, sqrtPriceLimitX96: 0n };
  const abi = quoterAbi;
  if (kind === "exactIn") {
    const call = { abi, functionName: "quoteExactInputSingle" } as const;
    const data = encodeFunctionData({ ...call, args: [{ ...rest, amountIn: amount }] });
    const answer = await chain.request<`0x${string}`>("eth_call", [{ to, data }, "latest"]);
    return decodeFunctionResult({ ...call, data: answer })[0];
  }
  const call = { abi, functionName: "quoteExactOutputSingle" } as const;
  const data = encodeFunctionData({ ...call, args: [{ ...rest, amount }] });
  const answer = await chain.request<`0x${string}`>("eth_call", [{ to, data }, "latest"]);
  return decodeFunctionResult({ ...call, data: answer })[0];
}

import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { decodeErrorResult, encodeFunctionData } from "viem";
import { askRouter } from "./BalancerV3Pools.ts";
import type { ExecutorFixture } from "./ExecutorFixture.ts";
import { poolAbi } from "./ExecutorFixture.ts";
import { toolsAbi } from "./FamilyPools.ts";
import { directCall } from "./ManyTokenPools.ts";
import { NATIVE, type OrderLeg } from "./orders.ts";

/** A pool's output for an input in the newest block, by its own rules. */
export async function amountOutOf(
  arena: ExecutorFixture,
  leg: OrderLeg,
  amountIn: bigint,
): Promise<bigint> {
  if (leg.kind === "wrapping") return amountIn;
  if (leg.kind === "balancerV3") return askRouter(arena, leg, amountIn);
  if (isTaking(leg)) return callAnswer(arena, leg, amountIn);
  if (leg.kind === "stable") return stableAmountOut(arena, leg, amountIn);
  if (isOfTicks(leg)) return quote(arena, leg, "exactIn", amountIn);
  const [reserveIn, reserveOut] = await reserves(arena, leg);
  return pairAmountOut(leg, amountIn, reserveIn, reserveOut);
}

/** The least input for which a pool gives an output; found by trial for a pair. */
export async function amountInOf(
  arena: ExecutorFixture,
  leg: OrderLeg,
  amountOut: bigint,
): Promise<bigint> {
  if (leg.kind === "wrapping") return amountOut;
  if (isOfTicks(leg)) return quote(arena, leg, "exactOut", amountOut);
  const [reserveIn, reserveOut] = await reserves(arena, leg);
  let [low, high] = [0n, reserveIn * reserveOut];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (pairAmountOut(leg, middle, reserveIn, reserveOut) >= amountOut) high = middle;
    else low = middle;
  }
  return high;
}

const TAKING: ReadonlyArray<OrderLeg["kind"]> = [
  ...(["stableSwap", "cryptoSwap", "balancerV2", "shares", "wrapper"] as const),
];
const isTaking = ({ kind }: OrderLeg) => TAKING.includes(kind);

/** The leg's output when the tools, which hold some of every token, call its contract. */
async function callAnswer(
  { chain, tools }: ExecutorFixture,
  leg: OrderLeg,
  amountIn: bigint,
): Promise<bigint> {
  const { pool, tokenIn, tokenOut } = leg;
  const args = [pool, directCall(leg, amountIn, tools), tokenIn, amountIn, tokenOut] as const;
  const data = encodeFunctionData({ abi: toolsAbi, functionName: "quoteCall", args });
  const [, gained] = await quoted(chain, tools, data);
  return -gained;
}

const isOfTicks = ({ kind }: OrderLeg) => kind === "concentrated" || kind === "managed";

/** By the pair's own quote, which its `swap` enforces. */
async function stableAmountOut(
  { chain }: ExecutorFixture,
  { pool: to, tokenIn }: OrderLeg,
  amountIn: bigint,
): Promise<bigint> {
  const call = { abi: poolAbi, functionName: "getAmountOut" } as const;
  const data = encodeFunctionData({ ...call, args: [amountIn, tokenIn] });
  return BigInt(await chain.request<`0x${string}`>("eth_call", [{ to, data }, "latest"]));
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

/** A quote of a pool with ticks, of any fork. */
async function quote(
  { chain, tools }: ExecutorFixture,
  leg: OrderLeg,
  kind: "exactIn" | "exactOut",
  amount: bigint,
): Promise<bigint> {
  const zeroForOne = leg.tokenIn < leg.tokenOut;
  const given = kind === "exactIn" ? amount : -amount;
  const { pool, feePips: fee = 3_000, tickSpacing = 60, hooks = NATIVE } = leg;
  const [currency0, currency1] = zeroForOne
    ? [leg.tokenIn, leg.tokenOut]
    : [leg.tokenOut, leg.tokenIn];
  const key = { currency0, currency1, fee, tickSpacing, hooks };
  const data = encodeFunctionData(
    leg.kind === "managed"
      ? { abi: toolsAbi, functionName: "quoteManaged", args: [pool, key, zeroForOne, given] }
      : { abi: toolsAbi, functionName: "quote", args: [pool, zeroForOne, given] },
  );
  const args = await quoted(chain, tools, data);
  const [taken, gained] = zeroForOne ? args : [args[1], args[0]];
  return kind === "exactIn" ? -gained : taken;
}

/** The data that the tools revert with. */
async function quoted(
  chain: ExecutorFixture["chain"],
  tools: Address,
  data: Hex,
): Promise<readonly [bigint, bigint]> {
  const [answer] = await chain.batch([["eth_call", [{ to: tools, data }, "latest"]]]);
  const { data: reason } = answer!.error as unknown as { readonly data: Hex };
  return decodeErrorResult({ abi: toolsAbi, data: reason }).args;
}

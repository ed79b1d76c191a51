import { Effect } from "effect";
import { type Address, concat, encodeFunctionData, type Hex, numberToHex } from "viem";
import {
  devnetTokenAbi,
  multicall3Abi,
  swapRouter02Abi,
  v2PairAbi,
  v2RouterAbi,
} from "../contracts/abis.ts";
import {
  FORK_FEE_PIPS,
  MAX_UINT128,
  type Market,
  type MarketToken,
  NO_DEADLINE,
  type Trader,
} from "../market/Market.ts";
import type { Transaction } from "../node/transactions.ts";
import type { Action } from "./Action.ts";
import type { Spot } from "./makeSpots.ts";
import {
  oriented,
  pickAmount,
  pickRoute,
  type Route,
  type TradeRandom,
  tradable,
} from "./routes.ts";

/** Swaps over one to three pairs through the DEX's own Router02. */
export const swapThroughRouter02: Action = ({ market, random, spots, trader }) =>
  Effect.sync(() => {
    const dexCode = random.chance(0.7) ? "v2" : "v2Sister";
    const { v2Router, v2SisterRouter } = market.contracts;
    const to = dexCode === "v2" ? v2Router : v2SisterRouter;
    const route = pickRoute(spots, dexCode, 3, random);
    if (route === undefined) return undefined;
    const path = route.tokens.map(({ address }) => address);
    const recipient = trader.address;
    if (random.chance(0.75)) {
      const args = [amountInto(route, random), 0n, path, recipient, NO_DEADLINE] as const;
      const functionName = "swapExactTokensForTokens";
      return { to, data: encodeFunctionData({ abi: v2RouterAbi, functionName, args }) };
    }
    const args = [amountOutOf(route, random), MAX_UINT128, path, recipient, NO_DEADLINE] as const;
    const functionName = "swapTokensForExactTokens";
    return { to, data: encodeFunctionData({ abi: v2RouterAbi, functionName, args }) };
  });

/** Swaps over one to three concentrated pools through SwapRouter02. */
export const swapThroughSwapRouter02: Action = ({ market, random, spots, trader }) =>
  Effect.sync(() => {
    const route = pickRoute(spots, "v3", random.chance(0.6) ? 1 : 3, random);
    if (route === undefined) return undefined;
    const recipient = trader.address;
    const to = market.contracts.swapRouter02;
    if (route.spots.length > 1) {
      const order = { path: packPath(route), recipient, amountIn: amountInto(route, random) };
      const args = [{ ...order, amountOutMinimum: 0n }] as const;
      const functionName = "exactInput";
      return { to, data: encodeFunctionData({ abi: swapRouter02Abi, functionName, args }) };
    }
    const [tokenIn, tokenOut] = route.tokens.map(({ address }) => address) as [Address, Address];
    const hop = { tokenIn, tokenOut, fee: route.spots[0]!.pool.feePips, recipient };
    if (random.chance(0.7)) {
      const amounts = { amountIn: amountInto(route, random), amountOutMinimum: 0n };
      const args = [{ ...hop, ...amounts, sqrtPriceLimitX96: 0n }] as const;
      const functionName = "exactInputSingle";
      return { to, data: encodeFunctionData({ abi: swapRouter02Abi, functionName, args }) };
    }
    const amounts = { amountOut: amountOutOf(route, random), amountInMaximum: MAX_UINT128 };
    const args = [{ ...hop, ...amounts, sqrtPriceLimitX96: 0n }] as const;
    const functionName = "exactOutputSingle";
    return { to, data: encodeFunctionData({ abi: swapRouter02Abi, functionName, args }) };
  });

/** Swaps in a pair of the 0.20 % fork, which no router reaches. */
export const swapThroughPair: Action = ({ market, random, spots, trader }) =>
  Effect.sync(() => {
    const route = pickRoute(spots, "v2Fork", 1, random);
    if (route === undefined) return undefined;
    const amountIn = amountInto(route, random);
    return swapAtPair(market, trader, route.spots[0]!, route.tokens[0]!, amountIn);
  });

/**
 * Pays a pair of the fork and takes what that gives, in one transaction. Reverts when an earlier
 * trade left less.
 */
export function swapAtPair(
  market: Market,
  trader: Trader,
  spot: Spot,
  tokenIn: MarketToken,
  amountIn: bigint,
): Transaction {
  const { pool } = spot;
  const [reserveIn, reserveOut] = oriented(spot, tokenIn);
  const kept = amountIn * BigInt(1_000_000 - FORK_FEE_PIPS);
  const amountOut = (kept * reserveOut) / (reserveIn * 1_000_000n + kept);
  const [amount0Out, amount1Out] = pool.token0 === tokenIn ? [0n, amountOut] : [amountOut, 0n];
  const pay = encodeFunctionData({
    abi: devnetTokenAbi,
    functionName: "transferFrom",
    args: [trader.address, pool.address, amountIn],
  });
  const swap = encodeFunctionData({
    abi: v2PairAbi,
    functionName: "swap",
    args: [amount0Out!, amount1Out!, trader.address, "0x"],
  });
  return together(market, [
    { target: tokenIn.address, callData: pay },
    { target: pool.address, callData: swap },
  ]);
}

/** Calls made by Multicall3, all or none. */
export const together = (
  { contracts }: Market,
  calls: ReadonlyArray<{ readonly target: Address; readonly callData: Hex }>,
): Transaction => ({
  to: contracts.multicall3,
  data: encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((call) => ({ ...call, allowFailure: false }))],
  }),
});

export const amountInto = (route: Route, random: TradeRandom): bigint =>
  pickAmount(narrowest(route)[0], random);

const amountOutOf = (route: Route, random: TradeRandom): bigint =>
  pickAmount(narrowest(route)[1], random);

/** The smallest reserve along the route, as an amount of its first token, and of its last. */
function narrowest({ spots, tokens }: Route): readonly [bigint, bigint] {
  let [first, last] = tradable(spots[0]!, tokens[0]!);
  spots.slice(1).forEach((spot, index) => {
    const [reserveIn, reserveOut] = tradable(spot, tokens[index + 1]!);
    if (last > reserveIn) first = (first * reserveIn) / last;
    last = last > reserveIn ? reserveOut : (reserveOut * last) / reserveIn;
  });
  return [first, last];
}

/** Tokens with the fees between them, as routers encode a path of concentrated pools. */
export const packPath = ({ spots, tokens }: Route): Hex =>
  concat(
    tokens.flatMap(({ address }, index) => {
      const spot = spots[index];
      return spot === undefined
        ? [address]
        : [address, numberToHex(spot.pool.feePips, { size: 3 })];
    }),
  );

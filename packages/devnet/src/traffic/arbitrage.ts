import { Effect } from "effect";
import { encodeFunctionData } from "viem";
import { swapRouter02Abi, v2RouterAbi } from "../contracts/abis.ts";
import { fairRatio, isPair, MAX_UINT128, NO_DEADLINE, toSqrtPriceX96 } from "../market/Market.ts";
import { nativeOf } from "../market/openFamilyPools.ts";
import { ENDLESS, swapCall, throughDevnetRouter } from "../market/routerCalls.ts";
import type { Transaction } from "../node/transactions.ts";
import type { Action, Situation } from "./Action.ts";
import { swapAtAerodrome } from "./familyTrades.ts";
import type { Spot } from "./makeSpots.ts";
import { oriented } from "./routes.ts";
import { amountToRatio } from "./stableCurve.ts";
import { swapAtPair } from "./trades.ts";

/** What a trade must bring beyond the pool's fee, as a share. */
const MARGIN = 0.0005;

/** Of so many of the farthest pools an arbitrageur takes one: not all of a block want the same. */
const CHOICES = 4;
/** Or of one in so many of those that are worth it. */
const CHOICES_OF = 3;

/**
 * Moves one of the pools whose prices are farthest from the outside market's back to it, but for
 * the fee; nothing when no pool is far enough away to be worth it.
 */
export const arbitrage: Action = (situation) =>
  Effect.sync(() => {
    const { spots, priceUsd, random } = situation;
    const chances = spots.map((spot) => {
      const fair = fairRatio(spot.pool, priceUsd);
      const away = Math.log(Number(spot.reserve1) / Number(spot.reserve0) / fair);
      return { spot, fair, away, gain: Math.abs(away) - spot.feePips / 1e6 - MARGIN };
    });
    const best = chances.filter(({ gain }) => gain > 0).sort((one, other) => other.gain - one.gain);
    if (best.length === 0) return undefined;
    const { spot, fair, away } = random.pick(
      best.slice(0, Math.max(CHOICES, Math.ceil(best.length / CHOICES_OF))),
    );
    const fee = spot.feePips / 1e6;
    // A dear token0 is sold to the pool, until its price is the fair one and the fee.
    return away > 0
      ? move(situation, spot, true, fair * (1 + fee))
      : move(situation, spot, false, fair / (1 + fee));
  });

/** Swaps a pool's price to this ratio of token1 to token0, in smallest units. */
function move(
  { market, trader }: Situation,
  spot: Spot,
  zeroForOne: boolean,
  ratio: number,
): Transaction {
  const { pool } = spot;
  const { contracts } = market;
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  if (pool.dexCode === "v3") {
    const order = {
      ...{ tokenIn: tokenIn.address, tokenOut: tokenOut.address, fee: pool.feePips },
      ...{ recipient: trader.address, amountIn: MAX_UINT128, amountOutMinimum: 0n },
      sqrtPriceLimitX96: toSqrtPriceX96(ratio),
    };
    const functionName = "exactInputSingle";
    const data = encodeFunctionData({ abi: swapRouter02Abi, functionName, args: [order] });
    return { to: contracts.swapRouter02, data };
  }
  if (pool.family !== undefined && !isPair(pool)) {
    const swap = swapCall(pool.family, zeroForOne, ENDLESS, toSqrtPriceX96(ratio));
    return throughDevnetRouter(market.families!, [swap], zeroForOne ? nativeOf(pool) : 0n);
  }
  if (pool.family?.family === "aerodrome-stable") {
    const amountIn = amountToRatio(pool, spot.held, zeroForOne, ratio);
    return swapAtAerodrome(market, pool, tokenIn, amountIn);
  }
  const [reserveIn, reserveOut] = oriented(spot, tokenIn).map(Number) as [number, number];
  const outPerIn = zeroForOne ? ratio : 1 / ratio;
  const amountIn = BigInt(Math.ceil(Math.sqrt((reserveIn * reserveOut) / outPerIn) - reserveIn));
  if (pool.dexCode === "v2Fork") return swapAtPair(market, trader, spot, tokenIn, amountIn);
  if (pool.dexCode === "aerodrome") return swapAtAerodrome(market, pool, tokenIn, amountIn);
  const path = [tokenIn.address, tokenOut.address];
  const args = [amountIn, 0n, path, trader.address, NO_DEADLINE] as const;
  return {
    to: pool.dexCode === "v2" ? contracts.v2Router : contracts.v2SisterRouter,
    data: encodeFunctionData({ abi: v2RouterAbi, functionName: "swapExactTokensForTokens", args }),
  };
}

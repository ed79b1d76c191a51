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

/** The least gain of a trade beyond the pool's fee, as a share. */
const MARGIN = 0.0005;

/**
 * An arbitrageur picks among at least so many of the best pools, so that the actions of a block
 * differ.
 */
const CHOICES = 4;
/** Or among one in so many of the pools that are worth it. */
const CHOICES_OF = 3;

/**
 * Moves one of the pools farthest from the outside market back to its price, less the fee;
 * undefined when no pool is worth it.
 */
export const arbitrage: Action = (situation) =>
  Effect.sync(() => {
    const best = chancesOf(situation);
    if (best.length === 0) return undefined;
    const chosen = best.slice(0, Math.max(CHOICES, Math.ceil(best.length / CHOICES_OF)));
    return take(situation, situation.random.pick(chosen));
  });

/** Moves up to so many pools back, each once: those that are farthest away. */
export const arbitrageFarthest = (
  situation: Situation,
  poolsMax: number,
): ReadonlyArray<Transaction> =>
  chancesOf(situation)
    .slice(0, poolsMax)
    .map((chance) => take(situation, chance));

/** A pool whose price differs from the outside market's. */
interface Chance {
  readonly spot: Spot;
  /** See `awayFrom`. */
  readonly away: number;
  /** As a share of the amount traded. */
  readonly gain: number;
}

/** The chances that are worth it, the best first. */
const chancesOf = ({ spots, priceUsd }: Situation): ReadonlyArray<Chance> =>
  spots
    .map((spot) => {
      const away = awayFrom(spot, priceUsd);
      return { spot, away, gain: Math.abs(away) - spot.feePips / 1e6 - MARGIN };
    })
    .filter(({ gain }) => gain > 0)
    .sort((one, other) => other.gain - one.gain);

/** Logarithm of a pool's price over the fair one. */
export const awayFrom = (spot: Spot, priceUsd: Situation["priceUsd"]): number =>
  Math.log(ratioOf(spot) / fairRatio(spot.pool, priceUsd));

const ratioOf = ({ reserve0, reserve1 }: Spot): number => Number(reserve1) / Number(reserve0);

function take(situation: Situation, { spot, away }: Chance): Transaction {
  const fair = fairRatio(spot.pool, situation.priceUsd);
  const fee = spot.feePips / 1e6;
  // Where token0 is too dear, it is sold until its price is the fair one plus the fee.
  return away > 0
    ? move(situation, spot, true, fair * (1 + fee))
    : move(situation, spot, false, fair / (1 + fee));
}

/** A smaller move, as a share, is not worth a transaction. */
const STILL = 1e-5;

/**
 * Swaps until a pool has this price, in smallest units of token1 for one of token0; undefined where
 * it nearly has it.
 */
export function movePrice(
  situation: Pick<Situation, "market" | "trader">,
  spot: Spot,
  ratio: number,
): Transaction | undefined {
  const away = ratioOf(spot) / ratio - 1;
  return Math.abs(away) < STILL ? undefined : move(situation, spot, away > 0, ratio);
}

/** Swaps until a pool has this ratio of token1 to token0, in smallest units. */
function move(
  { market, trader }: Pick<Situation, "market" | "trader">,
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

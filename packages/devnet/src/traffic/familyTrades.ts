import { Effect } from "effect";
import { encodeFunctionData } from "viem";
import { devnetRouterAbi } from "../contracts/familyAbis.ts";
import { isPair, type Market, type MarketPool, type MarketToken } from "../market/Market.ts";
import { nativeOf } from "../market/openFamilyPools.ts";
import { swapCall, throughDevnetRouter } from "../market/routerCalls.ts";
import type { Transaction } from "../node/transactions.ts";
import type { Action } from "./Action.ts";
import { pickAmount, tradable } from "./routes.ts";

/** Swaps in one pool of a further family through the devnet's router, mostly an exact input. */
export const swapInFamily: Action = ({ market, random, spots }) =>
  Effect.sync(() => {
    const choices = spots.filter(({ pool }) => pool.family !== undefined);
    if (choices.length === 0) return undefined;
    const spot = random.pick(choices);
    const { pool } = spot;
    const zeroForOne = random.chance(0.5);
    const tokenIn = zeroForOne ? pool.token0 : pool.token1;
    const [reserveIn, reserveOut] = tradable(spot, tokenIn);
    const amountIn = pickAmount(reserveIn, random);
    if (isPair(pool)) return swapAtAerodrome(market, pool, tokenIn, amountIn);
    const amount = random.chance(0.7) ? amountIn : -pickAmount(reserveOut, random);
    const swap = swapCall(pool.family!, zeroForOne, amount);
    return throughDevnetRouter(market.families!, [swap], zeroForOne ? nativeOf(pool) : 0n);
  });

/** Sells to an Aerodrome pair for what it quotes at that moment. */
export const swapAtAerodrome = (
  { families }: Market,
  { address }: MarketPool,
  tokenIn: MarketToken,
  amountIn: bigint,
): Transaction => {
  const args = [address, tokenIn.address, amountIn] as const;
  const functionName = "swapSolidly";
  const data = encodeFunctionData({ abi: devnetRouterAbi, functionName, args });
  return { to: families!.router, data };
};

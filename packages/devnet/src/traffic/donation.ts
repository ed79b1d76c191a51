import { Effect } from "effect";
import { encodeFunctionData } from "viem";
import { devnetTokenAbi, v2PairAbi } from "../contracts/abis.ts";
import { isPair } from "../market/Market.ts";
import type { Action } from "./Action.ts";
import { together } from "./trades.ts";

/** Sends a pair a little of a token, which becomes part of its reserve without a swap. */
export const donate: Action = ({ market, random, spots, trader }) =>
  Effect.sync(() => {
    const pairs = spots.filter(({ pool }) => isPair(pool));
    if (pairs.length === 0) return undefined;
    const { pool, reserve0 } = random.pick(pairs);
    const amount = (reserve0 * BigInt(random.index(100))) / 1_000_000n + 1n;
    const pay = encodeFunctionData({
      abi: devnetTokenAbi,
      functionName: "transferFrom",
      args: [trader.address, pool.address, amount],
    });
    const sync = encodeFunctionData({ abi: v2PairAbi, functionName: "sync" });
    return together(market, [
      { target: pool.token0.address, callData: pay },
      { target: pool.address, callData: sync },
    ]);
  });

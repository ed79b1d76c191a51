import { Effect } from "effect";
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from "viem";
import { multicall3Abi, v2PairAbi, v3PoolAbi } from "../contracts/abis.ts";
import type { DevnetError } from "../DevnetError.ts";
import type { Market, MarketPool } from "../market/Market.ts";
import type { Node } from "../node/Node.ts";

/** A pool as who trades sees it. */
export interface Spot {
  readonly pool: MarketPool;
  /**
   * Reserves of the pair with this price and depth, in smallest units; of a pair exactly its own.
   * Of a concentrated pool they say what goes before the next tick, and nothing beyond.
   */
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

const GET_RESERVES = encodeFunctionData({ abi: v2PairAbi, functionName: "getReserves" });
const SLOT0 = encodeFunctionData({ abi: v3PoolAbi, functionName: "slot0" });
const LIQUIDITY = encodeFunctionData({ abi: v3PoolAbi, functionName: "liquidity" });

/** All pools of the market, in one call; those with nothing in them left out. */
export const readSpots: (
  node: Node,
  market: Market,
) => Effect.Effect<ReadonlyArray<Spot>, DevnetError> = Effect.fnUntraced(function* (node, market) {
  const questions = market.pools.flatMap(({ address, dexCode }) =>
    (dexCode === "v3" ? [SLOT0, LIQUIDITY] : [GET_RESERVES]).map((data) => ask(address, data)),
  );
  const functionName = "aggregate3";
  const data = encodeFunctionData({ abi: multicall3Abi, functionName, args: [questions] });
  const to = market.contracts.multicall3;
  const answer = yield* node.request<Hex>("eth_call", [{ to, data }, "latest"]);
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName, data: answer });
  const words = (index: number) => results[index]!.returnData;
  let index = 0;
  const spots = market.pools.map((pool): Spot => {
    const answer = words(index++);
    if (pool.dexCode !== "v3")
      return { pool, reserve0: word(answer, 0), reserve1: word(answer, 1) };
    const sqrtPriceX96 = word(answer, 0);
    const liquidity = word(words(index++), 0);
    return {
      pool,
      reserve0: sqrtPriceX96 === 0n ? 0n : (liquidity << 96n) / sqrtPriceX96,
      reserve1: (liquidity * sqrtPriceX96) >> 96n,
    };
  });
  return spots.filter(({ reserve0, reserve1 }) => reserve0 > 0n && reserve1 > 0n);
});

const ask = (target: Address, callData: Hex) => ({ target, callData, allowFailure: true });

/** A word of what a call returned; 0 where it returned nothing. */
const word = (returned: Hex, index: number): bigint =>
  BigInt(`0x${returned.slice(2 + 64 * index, 66 + 64 * index) || "0"}`);

import { Effect } from "effect";
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from "viem";
import { multicall3Abi, v2PairAbi, v3PoolAbi } from "../contracts/abis.ts";
import {
  aerodromeFactoryAbi,
  algebraPoolAbi,
  stateViewAbi,
  ticksPoolAbi,
} from "../contracts/familyAbis.ts";
import { FEE_HOOK } from "../contracts/uniswapV4.ts";
import type { DevnetError } from "../DevnetError.ts";
import { isPair, type Market, type MarketPool } from "../market/Market.ts";
import type { Node } from "../node/Node.ts";
import { stableSlope } from "./stableCurve.ts";

/** A pool as a trader sees it. */
export interface Spot {
  readonly pool: MarketPool;
  /**
   * Reserves of a constant-product pair with this price and depth, in smallest units; exact for a
   * pair that is not stable. For a concentrated pool they hold only up to the next tick.
   */
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  /** Balances of a pair; for other pools the same as the reserves. */
  readonly held: readonly [bigint, bigint];
  /** The current fee; where directions differ, the higher one. */
  readonly feePips: number;
}

/**
 * Reads all pools of the market in one call; leaves out empty pools, and the trap. The call is the
 * same each time, and encoded once.
 */
export function makeSpots(
  node: Node,
  market: Market,
): Effect.Effect<ReadonlyArray<Spot>, DevnetError> {
  const pools = market.pools.filter(({ family }) => family?.hooks !== FEE_HOOK);
  const asked = pools.map((pool) => questionsOf(pool, market));
  const questions = asked.flat().map((question) => ({ ...question, allowFailure: true }));
  const functionName = "aggregate3";
  const data = encodeFunctionData({ abi: multicall3Abi, functionName, args: [questions] });
  const to = market.contracts.multicall3;
  const request = node.request<Hex>("eth_call", [{ to, data }, "latest"]);
  return Effect.map(request, (answer) => {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName, data: answer });
    let index = 0;
    const spots = pools.map((pool, at) => {
      const answers = asked[at]!.map(() => results[index++]!.returnData);
      return isPair(pool) ? pairSpot(pool, answers) : ticksSpot(pool, answers);
    });
    return spots.filter(({ reserve0, reserve1 }) => reserve0 > 0n && reserve1 > 0n);
  });
}

interface Question {
  readonly target: Address;
  readonly callData: Hex;
}

const GET_RESERVES = encodeFunctionData({ abi: v2PairAbi, functionName: "getReserves" });
const SLOT0 = encodeFunctionData({ abi: v3PoolAbi, functionName: "slot0" });
const GLOBAL_STATE = encodeFunctionData({ abi: algebraPoolAbi, functionName: "globalState" });
const LIQUIDITY = encodeFunctionData({ abi: v3PoolAbi, functionName: "liquidity" });
const FEE = encodeFunctionData({ abi: ticksPoolAbi, functionName: "fee" });

/**
 * Asks for a pair's reserves, or a pool's price and liquidity; then for the fee where it changes.
 */
function questionsOf(
  { address, dexCode, family }: MarketPool,
  { families }: Market,
): ReadonlyArray<Question> {
  const ask = (callData: Hex, target = address) => ({ target, callData });
  switch (dexCode) {
    case "v4": {
      const { stateView } = families!.uniswapV4;
      const call = { abi: stateViewAbi, args: [family!.id] } as const;
      const slot0 = encodeFunctionData({ ...call, functionName: "getSlot0" });
      const liquidity = encodeFunctionData({ ...call, functionName: "getLiquidity" });
      return [ask(slot0, stateView), ask(liquidity, stateView)];
    }
    case "aerodrome": {
      const args = [address, family!.family === "aerodrome-stable"] as const;
      const call = { abi: aerodromeFactoryAbi, functionName: "getFee", args } as const;
      const fee = encodeFunctionData(call);
      return [ask(GET_RESERVES), ask(fee, families!.aerodrome.factory)];
    }
    case "v3":
      return [ask(SLOT0), ask(LIQUIDITY)];
    case "algebra":
      return [ask(GLOBAL_STATE), ask(LIQUIDITY), ask(FEE)];
    case "pancakeV3":
    case "slipstream":
      return [ask(SLOT0), ask(LIQUIDITY), ask(FEE)];
    default:
      return [ask(GET_RESERVES)];
  }
}

function pairSpot(pool: MarketPool, [reserves, fee]: ReadonlyArray<Hex>): Spot {
  const held = [word(reserves!, 0), word(reserves!, 1)] as const;
  const [reserve0, reserve1] = held;
  // Aerodrome counts in 1/10,000.
  const feePips = fee === undefined ? pool.feePips : 100 * Number(word(fee, 0));
  if (pool.family?.family !== "aerodrome-stable")
    return { pool, reserve0, reserve1, held, feePips };
  const worth1 = Math.floor(Number(reserve0) * stableSlope(pool, held));
  return { pool, reserve0, reserve1: BigInt(worth1), held, feePips };
}

function ticksSpot(pool: MarketPool, [slot0, held, fee]: ReadonlyArray<Hex>): Spot {
  const sqrtPriceX96 = word(slot0!, 0);
  const liquidity = word(held!, 0);
  const reserve0 = sqrtPriceX96 === 0n ? 0n : (liquidity << 96n) / sqrtPriceX96;
  const reserve1 = (liquidity * sqrtPriceX96) >> 96n;
  const protocolFee = pool.dexCode === "v4" ? Number(word(slot0!, 2)) : 0;
  const feePips = fee === undefined ? pool.feePips : Number(word(fee, 0));
  const added = Math.max(protocolFee & 0xfff, protocolFee >> 12);
  return { pool, reserve0, reserve1, held: [reserve0, reserve1], feePips: feePips + added };
}

/** A word of a call's answer; 0 where it returned nothing. */
const word = (returned: Hex, index: number): bigint =>
  BigInt(`0x${returned.slice(2 + 64 * index, 66 + 64 * index) || "0"}`);

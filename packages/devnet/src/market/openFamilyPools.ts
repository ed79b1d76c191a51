import { type Address, encodeFunctionData, type Hex } from "viem";
import { multicall3Abi } from "../contracts/abis.ts";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import {
  aerodromeFactoryAbi,
  algebraFactoryAbi,
  pancakeV3FactoryAbi,
  poolManagerAbi,
  slipstreamFactoryAbi,
  slipstreamPoolAbi,
  ticksPoolAbi,
} from "../contracts/familyAbis.ts";
import { NATIVE_CURRENCY } from "../contracts/uniswapV4.ts";
import { keyOfPool } from "../families/uniswapV4Pools.ts";
import type { Sending, Transaction } from "../node/transactions.ts";
import { fillPair } from "./fillPair.ts";
import { liquidityOf } from "./liquidityOf.ts";
import { type Market, type MarketPool, toSqrtPriceX96, toUnits } from "./Market.ts";
import type { Opening } from "./Opening.ts";
import { mintCall, throughDevnetRouter } from "./routerCalls.ts";

/** Lets Slipstream's fee follow the price: see `SlipstreamFeeModule.sol`. */
const OBSERVATIONS = 310;

/** Stable pools begin with equal amounts of both tokens, as the contract requires. */
export function openAerodromePool(
  market: Market,
  opening: Opening,
  { aerodrome }: FamilyContracts,
): Transaction {
  const { token0, token1, depthUsd, family } = opening.pool;
  const isStable = family!.family === "aerodrome-stable";
  const amount0 = toUnits(depthUsd / 2 / token0.priceUsd, token0);
  const amount1 = isStable
    ? (amount0 * 10n ** BigInt(token1.decimals)) / 10n ** BigInt(token0.decimals)
    : BigInt(Math.floor(Number(amount0) * opening.ratio));
  const args = [token0.address, token1.address, isStable] as const;
  const create = { abi: aerodromeFactoryAbi, functionName: "createPool", args } as const;
  return fillPair(
    market,
    opening,
    { target: aerodrome.factory, callData: encodeFunctionData(create) },
    [amount0, amount1],
  );
}

/** Makes a concentrated pool at its price, and mints its owner's positions. */
export function openTicksPool(
  market: Market,
  { pool, owner, ratio, ranges }: Opening,
  families: FamilyContracts,
): ReadonlyArray<Transaction> {
  const mints = ranges.map((range) => {
    const { tickLower, tickUpper, share } = range;
    return mintCall(pool.family!, owner, [
      ...[tickLower, tickUpper, liquidityOf(pool, ratio, range, pool.depthUsd * share)],
    ] as const);
  });
  return [
    creation(market, pool, toSqrtPriceX96(ratio), families),
    throughDevnetRouter(families, mints, nativeOf(pool)),
  ];
}

/** More than a swap can take of the native token; 0 for pools without it. */
export const nativeOf = ({ token0 }: MarketPool): bigint =>
  token0.address === NATIVE_CURRENCY ? 10n ** 24n : 0n;

function creation(
  { contracts }: Market,
  { family, dexCode }: MarketPool,
  sqrtPriceX96: bigint,
  { uniswapV4, pancakeV3, algebra, slipstream }: FamilyContracts,
): Transaction {
  const { token0, token1, address, fee, tickSpacing } = family!;
  const tokens = [token0, token1] as const;
  const initialize = (): Call => ({
    target: address,
    callData: encodeFunctionData({
      ...{ abi: ticksPoolAbi, functionName: "initialize", args: [sqrtPriceX96] },
    }),
  });
  switch (dexCode) {
    case "v4": {
      const args = [keyOfPool(family!), sqrtPriceX96] as const;
      const call = { abi: poolManagerAbi, functionName: "initialize", args } as const;
      return { to: uniswapV4.poolManager, data: encodeFunctionData(call) };
    }
    case "pancakeV3": {
      const args = [...tokens, fee!] as const;
      const call = { abi: pancakeV3FactoryAbi, functionName: "createPool", args } as const;
      const create = { target: pancakeV3.factory, callData: encodeFunctionData(call) };
      return together(contracts.multicall3, [create, initialize()]);
    }
    case "algebra": {
      const args = [...tokens, "0x"] as const;
      const call = { abi: algebraFactoryAbi, functionName: "createPool", args } as const;
      const create = { target: algebra.factory, callData: encodeFunctionData(call) };
      return together(contracts.multicall3, [create, initialize()]);
    }
    case "slipstream": {
      const args = [...tokens, tickSpacing!, sqrtPriceX96] as const;
      const call = { abi: slipstreamFactoryAbi, functionName: "createPool", args } as const;
      const create = { target: slipstream.factory, callData: encodeFunctionData(call) };
      const functionName = "increaseObservationCardinalityNext";
      const grow = { abi: slipstreamPoolAbi, functionName, args: [OBSERVATIONS] } as const;
      return together(contracts.multicall3, [
        ...[create, { target: address, callData: encodeFunctionData(grow) }],
      ]);
    }
    default:
      throw new Error(`${dexCode} has no pools along ticks of the families`);
  }
}

interface Call {
  readonly target: Address;
  readonly callData: Hex;
}

/** Calls made by Multicall3, all or none. */
const together = (multicall3: Address, calls: ReadonlyArray<Call>): Transaction => ({
  to: multicall3,
  data: encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((call) => ({ ...call, allowFailure: false }))],
  }),
});

/** Sent by the governor once the pools exist. */
export const setProtocolFees = ({ families, pools }: Market): ReadonlyArray<Sending> =>
  pools.flatMap(({ family, protocolFee }) => {
    if (families === undefined || protocolFee === undefined) return [];
    const args = [keyOfPool(family!), protocolFee] as const;
    const call = { abi: poolManagerAbi, functionName: "setProtocolFee", args } as const;
    const transaction = { to: families.uniswapV4.poolManager, data: encodeFunctionData(call) };
    return [{ from: families.governor, transaction }];
  });

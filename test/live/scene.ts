import type { Address } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import { concatHex, encodeFunctionData, multicall3Abi, numberToHex } from "viem";
import type { Sending, TradingState } from "./Act.ts";
import { erc20Abi } from "./abis.ts";

import type { PoolReading } from "./readPools.ts";

export const MAX_UINT128 = 2n ** 128n - 1n;
export const SPACING_FEES: Readonly<Record<number, number>> = {
  1: 100,
  10: 500,
  60: 3000,
  200: 10000,
};

const isPair = ({ parameter }: PoolReading) => parameter === 0;

export const pairsOf = ({ pools }: TradingState) => pools.filter(isPair);

export function pickPair(scene: TradingState): PoolReading | undefined {
  const filled = pairsOf(scene).filter(({ head }) => head[0]! > 0n);
  return filled.length === 0 ? undefined : scene.random.pick(filled);
}

export function pickConcentrated({ pools, random }: TradingState): PoolReading | undefined {
  const filled = pools.filter((pool) => !isPair(pool) && pool.head[2]! > 0n);
  return filled.length === 0 ? undefined : random.pick(filled);
}

export function pickTokens({ devnet, random }: TradingState): [Address, Address] {
  const first = random.pick(devnet.tokens).address;
  const second = random.pick(devnet.tokens.filter(({ address }) => address !== first)).address;
  return first < second ? [first, second] : [second, first];
}

export const feeOf = ({ parameter }: Pick<PoolReading, "parameter">): number =>
  SPACING_FEES[parameter]!;

/** Tokens and reserves (virtual ones in a concentrated pool) in the direction of a swap. */
export function oriented(
  pool: PoolReading,
  positionIn: number,
): [tokenIn: Address, tokenOut: Address, reserveIn: bigint, reserveOut: bigint] {
  const [price, , liquidity] = pool.head as [bigint, bigint, bigint];
  const reserves = isPair(pool)
    ? pool.head
    : [price === 0n ? 0n : (liquidity << 96n) / price, (liquidity * price) >> 96n];
  const outPlace = 1 - positionIn;
  return [
    pool.tokens[positionIn]!,
    pool.tokens[outPlace]!,
    reserves[positionIn]!,
    reserves[outPlace]!,
  ];
}

/** Mostly up to a fiftieth, all orders of magnitude equally likely; sometimes up to all. */
export function someOf({ random }: TradingState, reserve: bigint): bigint {
  const most = random.integer(12) === 0 ? reserve : reserve / 50n;
  const digits = String(most).length;
  const bound = 10n ** BigInt(1 + random.integer(digits));
  return random.bigint(bound < most ? bound : most + 1n) + 1n;
}

export function routerOf({ contracts }: Devnet, { factory }: PoolReading): Address | undefined {
  if (factory === contracts.v2Factory) return contracts.v2Router;
  return factory === contracts.v2SisterFactory ? contracts.v2SisterRouter : undefined;
}

export function pay(
  token: Address,
  from: Address,
  to: Address,
  amount: bigint,
): readonly [Address, Hex] {
  const transfer = { functionName: "transferFrom", args: [from, to, amount] } as const;
  return [token, encodeFunctionData({ abi: erc20Abi, ...transfer })];
}

/**
 * One transaction of all these calls, through Multicall3, which traders have approved; all or none.
 */
export function together(
  { contracts }: Devnet,
  from: Address,
  calls: ReadonlyArray<readonly [target: Address, callData: Hex]>,
): Sending {
  const args = [calls.map(([target, callData]) => ({ target, callData, allowFailure: false }))];
  return {
    from,
    to: contracts.multicall3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: args as [(typeof args)[0]],
    }),
  };
}

/** Tokens with the fees between them, as QuoterV2 and SwapRouter02 take a path. */
export const packPath = (tokens: ReadonlyArray<Address>, fees: ReadonlyArray<number>): Hex =>
  concatHex(
    tokens.flatMap((token, index) =>
      index === 0 ? [token] : [numberToHex(fees[index - 1]!, { size: 3 }), token],
    ),
  );

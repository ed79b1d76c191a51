import type { Address } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import { encodeFunctionData } from "viem";
import type { Act, Sending, TradingState } from "./Act.ts";
import { NO_DEADLINE, positionsAbi, swapRouterAbi } from "./abis.ts";

import { type PoolReading, V3_FEES, v3FactoryAbi } from "./readPools.ts";
import {
  feeOf,
  MAX_UINT128,
  oriented,
  pickConcentrated,
  pickTokens,
  SPACING_FEES,
  someOf,
} from "./scene.ts";

const TICK_MAX = 887_272;
/** Ticks of a word of the bitmap, in spacings. */
const WORD = 256;

export const swapConcentrated: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = pickConcentrated(scene);
  if (pool === undefined) return [];
  const { address: from } = random.pick(devnet.traders);
  const [tokenIn, tokenOut, reserveIn, reserveOut] = oriented(pool, random.integer(2));
  const hop = { tokenIn, tokenOut, fee: feeOf(pool), recipient: from, sqrtPriceLimitX96: 0n };
  const to = devnet.contracts.swapRouter02;
  if (random.integer(4) > 0) {
    const args = [{ ...hop, amountIn: someOf(scene, reserveIn), amountOutMinimum: 0n }] as const;
    const functionName = "exactInputSingle";
    return [{ from, to, data: encodeFunctionData({ abi: swapRouterAbi, functionName, args }) }];
  }
  const amountOut = someOf(scene, reserveOut);
  const args = [{ ...hop, amountOut, amountInMaximum: MAX_UINT128 }] as const;
  const functionName = "exactOutputSingle";
  return [{ from, to, data: encodeFunctionData({ abi: swapRouterAbi, functionName, args }) }];
};

/** Two swaps of opposite directions at once: the second goes further back. */
export const swapThereAndBack: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = pickConcentrated(scene);
  if (pool === undefined) return [];
  const { address: from } = random.pick(devnet.traders);
  const direction = random.integer(2);
  return [direction, 1 - direction].map((positionIn) => {
    const [tokenIn, tokenOut, reserveIn] = oriented(pool, positionIn);
    const hop = { tokenIn, tokenOut, fee: feeOf(pool), recipient: from, sqrtPriceLimitX96: 0n };
    const args = [{ ...hop, amountIn: reserveIn / 3n + 1n, amountOutMinimum: 0n }] as const;
    const functionName = "exactInputSingle";
    const data = encodeFunctionData({ abi: swapRouterAbi, functionName, args });
    return { from, to: devnet.contracts.swapRouter02, data };
  });
};

/** One or two positions, the second beginning where the first ends. */
export const openPositions: Act = (scene) => {
  const { devnet, random } = scene;
  const pool = pickConcentrated(scene);
  if (pool === undefined) return [];
  const { address: from } = random.pick(devnet.traders);
  const [lower, middle, upper] = boundaries(scene, pool);
  const ranges =
    random.integer(2) === 0
      ? [[lower, middle]]
      : [
          [lower, middle],
          [middle, upper],
        ];
  return ranges.map((range) => openPosition(scene, pool, from, range[0]!, range[1]!));
};

function openPosition(
  scene: TradingState,
  pool: PoolReading,
  from: Address,
  tickLower: number,
  tickUpper: number,
): Sending {
  const [token0, token1, reserve0, reserve1] = oriented(pool, 0);
  const mint = {
    ...{ token0, token1, fee: feeOf(pool), tickLower, tickUpper },
    amount0Desired: someOf(scene, reserve0) + 1_000n,
    amount1Desired: someOf(scene, reserve1) + 1_000n,
    ...{ amount0Min: 0n, amount1Min: 0n, recipient: from, deadline: NO_DEADLINE },
  };
  const data = encodeFunctionData({ abi: positionsAbi, functionName: "mint", args: [mint] });
  return { from, to: scene.devnet.contracts.positionManager, data };
}

/** Three ascending ticks of the pool: around the price, at ends of words, or of the whole range. */
function boundaries({ random }: TradingState, { parameter: spacing, head }: PoolReading) {
  const last = Math.floor(TICK_MAX / spacing);
  const current = Math.floor(Number(head[1]) / spacing);
  const words = Math.floor(current / WORD) * WORD;
  const near = () => current + random.integer(41) - 20;
  const places = random.pick([
    [current, current + 1, current + 2],
    [near(), near(), near()],
    [words, words + WORD, words + 2 * WORD],
    [words - 1, words, words + WORD - 1],
    [-last, current, last],
    [-last, -last + 1, last],
    [current - 2 * WORD, last - 1, last],
  ]);
  const ascending = places
    .map((place) => Math.min(Math.max(place, -last), last))
    .sort((left, right) => left - right);
  // No range is empty.
  const [first, second, third] = ascending as [number, number, number];
  const lower = Math.min(first, last - 2);
  const middle = Math.max(second, lower + 1);
  return [lower, middle, Math.max(third, middle + 1)].map((place) => place * spacing) as [
    number,
    number,
    number,
  ];
}

/**
 * Makes the larger of two positions that meet at a tick as large as the other, so that the tick's
 * net is 0.
 */
export const balancePositions: Act = ({ devnet, positions, random }) => {
  if (positions.length === 0) return [];
  const start = random.integer(positions.length);
  for (let index = 0; index < positions.length; index++) {
    const left = positions[(start + index) % positions.length]!;
    const right = positions.find(
      (other) =>
        other.token0 === left.token0 &&
        other.token1 === left.token1 &&
        other.fee === left.fee &&
        other.tickLower === left.tickUpper &&
        other.liquidity !== left.liquidity,
    );
    if (right === undefined) continue;
    const [greater, lesser] = left.liquidity > right.liquidity ? [left, right] : [right, left];
    return [decrease(devnet, greater, greater.liquidity - lesser.liquidity)];
  }
  return [];
};

export const shrinkPosition: Act = ({ devnet, positions, random }) => {
  if (positions.length === 0) return [];
  const position = random.pick(positions);
  const isWhole = random.integer(2) === 0;
  const { liquidity } = position;
  // The pool itself allows a burn of nothing, and logs it; the position manager does not.
  return [decrease(devnet, position, isWhole ? liquidity : random.bigint(liquidity) + 1n)];
};

function decrease(
  devnet: Devnet,
  { tokenId, owner }: TradingState["positions"][number],
  amount: bigint,
) {
  const params = { tokenId, liquidity: amount, amount0Min: 0n, amount1Min: 0n };
  const args = [{ ...params, deadline: NO_DEADLINE }] as const;
  const data = encodeFunctionData({ abi: positionsAbi, functionName: "decreaseLiquidity", args });
  return { from: owner, to: devnet.contracts.positionManager, data };
}

/** A concentrated pool: without a price, with one, or with a position as well. */
export const createConcentrated: Act = (scene) => {
  const { devnet, random } = scene;
  const { address: from } = random.pick(devnet.traders);
  const [token0, token1] = pickTokens(scene);
  const fee = random.pick(V3_FEES);
  const kind = random.integer(3);
  if (kind === 0) {
    const create = { functionName: "createPool", args: [token0, token1, fee] } as const;
    const data = encodeFunctionData({ abi: v3FactoryAbi, ...create });
    return [{ from, to: devnet.contracts.v3Factory, data }];
  }
  const sqrtPriceX96 = 2n ** BigInt(60 + random.integer(70)) + random.bigint(2n ** 60n);
  const create = {
    functionName: "createAndInitializePoolIfNecessary",
    args: [token0, token1, fee, sqrtPriceX96],
  } as const;
  const created = {
    from,
    to: devnet.contracts.positionManager,
    data: encodeFunctionData({ abi: positionsAbi, ...create }),
  };
  if (kind === 1) return [created];
  const spacing = Number(
    Object.keys(SPACING_FEES).find((key) => SPACING_FEES[Number(key)] === fee),
  );
  const widest = Math.floor(TICK_MAX / spacing) * spacing;
  const unplaced = { address: from, factory: devnet.contracts.v3Factory };
  const unborn = { parameter: spacing, tokens: [token0, token1] };
  const pool = { ...unborn, ...unplaced, head: [2n ** 96n, 0n, 10n ** 12n], ticks: [] };
  return [created, openPosition(scene, pool, from, -widest, widest)];
};

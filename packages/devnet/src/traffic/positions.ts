import { Effect } from "effect";
import { encodeFunctionData } from "viem";
import { readContract } from "viem/actions";
import { positionManagerAbi as abi } from "../contracts/abis.ts";
import type { DevnetError } from "../DevnetError.ts";
import {
  MAX_UINT128,
  type MarketPool,
  type MarketToken,
  NO_DEADLINE,
  tickSpacingOf,
  toTick,
  toUnits,
} from "../market/Market.ts";
import type { SeededRandom } from "../market/random.ts";
import { attempt } from "../node/Node.ts";
import type { Action, Situation } from "./Action.ts";

/** Opens a position over, under or around the price, from one tick spacing to hundreds wide. */
export const openPosition: Action = ({ market, random, spots, trader }) =>
  Effect.sync(() => {
    const choices = spots.filter(({ pool }) => pool.dexCode === "v3");
    if (choices.length === 0) return undefined;
    const { pool, reserve0, reserve1 } = random.pick(choices);
    const range = pickRange(Number(reserve1) / Number(reserve0), tickSpacingOf(pool), random);
    const worth = pool.depthUsd * random.betweenMagnitudes(1e-5, 0.01);
    const position = {
      ...{ token0: pool.token0.address, token1: pool.token1.address, fee: pool.feePips },
      ...{ ...range, ...amounts(pool, worth) },
      ...{ amount0Min: 0n, amount1Min: 0n, recipient: trader.address, deadline: NO_DEADLINE },
    };
    const data = encodeFunctionData({ abi, functionName: "mint", args: [position] });
    return { to: market.contracts.positionManager, data };
  });

/** Over, under or around the price. */
export function pickRange(ratio: number, spacing: number, random: SeededRandom) {
  const half = random.betweenMagnitudes(0.5, 80) * spacing + random.betweenMagnitudes(1, 300);
  const middle = toTick(ratio) + half * random.between(-1.5, 1.5);
  const tickLower = Math.round((middle - half) / spacing) * spacing;
  const above = Math.round((middle + half) / spacing) * spacing;
  return { tickLower, tickUpper: Math.max(tickLower + spacing, above) };
}

/** Adds to one of the trader's positions; undefined where its pool is not one of the market's. */
export const growPosition: Action = Effect.fnUntraced(function* (situation) {
  const { market, random } = situation;
  const position = yield* pickPosition(situation);
  if (position === undefined) return undefined;
  const pool = market.pools.find(
    ({ dexCode, token0, token1, feePips }) =>
      dexCode === "v3" &&
      token0.address === position.token0 &&
      token1.address === position.token1 &&
      feePips === position.fee,
  );
  // Anybody may use the traders' accounts, also in pools that anybody made.
  if (pool === undefined) return undefined;
  const worth = pool.depthUsd * random.betweenMagnitudes(1e-5, 0.01);
  const growth = {
    ...{ tokenId: position.tokenId, ...amounts(pool, worth) },
    ...{ amount0Min: 0n, amount1Min: 0n, deadline: NO_DEADLINE },
  };
  const data = encodeFunctionData({ abi, functionName: "increaseLiquidity", args: [growth] });
  return { to: market.contracts.positionManager, data };
});

/** Removes part of one of the trader's positions, or all of it, with its fees. */
export const shrinkPosition: Action = Effect.fnUntraced(function* (situation) {
  const { market, random, trader } = situation;
  const position = yield* pickPosition(situation);
  if (position === undefined) return undefined;
  const { tokenId } = position;
  // More positions make closing likelier, so that their number stays about the same.
  const isWhole = random.chance(Number(position.count) / POSITIONS_USUAL);
  const liquidity = isWhole
    ? position.liquidity
    : (position.liquidity * BigInt(random.index(900))) / 1_000n;
  const decrease = {
    ...{ tokenId, liquidity, amount0Min: 0n, amount1Min: 0n },
    deadline: NO_DEADLINE,
  };
  const collect = {
    ...{ tokenId, recipient: trader.address },
    ...{ amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 },
  };
  const calls = [
    // The manager rejects a decrease of zero.
    ...(liquidity === 0n
      ? []
      : [encodeFunctionData({ abi, functionName: "decreaseLiquidity", args: [decrease] })]),
    encodeFunctionData({ abi, functionName: "collect", args: [collect] }),
    ...(isWhole ? [encodeFunctionData({ abi, functionName: "burn", args: [tokenId] })] : []),
  ];
  const data = encodeFunctionData({ abi, functionName: "multicall", args: [calls] });
  return { to: market.contracts.positionManager, data };
});

/** Per trader: at this number as many are closed as opened. */
const POSITIONS_USUAL = 40;

interface Position {
  /** How many positions its owner has. */
  readonly count: bigint;
  readonly tokenId: bigint;
  readonly token0: string;
  readonly token1: string;
  readonly fee: number;
  readonly liquidity: bigint;
}

/** One of the trader's positions, as now on the chain, but no full-range one. */
const pickPosition: (situation: Situation) => Effect.Effect<Position | undefined, DevnetError> =
  Effect.fnUntraced(function* ({ node, market, random, trader }) {
    const contract = { abi, address: market.contracts.positionManager };
    const owner = trader.address;
    const count = yield* attempt(() =>
      readContract(node.client, { ...contract, functionName: "balanceOf", args: [owner] }),
    );
    if (count === 0n) return undefined;
    const index = BigInt(random.index(Number(count)));
    const tokenId = yield* attempt(() =>
      readContract(node.client, {
        ...contract,
        functionName: "tokenOfOwnerByIndex",
        args: [owner, index],
      }),
    );
    const [, , token0, token1, fee, tickLower, , liquidity] = yield* attempt(() =>
      readContract(node.client, { ...contract, functionName: "positions", args: [tokenId] }),
    );
    // Full-range positions stay, so that every pool always has a price and liquidity.
    if (tickLower < -880_000) return undefined;
    return {
      ...{ count, tokenId, fee, liquidity },
      token0: token0.toLowerCase(),
      token1: token1.toLowerCase(),
    };
  });

const amounts = ({ token0, token1 }: MarketPool, worthUsd: number) => {
  const side = (token: MarketToken) => toUnits(worthUsd / 2 / token.priceUsd, token);
  return { amount0Desired: side(token0), amount1Desired: side(token1) };
};

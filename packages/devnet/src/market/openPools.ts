import { type Address, encodeFunctionData } from "viem";
import { positionManagerAbi, v2FactoryAbi } from "../contracts/abis.ts";
import type { Transaction } from "../node/transactions.ts";
import { fillPair } from "./fillPair.ts";
import {
  fairRatio,
  isPair,
  type Market,
  type MarketToken,
  NO_DEADLINE,
  tickSpacingOf,
  toSqrtPriceX96,
  toTick,
  toUnits,
} from "./Market.ts";
import type { Opening } from "./Opening.ts";
import { openAerodromePool, openTicksPool } from "./openFamilyPools.ts";
import type { SeededRandom } from "./random.ts";

/** How far a pool's opening price is from the fair one, as a share. */
const PRICE_ERROR = 0.0015;
/** Share of a pool's depth over the whole range. */
const FULL_RANGE_SHARE = 0.2;
const POSITIONS = 5;

/** The openings of a market's pools; traders own the first liquidity, in turn. */
export const planOpenings = (market: Market, random: SeededRandom): ReadonlyArray<Opening> =>
  market.pools.map((pool, index) => {
    const price = ({ priceUsd }: MarketToken) => priceUsd;
    const ratio = fairRatio(pool, price) * (1 + PRICE_ERROR * random.between(-1, 1));
    const ranges = isPair(pool) ? [] : drawRanges(toTick(ratio), tickSpacingOf(pool), random);
    return { pool, owner: ownerOf(market, index), ratio, ranges };
  });

/**
 * The deployer's transactions that make the pools and add their first liquidity. The deployer must
 * have approved Multicall3, the position manager and the devnet's router.
 */
export const openPools = (
  market: Market,
  openings: ReadonlyArray<Opening>,
): ReadonlyArray<Transaction> =>
  openings.flatMap((opening) => {
    switch (opening.pool.dexCode) {
      case "v2":
        return openPair(market, opening, market.contracts.v2Factory);
      case "v2Sister":
        return openPair(market, opening, market.contracts.v2SisterFactory);
      case "v2Fork":
        return openPair(market, opening, market.contracts.v2ForkFactory);
      case "v3":
        return openConcentrated(market, opening);
      case "aerodrome":
        return openAerodromePool(market, opening, market.families!);
      default:
        return openTicksPool(market, opening, market.families!);
    }
  });

/** The owner of the first liquidity of the pool at this index of `market.pools`. */
export const ownerOf = ({ traders }: Market, poolIndex: number): Address =>
  traders[poolIndex % traders.length]!.address;

function openPair(market: Market, opening: Opening, factory: Address): Transaction {
  const { token0, token1, depthUsd } = opening.pool;
  const amount0 = toUnits(depthUsd / 2 / token0.priceUsd, token0);
  const amount1 = BigInt(Math.floor(Number(amount0) * opening.ratio));
  const create = encodeFunctionData({
    abi: v2FactoryAbi,
    functionName: "createPair",
    args: [token0.address, token1.address],
  });
  return fillPair(market, opening, { target: factory, callData: create }, [amount0, amount1]);
}

function openConcentrated(
  { contracts }: Market,
  { pool, owner, ratio, ranges }: Opening,
): Transaction {
  const { token0, token1, feePips } = pool;
  const create = encodeFunctionData({
    abi: positionManagerAbi,
    functionName: "createAndInitializePoolIfNecessary",
    args: [token0.address, token1.address, feePips, toSqrtPriceX96(ratio)],
  });
  const mints = ranges.map(({ tickLower, tickUpper, share }) => {
    const side = (token: MarketToken) =>
      toUnits((pool.depthUsd * share) / 2 / token.priceUsd, token);
    const position = {
      ...{ token0: token0.address, token1: token1.address, fee: feePips, tickLower, tickUpper },
      ...{ amount0Desired: side(token0), amount1Desired: side(token1) },
      ...{ amount0Min: 0n, amount1Min: 0n, recipient: owner, deadline: NO_DEADLINE },
    };
    return encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "mint",
      args: [position],
    });
  });
  return {
    to: contracts.positionManager,
    data: encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "multicall",
      args: [[create, ...mints]],
    }),
  };
}

const MAX_TICK = 887_272;
/** Trading through wider ranges takes more of a token than the deployer has. */
const HALF_RANGE_MAX = 60_000;

/**
 * The whole range, and narrower, overlapping ones around the price, from a few ticks to thousands.
 */
function drawRanges(tick: number, spacing: number, random: SeededRandom): Opening["ranges"] {
  const widest = MAX_TICK - (MAX_TICK % spacing);
  const share = (1 - FULL_RANGE_SHARE) / POSITIONS;
  const align = (value: number) => Math.round(value / spacing) * spacing;
  const around = Array.from({ length: POSITIONS }, () => {
    const drawn = random.betweenMagnitudes(3, 60) * spacing + random.betweenMagnitudes(5, 500);
    const half = Math.min(drawn, HALF_RANGE_MAX);
    const middle = tick + half * random.between(-0.9, 0.9);
    const tickLower = align(middle - half);
    return { tickLower, tickUpper: Math.max(tickLower + spacing, align(middle + half)), share };
  });
  return [{ tickLower: -widest, tickUpper: widest, share: FULL_RANGE_SHARE }, ...around];
}

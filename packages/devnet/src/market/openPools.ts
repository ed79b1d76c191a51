import { type Address, encodeFunctionData, type Hex } from "viem";
import {
  devnetTokenAbi,
  multicall3Abi,
  positionManagerAbi,
  v2FactoryAbi,
  v2PairAbi,
} from "../contracts/abis.ts";
import type { Transaction } from "../node/transactions.ts";
import {
  fairRatio,
  type Market,
  type MarketPool,
  type MarketToken,
  NO_DEADLINE,
  TICK_SPACINGS,
  toSqrtPriceX96,
  toTick,
  toUnits,
} from "./Market.ts";
import type { SeededRandom } from "./random.ts";

/** How far, as a share, a pool's price is from the fair one when it opens. */
const PRICE_ERROR = 0.0015;
/** Share of a pool's depth that lies over the whole range. */
const FULL_RANGE_SHARE = 0.2;
const POSITIONS = 5;

/** How a pool begins. */
export interface Opening {
  readonly pool: MarketPool;
  /** Of the first liquidity. */
  readonly owner: Address;
  /** Units of token1 for one of token0. */
  readonly ratio: number;
  /** Where the liquidity of a concentrated pool lies, the whole range first; of pairs none. */
  readonly ranges: ReadonlyArray<Range>;
}

interface Range {
  readonly tickLower: number;
  readonly tickUpper: number;
  /** Of the pool's depth. */
  readonly share: number;
}

/** How the pools of a market are to begin; traders own their first liquidity, in turn. */
export const planOpenings = (market: Market, random: SeededRandom): ReadonlyArray<Opening> =>
  market.pools.map((pool, index) => {
    const price = ({ priceUsd }: MarketToken) => priceUsd;
    const ratio = fairRatio(pool, price) * (1 + PRICE_ERROR * random.between(-1, 1));
    const ranges =
      pool.dexCode === "v3" ? drawRanges(toTick(ratio), TICK_SPACINGS[pool.feePips]!, random) : [];
    return { pool, owner: ownerOf(market, index), ratio, ranges };
  });

/**
 * The transactions, each of the deployer, that make the pools and put their first liquidity in. The
 * deployer must have let Multicall3 and the position manager take its tokens.
 */
export const openPools = (
  market: Market,
  openings: ReadonlyArray<Opening>,
): ReadonlyArray<Transaction> =>
  openings.map((opening) =>
    opening.pool.dexCode === "v3" ? openConcentrated(market, opening) : openPair(market, opening),
  );

/** Who owns the first liquidity of the pool at an index of the market's list. */
export const ownerOf = ({ traders }: Market, poolIndex: number): Address =>
  traders[poolIndex % traders.length]!.address;

function openPair({ contracts, deployer }: Market, { pool, owner, ratio }: Opening): Transaction {
  const { token0, token1, address } = pool;
  const factory = {
    v2: contracts.v2Factory,
    v2Sister: contracts.v2SisterFactory,
    v2Fork: contracts.v2ForkFactory,
    v3: contracts.v3Factory,
  }[pool.dexCode];
  const amount0 = toUnits(pool.depthUsd / 2 / token0.priceUsd, token0);
  const amount1 = BigInt(Math.floor(Number(amount0) * ratio));
  const pay = (token: MarketToken, amount: bigint) =>
    call(
      token.address,
      encodeFunctionData({
        abi: devnetTokenAbi,
        functionName: "transferFrom",
        args: [deployer, address, amount],
      }),
    );
  const create = encodeFunctionData({
    abi: v2FactoryAbi,
    functionName: "createPair",
    args: [token0.address, token1.address],
  });
  const mint = encodeFunctionData({ abi: v2PairAbi, functionName: "mint", args: [owner] });
  return {
    to: contracts.multicall3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [
        [call(factory, create), pay(token0, amount0), pay(token1, amount1), call(address, mint)],
      ],
    }),
  };
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

/**
 * The whole range, and narrower ones over each other around the price, a few ticks to thousands.
 */
function drawRanges(tick: number, spacing: number, random: SeededRandom): ReadonlyArray<Range> {
  const widest = MAX_TICK - (MAX_TICK % spacing);
  const share = (1 - FULL_RANGE_SHARE) / POSITIONS;
  const align = (value: number) => Math.round(value / spacing) * spacing;
  const around = Array.from({ length: POSITIONS }, () => {
    const half = random.betweenMagnitudes(3, 60) * spacing + random.betweenMagnitudes(5, 500);
    const middle = tick + half * random.between(-0.9, 0.9);
    const tickLower = align(middle - half);
    return { tickLower, tickUpper: Math.max(tickLower + spacing, align(middle + half)), share };
  });
  return [{ tickLower: -widest, tickUpper: widest, share: FULL_RANGE_SHARE }, ...around];
}

const call = (target: Address, callData: Hex) => ({ target, allowFailure: false, callData });

import {
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolState,
  REFUSED,
  type SmoothCurve,
  smoothPieces,
  type TokenPosition,
} from "@millrace/core/pure";
import { encodeBalancerState } from "./balancerState.ts";
import {
  type PoolMath,
  swapGivenIn,
  swapGivenOut,
  type VaultPool,
  type VaultSwap,
} from "./balancerVault.ts";
import { rememberedPools } from "./rememberedPools.ts";

/** A direction of a pool in floats: amounts of the curve have 18 decimals. */
export interface BalancerFace {
  /** What a unit of the input is worth to the curve, after the fee. */
  readonly perUnitIn: number;
  readonly perUnitOut: number;
  /** The most input that the pool takes; 0 where it gives nothing. */
  readonly capacity: number;
  /** Amounts of the curve that rounding may give to the trader. */
  readonly bonus: number;
  /** An upper bound of any exact output. */
  readonly outputMax: number;
  /** Price of the input in the output at the start, of the curve's amounts. */
  readonly price: number;
  /** Writes output, slope and bend at an amount of the curve; the output is an upper bound. */
  readonly at: (amountIn: number, into: Float64Array) => void;
  /** The input for an output of the curve; a lower bound. */
  readonly inputFor: (amountOut: number) => number;
}

/** What a curve of Balancer's says of its pools. */
export interface BalancerCurve<Pool extends VaultPool> {
  readonly math: PoolMath<Pool>;
  readonly readPool: (
    words: BigUint64Array,
    start: number,
    constants: BigUint64Array,
    count: number,
  ) => Pool;
  /** Undefined where the pool gives nothing; called only for pools that are not paused. */
  readonly faceOf: (
    pool: Pool,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
  ) => BalancerFace | undefined;
  /** Whether the token is the pool's own, which is never swapped here. */
  readonly isOwn: (pool: Pool, position: TokenPosition) => boolean;
  readonly gas: (pool: Pool) => { readonly bound: number; readonly typical: number };
  readonly leastGas: number;
}

const E12 = 10n ** 12n;
/** The price of x·y = k falls by 2 % when x grows by this part. */
const DEPTH_FACTOR = 1 / Math.sqrt(0.98) - 1;
const POOL_TOKENS_MAX = 8;
const CLOSED = null;
/** V2 rounds the requested output down. */
const ASKED_ROUNDING = 1;

/** Pools of Balancer's Vaults, except for what the curve itself defines. */
export function balancerFamily<Pool extends VaultPool>(
  graph: PoolGraph,
  curve: BalancerCurve<Pool>,
): PoolFamily {
  const { math, isOwn } = curve;
  const poolOf = rememberedPools(graph, (pool) =>
    curve.readPool(
      graph.stateWords,
      graph.poolStateStart[pool]!,
      graph.poolConstants(pool),
      graph.poolTokenCount[pool]!,
    ),
  );
  const facesOf = rememberedPools(graph, (): Array<BalancerFace | typeof CLOSED> => []);

  function faceOf(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
  ): BalancerFace | undefined {
    const faces = facesOf(pool);
    const at = positionIn * POOL_TOKENS_MAX + positionOut;
    let face = faces[at];
    if (face === undefined) {
      const found = poolOf(pool);
      const isClosed = found.isPaused || isOwn(found, positionIn) || isOwn(found, positionOut);
      face = (isClosed ? undefined : curve.faceOf(found, positionIn, positionOut)) ?? CLOSED;
      faces[at] = face;
    }
    return face === CLOSED ? undefined : face;
  }

  function given(
    swap: typeof swapGivenIn,
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amount: bigint,
  ): VaultSwap | undefined {
    const found = poolOf(pool);
    if (isOwn(found, positionIn) || isOwn(found, positionOut)) return undefined;
    return swap(found, math, positionIn, positionOut, amount);
  }

  function left(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    swap: VaultSwap | undefined,
  ) {
    if (swap === undefined || swap.amountOut === 0n) return undefined;
    const balances = [...poolOf(pool).balances];
    balances[positionIn] = swap.balanceIn;
    balances[positionOut] = swap.balanceOut;
    const { amountIn, amountOut } = swap;
    return { pool, amountIn, amountOut, state: stateHolding(pool, balances) };
  }

  /** The words of the state, with other balances. */
  function stateHolding(pool: PoolIndex, balances: ReadonlyArray<bigint>): PoolState {
    const { ratesE18, feeE18, aggregateFeeE18, isPaused, stable } = poolOf(pool);
    const state = { balances, ratesE18, feeE18, aggregateFeeE18, isPaused };
    return encodeBalancerState(stable === undefined ? state : { ...state, stable });
  }

  const smooth: SmoothCurve = {
    at: (pool, positionIn, positionOut, amountIn, into) => {
      const face = faceOf(pool, positionIn, positionOut)!;
      face.at(amountIn * face.perUnitIn, into);
      into[0]! /= face.perUnitOut;
      into[1]! *= face.perUnitIn / face.perUnitOut;
      into[2]! *= (face.perUnitIn * face.perUnitIn) / face.perUnitOut;
    },
    inputFor: (pool, positionIn, positionOut, amountOut) => {
      const face = faceOf(pool, positionIn, positionOut)!;
      const wanted = amountOut * face.perUnitOut - ASKED_ROUNDING;
      return wanted > 0 ? face.inputFor(wanted) / face.perUnitIn : 0;
    },
    capacityIn: (pool, positionIn, positionOut) =>
      faceOf(pool, positionIn, positionOut)?.capacity ?? 0,
    outputMax: (pool, positionIn, positionOut) => faceOf(pool, positionIn, positionOut)!.outputMax,
    feePips: (pool) => Number(poolOf(pool).feeE18) / Number(E12),
    bonusIn: (pool, positionIn, positionOut) => {
      const face = faceOf(pool, positionIn, positionOut);
      return face === undefined ? 0 : face.bonus / face.perUnitIn;
    },
  };
  const pieces = smoothPieces(smooth);

  const midPrice: PoolFamily["midPrice"] = (pool, positionIn, positionOut) => {
    const face = faceOf(pool, positionIn, positionOut);
    if (face === undefined) return 0;
    const { factorsE18 } = poolOf(pool);
    return (face.price * Number(factorsE18[positionIn]!)) / Number(factorsE18[positionOut]!);
  };

  return {
    ...pieces,
    quoteExactIn: (pool, positionIn, positionOut, amountIn) =>
      given(swapGivenIn, pool, positionIn, positionOut, amountIn)?.amountOut ?? REFUSED,
    quoteExactOut: (pool, positionIn, positionOut, amountOut) =>
      given(swapGivenOut, pool, positionIn, positionOut, amountOut)?.amountIn ?? REFUSED,
    swapExactIn: (pool, positionIn, positionOut, amountIn) => {
      const swap = given(swapGivenIn, pool, positionIn, positionOut, amountIn);
      return left(pool, positionIn, positionOut, swap);
    },
    swapExactOut: (pool, positionIn, positionOut, amountOut) => {
      const swap = given(swapGivenOut, pool, positionIn, positionOut, amountOut);
      return left(pool, positionIn, positionOut, swap);
    },
    gas: (pool) => curve.gas(poolOf(pool)).bound,
    typicalGas: (pool) => curve.gas(poolOf(pool)).typical,
    leastGas: curve.leastGas,
    capacityIn: smooth.capacityIn,
    feePips: smooth.feePips,
    midPrice,
    stateHolding,
    tokenAmounts: (pool) => {
      const found = poolOf(pool);
      return found.balances.map((balance, at) => (isOwn(found, at) ? 0n : balance));
    },
    /** Of the x·y = k pool with this pool's price, and its depth in token0. */
    priceAndLiquidity: (pool) => {
      const root = Math.sqrt(midPrice(pool, 0, 1));
      const liquidity = (pieces.depth(pool, 0, 1) / DEPTH_FACTOR) * root;
      return {
        sqrtPriceX96: BigInt(Math.floor(root * 2 ** 96)),
        liquidity: BigInt(Math.floor(liquidity)),
      };
    },
  };
}

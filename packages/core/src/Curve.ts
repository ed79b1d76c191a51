import type { PoolGraph, PoolIndex, PoolState, TokenPosition } from "./graph/PoolGraph.ts";

/**
 * The arithmetic of a kind of pool: what an AMM design is to the engine. Several protocols may swap
 * along one curve, and differ only in logs, ids, fees and calldata (`curves` of
 * `@millrace/protocols`). `open` binds it to one graph, with the caches that it keeps there.
 *
 * A pool's tokens are named by their *position* in the pool (`TokenPosition`).
 */
export interface Curve {
  /** The curve's name in pool listings and snapshots, such as `constant-product`. */
  readonly name: string;
  /** 64-bit words of exact state that a pool of so many tokens keeps. */
  readonly stateWords: (tokenCount: number) => number;
  /** Why a pool or a state of this curve is impossible, or undefined when it is sound. */
  readonly check: (pool: PoolShape, state: PoolState | undefined) => string | undefined;
  readonly open: (graph: PoolGraph) => PoolFamily;
}

/** The constants of a pool that arithmetic needs. */
export interface PoolShape {
  /** Decimals of the pool's tokens, by position. */
  readonly decimals: ReadonlyArray<number>;
  /** See `PoolListing`. */
  readonly feePips: number;
  readonly parameter: number;
  readonly constants: BigUint64Array;
}

/** Floats of a piece in the middle of a curve: x, y, limit, amountIn, amountOut (`pieceAt`). */
export const CURVE_STRIDE = 5;

/** The answer of a quote when the pool cannot fill the whole amount as the contract would. */
export const REFUSED = -1n;

/** How far an estimate may be off by float rounding, relative to the exact real-number formula. */
export const ESTIMATE_ERROR = 2 ** -36;

/** The leading piece of a pool that gives nothing. */
export const EMPTY_PIECE: ReadonlyArray<number> = [1, 0, Number.POSITIVE_INFINITY, 0];

/**
 * The arithmetic of a family over the pools of one graph. Exact functions give what the contract
 * would, to the wei. Estimates are floats that choose what is worth an exact look.
 */
export interface PoolFamily {
  /**
   * Output for all of `amountIn` (≥ 1): 0n when it rounds to zero, REFUSED when the pool cannot
   * fill it.
   */
  readonly quoteExactIn: PairFunction<bigint, bigint>;
  /** The least input that the contract asks for `amountOut` (≥ 1), or REFUSED. */
  readonly quoteExactOut: PairFunction<bigint, bigint>;
  /** As `quoteExactIn`, with the state after the swap; undefined where nothing comes out. */
  readonly swapExactIn: PairFunction<bigint, PoolSwap | undefined>;
  /** As `quoteExactOut`, with the state after the swap; undefined where that refuses. */
  readonly swapExactOut: PairFunction<bigint, PoolSwap | undefined>;

  /**
   * The piece that starts at the current price, which the search computes inline. For an input up
   * to `limit`, output ≤ y × a / (x + a) with a = amount + `bonus`; the bonus is what rounding may
   * give to the trader (0 where it never does). y × a / x bounds the output of every swap. Writes x
   * > 0, y, limit, bonus at `at` of `into`; EMPTY_PIECE where the pool gives nothing. `SmoothCurve`
   * makes the pieces of smooth curves.
   */
  readonly leadingPiece: (
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    into: Float64Array,
    at: number,
  ) => void;
  /**
   * An upper bound of the output for any amount up to `amountIn`, by the formula without integer
   * rounding. The estimate itself may be off by ESTIMATE_ERROR: (1 + ESTIMATE_ERROR) × the estimate
   * is a bound.
   */
  readonly estimateExactIn: PairFunction<number, number>;
  /**
   * A lower bound of the input for any output from `amountOut` up, likewise; Infinity when the pool
   * cannot give it.
   */
  readonly estimateExactOut: PairFunction<number, number>;
  /**
   * The piece of the curve at a given input: with r = amount − amountIn, 0 ≤ r ≤ limit, the output
   * of the whole amount is amountOut + y × r / (x + r), within ESTIMATE_ERROR. Writes x, y, limit,
   * amountIn and amountOut at `at` of `into`. Past the most that the pool takes, y is 0 and
   * amountIn is that most.
   */
  readonly pieceAt: (
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amount: number,
    into: Float64Array,
    at: number,
  ) => void;
  /**
   * An upper bound of the gas of a swap of `amountIn`, which `quoteExactIn` fills: the pool's
   * contract and the two transfers, as far as the family can tell. A router's own gas is not
   * included.
   */
  readonly gas: PairFunction<bigint, number>;
  /**
   * Gas that a swap of `amountIn`, which `quoteExactIn` fills, usually adds to a transaction, with
   * the transfers and the router's work for it: measured, where `gas` is a bound.
   */
  readonly typicalGas: PairFunction<bigint, number>;
  /** The least `typicalGas` of any swap of the family. */
  readonly leastGas: number;
  /** An upper bound of the input that the pool can take in one swap. */
  readonly capacityIn: PairRead<number>;
  /**
   * The current fee of this direction, in hundredths of a basis point of the input: 3000 = 0.3 %.
   */
  readonly feePips: PairRead<number>;
  /**
   * Whether a swap changes the fee of the next swap in the same transaction, in a way that the
   * state does not show: a route swaps only once through such a pool. A family without this
   * function has no such pool.
   */
  readonly feeFollowsSwaps?: (pool: PoolIndex) => boolean;
  /**
   * Output per input at the current price before any fee, in smallest units; 0 when there is none.
   */
  readonly midPrice: PairRead<number>;
  /** Input that moves the price by 2 %, without the fee; 0 where the price has no liquidity. */
  readonly depth: PairRead<number>;
  /** The pool's liquidity in each token, by position; fees owed are not counted. */
  readonly tokenAmounts: (pool: PoolIndex) => bigint[];
  /**
   * The pool's state with these amounts, by position, and all else unchanged; only for curves whose
   * pools hold amounts and nothing more. Throws a RangeError for amounts that no state has.
   */
  readonly stateHolding?: (pool: PoolIndex, amounts: ReadonlyArray<bigint>) => PoolState;
  /**
   * √price of token0 in token1 (Q64.96) and liquidity. Families without such numbers give the
   * equivalent: for x·y = k, ⌊√(y·2^192/x)⌋ and ⌊√(x·y)⌋. Zeros for an empty pool.
   */
  readonly priceAndLiquidity: (pool: PoolIndex) => PriceAndLiquidity;
}

export interface PriceAndLiquidity {
  readonly sqrtPriceX96: bigint;
  readonly liquidity: bigint;
}

type PairFunction<A, B> = (
  pool: PoolIndex,
  positionIn: TokenPosition,
  positionOut: TokenPosition,
  amount: A,
) => B;

type PairRead<B> = (pool: PoolIndex, positionIn: TokenPosition, positionOut: TokenPosition) => B;

/** A swap that a pool accepts; `PoolGraphWriter.applySwap` writes it. */
export interface PoolSwap {
  readonly pool: PoolIndex;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The state after the swap; swaps do not change a book. */
  readonly state: PoolState;
}

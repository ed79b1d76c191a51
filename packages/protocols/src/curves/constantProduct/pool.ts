import {
  type Curve,
  EMPTY_PIECE,
  FEE_IN_STATE,
  isZeroForOne,
  PIECE_STRIDE,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolShape,
  type PoolState,
  REFUSED,
  squareRoot,
  type TokenPosition,
} from "@millrace/core/pure";
import {
  encodeReserves,
  PAIR_STATE_WORDS,
  readFeePips,
  readReserves,
  reserveFloatOf,
  reserveOf,
  stateFeeOf,
} from "../../pairState.ts";
import {
  amountInFeeFirst,
  amountInFeeInside,
  amountOutFeeFirst,
  amountOutFeeInside,
  FEE_FIRST,
  FEE_INSIDE,
  feeFirst,
  RESERVE_MAX_FEE_FIRST,
  RESERVE_MAX_FEE_INSIDE,
} from "./math.ts";

const PIPS = 1_000_000;
/**
 * Reserves are rounded to floats, x and y to three operations more: all told below 2^-50, which
 * makes y safe to subtract from (see `leadingPiece` in the contract: estimates are upper bounds).
 */
const ROUNDING_UP = 1 + 2 ** -48;
/**
 * A pair's swap with both transfers: 62k to 75k for plain tokens on an EVM, more where a balance
 * starts at 0.
 */
const SWAP_GAS = 80_000;
/**
 * The same of a pool that takes its fee first, as Solidly and its forks do: they pay the fee to a
 * contract of its own, add up reserves over time, and write them down every half hour.
 */
const FEE_FIRST_GAS = 230_000;
/**
 * What a swap typically adds, measured with executor and Universal Router
 * (`test/execution/swapGas.test.ts`), in pairs whose price oracle has been written before.
 */
const TYPICAL_GAS = 55_500;
/** The same of pools that take their fee first, when they write no prices down. */
const FEE_FIRST_TYPICAL_GAS = 114_000;
/** The price falls by 2 % when the input's reserve grows by this part. */
const DEPTH_FACTOR = 1 / Math.sqrt(0.98) - 1;

/** Two-token pools of x·y = k; `parameter` of a pool is its rounding rule (see math.ts). */
export const constantProduct: Curve = {
  name: "constant-product",
  stateWords: () => PAIR_STATE_WORDS,
  check,
  open,
};

function check(pool: PoolShape, state: PoolState | undefined): string | undefined {
  if (pool.decimals.length !== 2) return `${pool.decimals.length} tokens`;
  const isFixed = pool.feePips !== FEE_IN_STATE;
  if (isFixed && pool.feePips >= PIPS) return `a fee of ${pool.feePips} pips`;
  if (pool.parameter !== FEE_INSIDE && pool.parameter !== FEE_FIRST) {
    return `no rounding rule ${pool.parameter}`;
  }
  if (state === undefined) return undefined;
  for (const reserve of readReserves(state)) {
    if (reserve > reserveMax(pool.parameter)) return `a reserve of ${reserve}`;
  }
  const feePips = readFeePips(state);
  return isFixed || feePips < PIPS ? undefined : `a fee of ${feePips} pips`;
}

function reserveMax(parameter: number): bigint {
  return parameter === FEE_INSIDE ? RESERVE_MAX_FEE_INSIDE : RESERVE_MAX_FEE_FIRST;
}

function open(graph: PoolGraph): PoolFamily {
  function reserve(pool: PoolIndex, position: TokenPosition): bigint {
    return reserveOf(graph, pool, position);
  }

  function reserveFloat(pool: PoolIndex, position: TokenPosition): number {
    return reserveFloatOf(graph, pool, position);
  }

  function feePipsOf(pool: PoolIndex): number {
    const feePips = graph.poolFeePips[pool]!;
    return feePips === FEE_IN_STATE ? stateFeeOf(graph, pool) : feePips;
  }

  function quoteExactIn(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountIn: bigint,
  ): bigint {
    const reserveIn = reserve(pool, positionIn);
    const reserveOut = reserve(pool, positionOut);
    if (reserveIn === 0n || reserveOut === 0n) return REFUSED;
    const parameter = graph.poolParameter[pool]!;
    if (reserveIn + amountIn > reserveMax(parameter)) return REFUSED;
    const feePips = BigInt(feePipsOf(pool));
    return parameter === FEE_INSIDE
      ? amountOutFeeInside(amountIn, reserveIn, reserveOut, feePips)
      : amountOutFeeFirst(amountIn, reserveIn, reserveOut, feePips);
  }

  function quoteExactOut(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountOut: bigint,
  ): bigint {
    const reserveIn = reserve(pool, positionIn);
    const reserveOut = reserve(pool, positionOut);
    if (reserveIn === 0n || amountOut >= reserveOut) return REFUSED;
    const parameter = graph.poolParameter[pool]!;
    const feePips = BigInt(feePipsOf(pool));
    const amountIn =
      parameter === FEE_INSIDE
        ? amountInFeeInside(amountOut, reserveIn, reserveOut, feePips)
        : amountInFeeFirst(amountOut, reserveIn, reserveOut, feePips);
    return reserveIn + amountIn > reserveMax(parameter) ? REFUSED : amountIn;
  }

  function swapped(
    pool: PoolIndex,
    positionIn: TokenPosition,
    amountIn: bigint,
    amountOut: bigint,
  ) {
    const leaves =
      graph.poolParameter[pool] === FEE_FIRST ? feeFirst(amountIn, BigInt(feePipsOf(pool))) : 0n;
    const reserveIn = reserve(pool, positionIn) + amountIn - leaves;
    const reserveOut = reserve(pool, 1 - positionIn) - amountOut;
    const state = encodeReserves(
      isZeroForOne(positionIn) ? [reserveIn, reserveOut] : [reserveOut, reserveIn],
      stateFeeOf(graph, pool),
    );
    return { pool, amountIn, amountOut, state };
  }

  /**
   * The whole curve. Where the fee is taken off first, rounded down, at most one unit more than the
   * formula's reaches the curve: a bonus of 1 / (1 − fee). A pool with an empty side gives nothing.
   */
  function leadingPiece(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    into: Float64Array,
    at: number,
  ): void {
    const x = reserveFloat(pool, positionIn);
    const y = reserveFloat(pool, positionOut);
    if (x === 0 || y === 0) return into.set(EMPTY_PIECE, at);
    const perUnit = PIPS / (PIPS - feePipsOf(pool));
    into[at] = x * perUnit;
    into[at + 1] = y * ROUNDING_UP;
    into[at + 2] = capacityIn(pool, positionIn, positionOut);
    into[at + 3] = graph.poolParameter[pool] === FEE_FIRST ? perUnit : 0;
  }

  function capacityIn(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
  ): number {
    if (reserveFloat(pool, positionOut) === 0) return 0;
    return Number(reserveMax(graph.poolParameter[pool]!) - reserve(pool, positionIn)) * ROUNDING_UP;
  }

  const piece = new Float64Array(PIECE_STRIDE);

  function estimateExactIn(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountIn: number,
  ): number {
    leadingPiece(pool, positionIn, positionOut, piece, 0);
    if (amountIn === 0) return 0;
    const fillable = Math.min(amountIn, piece[2]!) + piece[3]!;
    return (piece[1]! * fillable) / (piece[0]! + fillable);
  }

  function estimateExactOut(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
    amountOut: number,
  ): number {
    leadingPiece(pool, positionIn, positionOut, piece, 0);
    if (amountOut >= piece[1]!) return Number.POSITIVE_INFINITY;
    // What the pool has room for is what goes in: the formula's amount less the bonus.
    const amountIn = Math.max((piece[0]! * amountOut) / (piece[1]! - amountOut) - piece[3]!, 0);
    return amountIn > piece[2]! * ROUNDING_UP ? Number.POSITIVE_INFINITY : amountIn;
  }

  return {
    quoteExactIn,
    quoteExactOut,
    swapExactIn: (pool, positionIn, positionOut, amountIn) => {
      const amountOut = quoteExactIn(pool, positionIn, positionOut, amountIn);
      return amountOut > 0n ? swapped(pool, positionIn, amountIn, amountOut) : undefined;
    },
    swapExactOut: (pool, positionIn, positionOut, amountOut) => {
      const amountIn = quoteExactOut(pool, positionIn, positionOut, amountOut);
      return amountIn === REFUSED ? undefined : swapped(pool, positionIn, amountIn, amountOut);
    },
    leadingPiece,
    estimateExactIn,
    estimateExactOut,
    pieceAt: (pool, positionIn, positionOut, amount, into, at) => {
      leadingPiece(pool, positionIn, positionOut, piece, 0);
      const [x, y, capacity] = piece as unknown as [number, number, number];
      const isBeyond = amount >= capacity;
      into[at] = x;
      into[at + 1] = isBeyond ? 0 : y;
      into[at + 2] = isBeyond ? Number.POSITIVE_INFINITY : capacity;
      into[at + 3] = isBeyond ? capacity : 0;
      into[at + 4] = isBeyond ? (y * capacity) / (x + capacity) : 0;
    },
    gas: (pool) => (graph.poolParameter[pool] === FEE_FIRST ? FEE_FIRST_GAS : SWAP_GAS),
    typicalGas: (pool) =>
      graph.poolParameter[pool] === FEE_FIRST ? FEE_FIRST_TYPICAL_GAS : TYPICAL_GAS,
    leastGas: TYPICAL_GAS,
    capacityIn,
    feePips: feePipsOf,
    midPrice: (pool, positionIn, positionOut) => {
      const x = reserveFloat(pool, positionIn);
      return x === 0 ? 0 : reserveFloat(pool, positionOut) / x;
    },
    depth: (pool, positionIn, positionOut) =>
      reserveFloat(pool, positionOut) === 0 ? 0 : reserveFloat(pool, positionIn) * DEPTH_FACTOR,
    stateHolding: (pool, amounts) => encodeReserves(amounts, stateFeeOf(graph, pool)),
    tokenAmounts: (pool) => [reserve(pool, 0), reserve(pool, 1)],
    priceAndLiquidity: (pool) => {
      const reserve0 = reserve(pool, 0);
      const reserve1 = reserve(pool, 1);
      return {
        sqrtPriceX96: reserve0 === 0n ? 0n : squareRoot((reserve1 << 192n) / reserve0),
        liquidity: squareRoot(reserve0 * reserve1),
      };
    },
  };
}

import {
  type Curve,
  FEE_IN_STATE,
  isZeroForOne,
  type PoolFamily,
  type PoolGraph,
  type PoolIndex,
  type PoolShape,
  type PoolState,
  REFUSED,
  type SmoothCurve,
  smoothPieces,
  type TokenPosition,
} from "@millrace/core";
import {
  encodeReserves,
  PAIR_STATE_WORDS,
  readFeePips,
  reserveFloatOf,
  reserveOf,
  stateFeeOf,
} from "../../pairState.ts";
import {
  CURVE_ERROR,
  solidlyHiddenPart,
  solidlyInput,
  solidlyPoint,
  solidlyRate,
  solidlyReserveLimit,
} from "./estimates.ts";
import {
  SOLIDLY_RESERVE_MAX,
  type SolidlyPair,
  solidlyAmountIn,
  solidlyAmountOut,
  solidlyFee,
} from "./math.ts";

/** Constants: the decimals of token0 and token1, as the pool's contract has them. */
const DECIMALS_WORDS = 2;
/** The contract cannot be initialised with more: 10^78 does not fit 256 bits. */
const DECIMALS_MAX = 77;
const MULTIPLIERS = Array.from({ length: DECIMALS_MAX + 1 }, (_, decimals) => {
  return 10n ** BigInt(decimals);
});

const PIPS = 1_000_000;
/** The contract's fee is in 1/10,000. */
const PIPS_A_POINT = 100n;
/** Estimates are upper bounds, inverses lower ones. */
const ROUNDING_UP = 1 + 2 * CURVE_ERROR;
/** More may be hidden in pools that quote nothing, rounding of floats allowed for. */
const HIDDEN_MAX = 2 ** -37 * ROUNDING_UP;
/**
 * A swap with both transfers: Aerodrome's stable pools were seen to take 157k to 245k, the most
 * where the price oracle gets a new observation.
 */
const SWAP_GAS = 260_000;
const TYPICAL_GAS = 160_000;
/** The price falls by 2 % when x of x·y = k has grown by this factor less one. */
const DEPTH_FACTOR = 1 / Math.sqrt(0.98) - 1;

/** Two-token pools of x³y + xy³ = k; their fee is part of their state. */
export const solidlyStable: Curve = {
  name: "solidly-stable",
  stateWords: () => PAIR_STATE_WORDS,
  check,
  open,
};

function check(pool: PoolShape, state: PoolState | undefined): string | undefined {
  if (pool.decimals.length !== 2) return `${pool.decimals.length} tokens`;
  if (pool.feePips !== FEE_IN_STATE) return `a fixed fee of ${pool.feePips} pips`;
  if (pool.constants.length < DECIMALS_WORDS) return `${pool.constants.length} words of constants`;
  for (const decimals of pool.constants.subarray(0, DECIMALS_WORDS)) {
    if (decimals > DECIMALS_MAX) return `${decimals} decimals`;
  }
  if (state === undefined) return undefined;
  const feePips = readFeePips(state);
  const isFee = feePips < PIPS && feePips % PIPS_A_POINT === 0n;
  return isFee ? undefined : `a fee of ${feePips} pips`;
}

function open(graph: PoolGraph): PoolFamily {
  function decimalsOf(pool: PoolIndex, position: TokenPosition): number {
    return Number(graph.constantWords[graph.poolConstantStart[pool]! + position]!);
  }

  function pairOf(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
  ): SolidlyPair {
    return {
      reserveIn: reserveOf(graph, pool, positionIn),
      reserveOut: reserveOf(graph, pool, positionOut),
      multiplierIn: MULTIPLIERS[decimalsOf(pool, positionIn)]!,
      multiplierOut: MULTIPLIERS[decimalsOf(pool, positionOut)]!,
      feePips: BigInt(stateFeeOf(graph, pool)),
      zeroForOne: isZeroForOne(positionIn),
    };
  }

  function swapped(
    pool: PoolIndex,
    positionIn: TokenPosition,
    amountIn: bigint,
    amountOut: bigint,
  ) {
    const feePips = stateFeeOf(graph, pool);
    const added = amountIn - solidlyFee(amountIn, BigInt(feePips));
    const reserveIn = reserveOf(graph, pool, positionIn) + added;
    const reserveOut = reserveOf(graph, pool, 1 - positionIn) - amountOut;
    const state = encodeReserves(
      isZeroForOne(positionIn) ? [reserveIn, reserveOut] : [reserveOut, reserveIn],
      feePips,
    );
    return { pool, amountIn, amountOut, state };
  }

  // What the last `face` saw: reserves of 18 decimals, units of 18 decimals that a unit of either
  // token is worth (of the input, that stay after the fee), and what roundings may give.
  let x = 0;
  let y = 0;
  let perUnitIn = 0;
  let perUnitOut = 0;
  let raise = 1;
  let bonus = 0;

  /**
   * Whether the pool gives anything. No swap leaves less than k as it was rounded before, which may
   * be a part h less than k. So with F the curve, an input a of 18 decimals gives no more than
   *
   * - F(a + hx) × (1 + h), since k grows at least as x does, and F is concave: a bonus;
   * - F(a) + hy: where hy is a small part of a unit, and an output is a unit or more, a raise.
   *
   * The fee is rounded down, and with more than 18 decimals the reserve and the input are: a unit
   * each.
   */
  function face(pool: PoolIndex, positionIn: TokenPosition, positionOut: TokenPosition): boolean {
    x = scaledReserve(pool, positionIn);
    y = scaledReserve(pool, positionOut);
    if (x === 0 || y === 0) return false;
    const hidden = solidlyHiddenPart(x, y);
    if (!(hidden <= HIDDEN_MAX)) return false;
    const feePips = stateFeeOf(graph, pool);
    const decimalsIn = decimalsOf(pool, positionIn);
    const scaleIn = 10 ** (18 - decimalsIn);
    perUnitIn = (scaleIn * (PIPS - feePips)) / PIPS;
    perUnitOut = 10 ** (18 - decimalsOf(pool, positionOut));
    const units = (hidden * y) / perUnitOut;
    const isRaised = units < UNITS_SMALL;
    raise = ROUNDING_UP * (isRaised ? 1 / (1 - units) : 1);
    bonus = (feePips > 0 ? scaleIn : 0) + (decimalsIn > 18 ? 1 : 0) + (isRaised ? 0 : hidden * x);
    return true;
  }
}

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
} from "@millrace/core/pure";
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
// Index: decimals. How many units a token has, and what one is worth with 18 decimals.
const MULTIPLIERS = Array.from({ length: DECIMALS_MAX + 1 }, (_, each) => 10n ** BigInt(each));
const SCALES = MULTIPLIERS.map((_, decimals) => Number(`1e${18 - decimals}`));

const PIPS = 1_000_000;
/** The contract's fee is in 1/10,000. */
const PIPS_A_POINT = 100n;
/** Estimates are upper bounds, inverses lower ones. */
const ROUNDING_UP = 1 + 2 * CURVE_ERROR;
/** Only pools that quote nothing hide more of k. */
const HIDDEN_MAX = 2 ** -37 * ROUNDING_UP;
/** A negligible part of a unit, and a small one. */
const PART_LEAST = 2 ** -38;
const PART_SMALL = 2 ** -6;
/** Units of a bonus that hardly cost the search anything. */
const BONUS_SMALL = 1_000;
/**
 * A swap with both transfers: Aerodrome's stable pools were seen to take 157k to 245k, the most
 * where the price oracle gets a new observation.
 */
const SWAP_GAS = 260_000;
const TYPICAL_GAS = 130_000;
/** The price of x·y = k falls by 2 % when x grows by this part. */
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

  // What `face` found last, of one version of one pool. Amounts of the curve have 18 decimals.
  let faced = -1;
  let facedFrom = 0;
  let facedVersion = 0;
  let isOpen = false;
  let x = 0;
  let y = 0;
  let perUnitIn = 0; // what a unit of the input is worth there after the fee
  let perUnitOut = 0;
  let bonus = 0;
  let raise = 1;

  /**
   * Whether the pool gives anything. No swap leaves less than the rounded k of before, which is
   * less than k by a part h at most. So with F the curve, `amount` gives no more than
   *
   * - F(amount + hx) × (1 + h), since k grows at least as x does, and F is concave: a bonus;
   * - F(amount) + hy: where that is a small part of a unit, it is as small a part of any output.
   *
   * The fee is rounded down, and with more than 18 decimals the reserve is: a unit each.
   */
  function isGiving(
    pool: PoolIndex,
    positionIn: TokenPosition,
    positionOut: TokenPosition,
  ): boolean {
    x = scaledReserve(pool, positionIn);
    y = scaledReserve(pool, positionOut);
    if (x === 0 || y === 0) return false;
    const hidden = solidlyHiddenPart(x, y);
    if (!(hidden <= HIDDEN_MAX)) return false;
    const feePips = stateFeeOf(graph, pool);
    const scaleIn = SCALES[decimalsOf(pool, positionIn)]!;
    perUnitIn = (scaleIn * (PIPS - feePips)) / PIPS;
    perUnitOut = SCALES[decimalsOf(pool, positionOut)]!;
    const part = (hidden * y) / perUnitOut;
    const isPart = part < PART_LEAST || (part < PART_SMALL && hidden * x > BONUS_SMALL * scaleIn);
    raise = ROUNDING_UP / (1 - (isPart ? part : hidden));
    bonus = (feePips > 0 ? scaleIn : 0) + (scaleIn < 1 ? 1 : 0) + (isPart ? 0 : hidden * x);
    return true;
  }

  /** `isGiving`, computed once for the several calls of an estimate. */
  function face(pool: PoolIndex, positionIn: TokenPosition, positionOut: TokenPosition): boolean {
    const version = graph.poolVersion[pool]!;
    if (pool === faced && positionIn === facedFrom && version === facedVersion) return isOpen;
    isOpen = isGiving(pool, positionIn, positionOut);
    faced = pool;
    facedFrom = positionIn;
    facedVersion = version;
    return isOpen;
  }

  /** A reserve with 18 decimals; the contract rounds it down where it has more. */
  function scaledReserve(pool: PoolIndex, position: TokenPosition): number {
    const decimals = decimalsOf(pool, position);
    if (decimals <= 18) return reserveFloatOf(graph, pool, position) * SCALES[decimals]!;
    return Number(reserveOf(graph, pool, position) / MULTIPLIERS[decimals - 18]!);
  }

  const smooth: SmoothCurve = {
    at: (pool, positionIn, positionOut, amountIn, into) => {
      face(pool, positionIn, positionOut);
      solidlyPoint(x, y, amountIn * perUnitIn, into, 0);
      const unit = raise / perUnitOut;
      into[0]! *= unit;
      into[1]! *= unit * perUnitIn;
      into[2]! *= unit * perUnitIn * perUnitIn;
    },
    inputFor: (pool, positionIn, positionOut, amountOut) => {
      face(pool, positionIn, positionOut);
      const wanted = (amountOut * perUnitOut) / raise;
      return solidlyInput(x, y, wanted, y - wanted) / perUnitIn;
    },
    capacityIn: (pool, positionIn, positionOut) => {
      if (!face(pool, positionIn, positionOut)) return 0;
      // Roundings of the reserve and of the input may hide a unit of 18 decimals.
      const room = (solidlyReserveLimit(y) * ROUNDING_UP - x + 1) / perUnitIn;
      const whole = Number(SOLIDLY_RESERVE_MAX - reserveOf(graph, pool, positionIn));
      if (room <= 0) return 0;
      // What the bonus adds is given at the end too.
      return (Math.min(room, whole) + bonus / perUnitIn) * ROUNDING_UP;
    },
    feePips: (pool) => stateFeeOf(graph, pool),
    bonusIn: (pool, positionIn, positionOut) =>
      face(pool, positionIn, positionOut) ? (bonus / perUnitIn) * ROUNDING_UP : 0,
  };

  function midPrice(pool: PoolIndex, positionIn: TokenPosition, positionOut: TokenPosition) {
    if (!face(pool, positionIn, positionOut)) return 0;
    return (solidlyRate(y / x) * SCALES[decimalsOf(pool, positionIn)]!) / perUnitOut;
  }

  const pieces = smoothPieces(smooth);

  return {
    ...pieces,
    quoteExactIn: (pool, positionIn, positionOut, amountIn) =>
      solidlyAmountOut(pairOf(pool, positionIn, positionOut), amountIn),
    quoteExactOut: (pool, positionIn, positionOut, amountOut) =>
      solidlyAmountIn(pairOf(pool, positionIn, positionOut), amountOut),
    swapExactIn: (pool, positionIn, positionOut, amountIn) => {
      const amountOut = solidlyAmountOut(pairOf(pool, positionIn, positionOut), amountIn);
      return amountOut > 0n ? swapped(pool, positionIn, amountIn, amountOut) : undefined;
    },
    swapExactOut: (pool, positionIn, positionOut, amountOut) => {
      const amountIn = solidlyAmountIn(pairOf(pool, positionIn, positionOut), amountOut);
      return amountIn === REFUSED ? undefined : swapped(pool, positionIn, amountIn, amountOut);
    },
    gas: () => SWAP_GAS,
    typicalGas: () => TYPICAL_GAS,
    leastGas: TYPICAL_GAS,
    capacityIn: smooth.capacityIn,
    feePips: smooth.feePips,
    midPrice,
    stateHolding: (pool, amounts) => encodeReserves(amounts, stateFeeOf(graph, pool)),
    tokenAmounts: (pool) => [reserveOf(graph, pool, 0), reserveOf(graph, pool, 1)],
    /** Of the x·y = k pool with this pool's price, and its depth in token0. */
    priceAndLiquidity: (pool) => {
      const root = Math.sqrt(midPrice(pool, 0, 1));
      const x = pieces.depth(pool, 0, 1) / DEPTH_FACTOR;
      return {
        sqrtPriceX96: BigInt(Math.floor(root * 2 ** 96)),
        liquidity: BigInt(Math.floor(x * root)),
      };
    },
  };
}

import {
  BOOK_WORDS,
  type Book,
  FEE_IN_STATE,
  isZeroForOne,
  type PoolShape,
  type PoolState,
  readWords,
  readWords2,
  SQRT_RATIO_MAX_X96,
  SQRT_RATIO_MIN_X96,
  sqrtRatioAtTick,
  TICK_MAX,
  TICK_MIN,
  type TokenPosition,
  tickAtSqrtRatio,
  writeWords,
} from "@millrace/core/pure";
import { STEP_RULES } from "./StepRule.ts";

/**
 * State: sqrtPriceX96 (three words), liquidity (two), tick (one, two's complement), and the fees of
 * pools with FEE_IN_STATE (one): zeroForOne's in the low half, the other direction's in the high.
 */
const SQRT_PRICE_WORDS = 3;
const LIQUIDITY_AT = 3;
const LIQUIDITY_WORDS = 2;
const TICK_AT = 5;
const FEES_AT = 6;
const FEE_BITS = 32n;
export const STATE_WORDS = 7;

/** What a pool of this family holds. `ticks` ascend; without them the pool keeps those it has. */
export interface ConcentratedState {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  /** Of a pool with FEE_IN_STATE: what zeroForOne pays, and what the other direction does. */
  readonly feesPips?: readonly [number, number];
  readonly ticks?: ReadonlyArray<readonly [tick: number, liquidityNet: bigint]>;
}

/** The state of a pool as the graph keeps it. Throws for numbers wider than the contract's. */
export function encodeConcentrated(state: ConcentratedState): PoolState {
  const words = new BigUint64Array(STATE_WORDS);
  writeWords(words, 0, SQRT_PRICE_WORDS, state.sqrtPriceX96);
  writeWords(words, LIQUIDITY_AT, LIQUIDITY_WORDS, state.liquidity);
  words[TICK_AT] = BigInt.asUintN(64, BigInt(state.tick));
  const [feePips0, feePips1] = state.feesPips ?? [0, 0];
  words[FEES_AT] = BigInt(feePips0) | (BigInt(feePips1) << FEE_BITS);
  return state.ticks === undefined ? { words } : { words, book: encodeTicks(state.ticks) };
}

/** What the words of a state say, from `start` on; its ticks are in its book. */
export function decodeConcentrated(
  words: BigUint64Array,
  start = 0,
): Required<Omit<ConcentratedState, "ticks">> {
  return {
    sqrtPriceX96: readWords(words, start, SQRT_PRICE_WORDS),
    liquidity: readWords2(words, start + LIQUIDITY_AT),
    tick: Number(BigInt.asIntN(64, words[start + TICK_AT]!)),
    feesPips: [feeIn(words, start, 0), feeIn(words, start, 1)],
  };
}

/** The fee in a state of a swap that takes the token at a position in. */
export function feeIn(words: BigUint64Array, start: number, positionIn: TokenPosition): number {
  const fees = words[start + FEES_AT]!;
  return Number(BigInt.asUintN(32, isZeroForOne(positionIn) ? fees : fees >> FEE_BITS));
}

function encodeTicks(ticks: NonNullable<ConcentratedState["ticks"]>): Book {
  const keys = new Int32Array(ticks.length);
  const words = new BigInt64Array(BOOK_WORDS * ticks.length);
  for (let index = 0; index < ticks.length; index++) {
    const [tick, net] = ticks[index]!;
    if (BigInt.asIntN(128, net) !== net) throw new RangeError(`liquidityNet ${net}`);
    keys[index] = tick;
    words[BOOK_WORDS * index] = BigInt.asIntN(64, net);
    words[BOOK_WORDS * index + 1] = net >> 64n;
  }
  return { keys, words };
}

/** Why a pool or its state is impossible; see `Curve.check`. */
export function check(pool: PoolShape, state: PoolState | undefined): string | undefined {
  if (pool.decimals.length !== 2) return `${pool.decimals.length} tokens`;
  const [ruleAt = 0n] = pool.constants;
  const rule = STEP_RULES[Number(ruleAt)];
  if (rule === undefined) return `a rule of steps ${ruleAt}`;
  const isFixed = pool.feePips !== FEE_IN_STATE;
  if (isFixed && pool.feePips > rule.feePipsMax) return `a fee of ${pool.feePips} pips`;
  if (pool.parameter < 1 || pool.parameter > rule.tickSpacingMax) {
    return `a tick spacing of ${pool.parameter}`;
  }
  if (state === undefined) return undefined;
  const { sqrtPriceX96: price, tick, feesPips } = decodeConcentrated(state.words);
  const excess = isFixed ? undefined : feesPips.find((feePips) => feePips > rule.feePipsMax);
  if (excess !== undefined) return `a fee of ${excess} pips`;
  if (price === 0n) return undefined; // created, not initialised: nothing to quote
  if (price < SQRT_RATIO_MIN_X96 || price >= SQRT_RATIO_MAX_X96) return `sqrtPriceX96 ${price}`;
  // A price that has just crossed a tick downwards stands on it, with the tick below as its own.
  const tickOfPrice = tickAtSqrtRatio(price);
  const onTick = sqrtRatioAtTick(tickOfPrice) === price;
  if (tick !== tickOfPrice && !(onTick && tick === tickOfPrice - 1)) {
    return `tick ${tick} at the price of tick ${tickOfPrice}`;
  }
  return state.book === undefined ? undefined : checkBook(state.book, pool.parameter);
}

function checkBook(book: Book, tickSpacing: number): string | undefined {
  if (book.words.length !== BOOK_WORDS * book.keys.length) return "a torn book";
  let previous = TICK_MIN - 1;
  for (const tick of book.keys) {
    if (tick <= previous || tick > TICK_MAX) return `tick ${tick} after ${previous}`;
    if (tick % tickSpacing !== 0) return `tick ${tick} with spacing ${tickSpacing}`;
    previous = tick;
  }
  return undefined;
}

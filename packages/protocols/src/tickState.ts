import {
  LEDGER_STRIDE,
  NO_CONSTANTS,
  type PoolShape,
  TICK_MAX,
  TICK_MIN,
  writeWords,
} from "@millrace/core";
import {
  type Asking,
  type CallAnswer,
  type ChainCall,
  type FollowedState,
  IMPOSSIBLE,
  type LogEffect,
  type LoggedSwap,
} from "./ChainProtocol.ts";
import { bitsIn, firstWordsOf, loggedSwap } from "./chainWords.ts";
import { concentratedLiquidity } from "./curves/ticks/pool.ts";
import {
  type ConcentratedState,
  decodeConcentrated,
  encodeConcentrated,
} from "./curves/ticks/state.ts";
import { isTick, liquidityAt, withPositionEnd } from "./tickLedger.ts";
import { wordsInRange } from "./wordRange.ts";

/**
 * How protocols make and change states of pools with ticks, whatever their logs look like. The book
 * holds each initialised tick, the ledger its liquidityGross: a tick leaves with the last position
 * that ends at it, not when its net is 0, because swaps stop at it until then.
 */

/** Where a pool stands. */
export type TickHead = Pick<ConcentratedState, "sqrtPriceX96" | "tick" | "liquidity">;

/** Price and tick fit each other whatever the pool is. */
export const ANY_TICK_POOL: PoolShape = {
  decimals: [18, 18],
  feePips: 0,
  parameter: 1,
  constants: NO_CONSTANTS,
};

/** A pool that has no price yet. */
export const UNPRICED_TICKS: FollowedState = {
  ...encodeConcentrated({ sqrtPriceX96: 0n, tick: 0, liquidity: 0n, ticks: [] }),
  ledger: new BigUint64Array(0),
};

const BITMAP_WORD_BITS = 8;
/** Many times what any pool has; an answer with more is rejected. */
const TICK_COUNT_MAX = 1 << 16;

/** Price, tick and liquidity from their words; undefined where no pool can stand there. */
export function headIn(price: bigint, tick: bigint, liquidity: bigint): TickHead | undefined {
  const known = tickIn(tick, 1);
  if (known === undefined || price >> 160n !== 0n || liquidity >> 128n !== 0n) return undefined;
  const head = { sqrtPriceX96: price, tick: known, liquidity };
  const why = concentratedLiquidity.check(ANY_TICK_POOL, encodeConcentrated(head));
  return why === undefined ? head : undefined;
}

export function isPriced(head: TickHead | undefined): head is TickHead {
  return head !== undefined && head.sqrtPriceX96 !== 0n;
}

/** The tick in a word, within the contracts' limits and on the spacing. */
export function tickIn(word: bigint | undefined, tickSpacing: number): number | undefined {
  if (word === undefined) return undefined;
  const tick = BigInt.asIntN(256, word);
  if (tick < TICK_MIN || tick > TICK_MAX) return undefined;
  return Number(tick) % tickSpacing === 0 ? Number(tick) : undefined;
}

/** A pool that has its first price. */
export function afterFirstPrice(
  state: FollowedState,
  head: TickHead | undefined,
): LogEffect | typeof IMPOSSIBLE {
  if (!isPriced(head) || isPriced(decodeConcentrated(state.words))) return IMPOSSIBLE;
  return { state: withHead(state, head) };
}

/** What the log of a swap gives: by how much the pool grew, and where it stands after. */
export interface TickSwap {
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly after: TickHead;
}

export function swapOf({ amount0, amount1, after }: TickSwap): LoggedSwap | undefined {
  return loggedSwap(amount0, amount1, (Number(after.sqrtPriceX96) / 2 ** 96) ** 2);
}

export function afterTickSwap(
  state: FollowedState,
  swapped: TickSwap | undefined,
): LogEffect | typeof IMPOSSIBLE {
  const before = decodeConcentrated(state.words);
  if (swapped === undefined || !isPriced(before)) return IMPOSSIBLE;
  const { after, amount0, amount1 } = swapped;
  const change = after.sqrtPriceX96 - before.sqrtPriceX96;
  // A swap too small to move the price may still cross the tick that the price stands on.
  const falls = amount0 >= 0n && amount1 <= 0n && change <= 0n && after.tick <= before.tick;
  const rises = amount0 <= 0n && amount1 >= 0n && change >= 0n && after.tick >= before.tick;
  if (!falls && !rises) return IMPOSSIBLE;
  // Liquidity is always the sum of the nets up to the tick: a log that disagrees shows that the
  // state has drifted.
  if (after.liquidity !== liquidityAt(state.book!, before, after.tick)) return IMPOSSIBLE;
  const next = withHead(state, after);
  const swap = swapOf(swapped);
  return swap === undefined ? { state: next } : { state: next, swap };
}

/** Liquidity that was added between two ticks, or removed. */
export interface PositionChange {
  readonly lower: number;
  readonly upper: number;
  readonly change: bigint;
}

export function afterPosition(
  state: FollowedState,
  position: PositionChange | undefined,
): LogEffect | typeof IMPOSSIBLE {
  const head = decodeConcentrated(state.words);
  if (position === undefined || !isPriced(head)) return IMPOSSIBLE;
  const { lower, upper, change } = position;
  if (lower >= upper) return IMPOSSIBLE;
  if (change === 0n) return { state }; // a poke: only fees were reckoned
  const before = { book: state.book!, ledger: state.ledger! };
  const started = withPositionEnd(before, lower, change, change);
  const ended = started && withPositionEnd(started, upper, change, -change);
  if (ended === undefined) return IMPOSSIBLE;
  if (head.tick < lower || head.tick >= upper) return { state: { ...state, ...ended } };
  const active = head.liquidity + change;
  if (active < 0n || active >> 128n !== 0n) return IMPOSSIBLE;
  const { words } = encodeConcentrated({ ...head, liquidity: active });
  return { state: { ...state, ...ended, words } };
}

/** The state with other fees by direction; the same object when they are the same. */
export function withFees(state: FollowedState, feesPips: readonly [number, number]): FollowedState {
  return withWords(state, { ...decodeConcentrated(state.words), feesPips });
}

/** A contract's answers about its book. */
export interface TickBookAnswers {
  readonly head: ReadonlyArray<CallAnswer>;
  readonly ticks: ReadonlyArray<number>;
  /** The answer for each tick. */
  readonly contents: ReadonlyArray<CallAnswer>;
}

/**
 * Reads the whole book of a contract that has a bitmap of compressed ticks: the `head` calls and
 * all words of the bitmap in one round, the ticks in another. Undefined when the bitmap is invalid.
 */
export function* readTickBook(
  tickSpacing: number,
  head: ReadonlyArray<ChainCall>,
  wordCall: (position: number) => ChainCall,
  tickCall: (tick: number) => ChainCall,
): Asking<TickBookAnswers | undefined> {
  const last = Math.floor(TICK_MAX / tickSpacing);
  const firstWord = -last >> BITMAP_WORD_BITS;
  const wordCount = (last >> BITMAP_WORD_BITS) - firstWord + 1;
  const answers = yield [...head, { ...wordCall(firstWord), range: wordCount }];
  const words = wordsInRange(answers[head.length], wordCount);
  const first = firstWord << BITMAP_WORD_BITS;
  const bits = words && bitsIn(words, TICK_COUNT_MAX);
  const ticks = bits?.map((bit) => (first + bit) * tickSpacing);
  if (!ticks?.every((tick) => tick >= TICK_MIN && tick <= TICK_MAX)) return undefined;
  const contents = ticks.length === 0 ? [] : yield ticks.map(tickCall);
  return { head: answers.slice(0, head.length), ticks, contents };
}

/**
 * The state of a pool whose ticks answered with liquidityGross and liquidityNet in their first two
 * words; undefined where they contradict each other, or the liquidity.
 */
export function tickState(
  head: TickHead & Pick<ConcentratedState, "feesPips">,
  { ticks, contents }: Pick<TickBookAnswers, "ticks" | "contents">,
): FollowedState | undefined {
  const nets: Array<[tick: number, liquidityNet: bigint]> = [];
  const ledger = new BigUint64Array(LEDGER_STRIDE * ticks.length);
  let sum = 0n;
  let active = 0n;
  for (const [index, tick] of ticks.entries()) {
    const words = firstWordsOf(contents[index], 2);
    if (words === undefined) return undefined;
    const gross = words[0]!;
    const net = BigInt.asIntN(256, words[1]!);
    sum += net;
    if (gross === 0n || !isTick(gross, net) || sum < 0n) return undefined;
    if (tick <= head.tick) active = sum;
    nets.push([tick, net]);
    writeWords(ledger, LEDGER_STRIDE * index, LEDGER_STRIDE, gross);
  }
  // What starts must end.
  if (sum !== 0n || active !== head.liquidity) return undefined;
  if (head.sqrtPriceX96 === 0n && (ticks.length > 0 || head.tick !== 0)) return undefined;
  return { ...encodeConcentrated({ ...head, ticks: nets }), ledger };
}

/** See `FollowedDex.virtualReserves`. */
export function virtualReservesAt(
  head: TickHead | undefined,
): readonly [bigint, bigint] | undefined {
  if (!isPriced(head)) return undefined;
  const { sqrtPriceX96, liquidity } = head;
  return [(liquidity << 96n) / sqrtPriceX96, (liquidity * sqrtPriceX96) >> 96n];
}

/** The state with another head; the same object when it is the same head. */
function withHead(state: FollowedState, head: TickHead): FollowedState {
  return withWords(state, { ...decodeConcentrated(state.words), ...head });
}

function withWords(state: FollowedState, after: ConcentratedState): FollowedState {
  const { words } = encodeConcentrated(after);
  return words.every((word, index) => word === state.words[index]) ? state : { ...state, words };
}

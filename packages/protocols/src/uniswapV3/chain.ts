import {
  LEDGER_STRIDE,
  NO_CONSTANTS,
  type PoolListing,
  type PoolShape,
  TICK_MAX,
  TICK_MIN,
  writeWords,
} from "@millrace/core";
import { Schema } from "effect";
import { keccak256, toEventSelector, toFunctionSelector } from "viem/utils";
import {
  type Asking,
  type CallAnswer,
  type ChainCall,
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type FollowedState,
  type Hex,
  IMPOSSIBLE,
  type LogEffect,
  type NewPool,
} from "../ChainProtocol.ts";
import {
  addressInWord,
  bitsOf,
  callOf,
  firstWordsOf,
  loggedSwap,
  newPairOf,
  wordsOf,
} from "../chainWords.ts";
import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import {
  type ConcentratedState,
  decodeConcentrated,
  encodeConcentrated,
} from "../curves/ticks/state.ts";
import { derivedAddresses, isDerived } from "../dexSettings.ts";
import { isTick, liquidityAt, withPositionEnd } from "../tickLedger.ts";

const POOL_CREATED = toEventSelector("PoolCreated(address,address,uint24,int24,address)");
const INITIALIZE = toEventSelector("Initialize(uint160,int24)");
const MINT = toEventSelector("Mint(address,address,int24,int24,uint128,uint256,uint256)");
const BURN = toEventSelector("Burn(address,int24,int24,uint128,uint256,uint256)");
const SWAP = toEventSelector("Swap(address,address,int256,int256,uint160,uint128,int24)");
/** PancakeSwap's tells two protocol fees more. */
const SWAP_WITH_FEES = toEventSelector(
  "Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)",
);

const SWAP_WORDS: ReadonlyMap<Hex | undefined, number> = new Map([
  [SWAP, 5],
  [SWAP_WITH_FEES, 7],
]);

const SLOT0 = toFunctionSelector("slot0()");
const LIQUIDITY = toFunctionSelector("liquidity()");
const TICK_BITMAP = toFunctionSelector("tickBitmap(int16)");
const TICKS = toFunctionSelector("ticks(int24)");

const BITMAP_WORD_BITS = 8;
/** Price and tick fit each other whatever the pool is. */
const ANY_POOL: PoolShape = {
  decimals: [18, 18],
  feePips: 0,
  parameter: 1,
  constants: NO_CONSTANTS,
};
/** Many times what any pool has; an answer that tells of more is not believed. */
const TICK_COUNT_MAX = 1 << 16;

const settings = derivedAddresses;
const Settings = Schema.Struct(settings);
const decodeSettings = Schema.decodeUnknownSync(Settings);

/**
 * Pools of Uniswap V3 and its forks. The book holds each initialised tick, the ledger its
 * liquidityGross: a tick leaves with the last position that ends at it, not when its net is 0,
 * because swaps stop at it until then. Collect, Flash and protocol fees change nothing of a swap.
 */
export const uniswapV3Chain: ChainProtocol = {
  name: concentratedLiquidity.name,
  settings,
  open: (dex) => {
    const own = decodeSettings(dex);
    return {
      dex,
      creationTopics: [POOL_CREATED],
      decodeCreation: (log) => decodeCreation(dex, own, log),
      poolTopics: [INITIALIZE, MINT, BURN, SWAP, SWAP_WITH_FEES],
      applyLog,
      decodeSwap: (_pool, log) => swapIn(log)?.swap,
      read,
      shallowRead,
      virtualReserves,
    };
  },
};

const EMPTY: FollowedState = {
  ...encodeConcentrated({ sqrtPriceX96: 0n, tick: 0, liquidity: 0n, ticks: [] }),
  ledger: new BigUint64Array(0),
};

function decodeCreation(
  dex: ChainDex,
  own: typeof Settings.Type,
  log: ChainLog,
): NewPool | undefined {
  const { topics, data } = log;
  if (log.address !== dex.factory.toLowerCase()) return undefined;
  if (topics[0] !== POOL_CREATED || topics.length !== 4) return undefined;
  const pair = newPairOf(log, 1);
  const fee = wordsOf(topics[3], 1);
  const spacing = wordsOf(data, 2);
  if (pair === undefined || fee === undefined || spacing === undefined) return undefined;
  const { token0, token1, address } = pair;
  const feePips = Number(fee[0]);
  const parameter = Number(spacing[0]);
  // What does not fit 24 bits is far above the limits of both, as a float too.
  if (concentratedLiquidity.check({ ...ANY_POOL, feePips, parameter }, undefined)) {
    return undefined;
  }
  // The topics are the salt: abi.encode(token0, token1, fee).
  const digits = topics.slice(1).map((topic) => topic.slice(2));
  if (!isDerived(address, dex, own, keccak256(`0x${digits.join("")}`))) return undefined;
  const listing = { address, dexId: dex.id, tokens: [token0, token1], feePips, parameter };
  return { listing, created: EMPTY };
}

function applyLog(
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | typeof IMPOSSIBLE | undefined {
  switch (log.topics[0]) {
    case INITIALIZE:
      return afterInitialize(state, log);
    case MINT:
      return afterPosition(pool, state, log, 1n, 4);
    case BURN:
      return afterPosition(pool, state, log, -1n, 3);
    case SWAP:
    case SWAP_WITH_FEES:
      return afterSwap(state, log);
    default:
      return undefined;
  }
}

function afterInitialize(state: FollowedState, log: ChainLog): LogEffect | typeof IMPOSSIBLE {
  const words = log.topics.length === 1 ? wordsOf(log.data, 2) : undefined;
  const head = words && headIn(words[0]!, words[1]!, 0n);
  if (!isInitialised(head) || isInitialised(decodeConcentrated(state.words))) return IMPOSSIBLE;
  return { state: withHead(state, head) };
}

function afterSwap(state: FollowedState, log: ChainLog): LogEffect | typeof IMPOSSIBLE {
  const swapped = swapIn(log);
  const before = decodeConcentrated(state.words);
  if (swapped === undefined || !isInitialised(before)) return IMPOSSIBLE;
  const { after, amount0, amount1, swap } = swapped;
  const change = after.sqrtPriceX96 - before.sqrtPriceX96;
  // A swap too small to move the price may still cross the tick that the price stands on.
  const falls = amount0 >= 0n && amount1 <= 0n && change <= 0n && after.tick <= before.tick;
  const rises = amount0 <= 0n && amount1 >= 0n && change >= 0n && after.tick >= before.tick;
  if (!falls && !rises) return IMPOSSIBLE;
  // Liquidity is always the sum of the nets up to the tick: a log that disagrees tells of a drift.
  if (after.liquidity !== liquidityAt(state.book!, before, after.tick)) return IMPOSSIBLE;
  const next = withHead(state, after);
  return swap === undefined ? { state: next } : { state: next, swap };
}

/** What a Swap tells; undefined when no initialised pool would. */
function swapIn({ topics, data }: ChainLog) {
  const wordCount = SWAP_WORDS.get(topics[0]);
  const isWhole = topics.length === 3 && topics.slice(1).every(addressInWord);
  const words = wordCount !== undefined && isWhole ? wordsOf(data, wordCount) : undefined;
  const after = words && headIn(words[2]!, words[4]!, words[3]!);
  if (words === undefined || !isInitialised(after)) return undefined;
  const amount0 = BigInt.asIntN(256, words[0]!);
  const amount1 = BigInt.asIntN(256, words[1]!);
  const price = (Number(after.sqrtPriceX96) / 2 ** 96) ** 2;
  return { after, amount0, amount1, swap: loggedSwap(amount0, amount1, price) };
}

/** Liquidity added between the two ticks of a log (sign 1), or removed (sign -1). */
function afterPosition(
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
  sign: 1n | -1n,
  wordCount: number,
): LogEffect | typeof IMPOSSIBLE {
  const isWhole = log.topics.length === 4 && addressInWord(log.topics[1]!) !== undefined;
  const words = isWhole ? wordsOf(log.data, wordCount) : undefined;
  if (words === undefined) return IMPOSSIBLE;
  // Before the last three, liquidity and two amounts, a Mint names its sender.
  const liquidity = words.at(-3)!;
  if (words.slice(0, -3).some((sender) => sender >> 160n !== 0n)) return IMPOSSIBLE;
  const lower = tickIn(wordsOf(log.topics[2], 1)?.[0], pool.parameter);
  const upper = tickIn(wordsOf(log.topics[3], 1)?.[0], pool.parameter);
  if (lower === undefined || upper === undefined || lower >= upper) return IMPOSSIBLE;
  const head = decodeConcentrated(state.words);
  if (!isInitialised(head) || liquidity >> 128n !== 0n) return IMPOSSIBLE;
  if (liquidity === 0n) return { state }; // a poke: only fees were reckoned
  const change = sign * liquidity;
  const started = withPositionEnd(
    { book: state.book!, ledger: state.ledger! },
    lower,
    change,
    change,
  );
  const ended = started && withPositionEnd(started, upper, change, -change);
  if (ended === undefined) return IMPOSSIBLE;
  if (head.tick < lower || head.tick >= upper) return { state: { words: state.words, ...ended } };
  const active = head.liquidity + change;
  if (active < 0n || active >> 128n !== 0n) return IMPOSSIBLE;
  return { state: { ...ended, words: encodeConcentrated({ ...head, liquidity: active }).words } };
}

function* read(pool: PoolListing): Asking<FollowedState | undefined> {
  if (concentratedLiquidity.check({ ...ANY_POOL, ...pool }, undefined)) return undefined;
  const last = Math.floor(TICK_MAX / pool.parameter);
  const firstWord = -last >> BITMAP_WORD_BITS;
  const wordCount = (last >> BITMAP_WORD_BITS) - firstWord + 1;
  const bitmap = Array.from({ length: wordCount }, (_, at) =>
    callOf(pool.address, TICK_BITMAP, firstWord + at),
  );
  const answers = yield [...shallowRead(pool), ...bitmap];
  if (answers.length !== 2 + wordCount) return undefined;
  const head = headOfAnswers(answers);
  const ticks = ticksIn(answers.slice(2), firstWord, pool.parameter);
  if (head === undefined || ticks === undefined) return undefined;
  const contents =
    ticks.length === 0 ? [] : yield ticks.map((tick) => callOf(pool.address, TICKS, tick));
  return stateOf(head, ticks, contents);
}

/** The state of what `ticks(tick)` gave for each tick, unless the nets contradict the liquidity. */
function stateOf(
  head: ConcentratedState,
  ticks: ReadonlyArray<number>,
  answers: ReadonlyArray<CallAnswer>,
): FollowedState | undefined {
  const nets: Array<[tick: number, liquidityNet: bigint]> = [];
  const ledger = new BigUint64Array(LEDGER_STRIDE * ticks.length);
  let sum = 0n;
  let active = 0n;
  for (const [index, tick] of ticks.entries()) {
    const words = firstWordsOf(answers[index], 2);
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

/** The ticks whose bits are set in words of the bitmap. */
function ticksIn(
  answers: ReadonlyArray<CallAnswer>,
  firstWord: number,
  tickSpacing: number,
): number[] | undefined {
  const first = firstWord << BITMAP_WORD_BITS;
  const ticks = bitsOf(answers, TICK_COUNT_MAX)?.map((bit) => (first + bit) * tickSpacing);
  return ticks?.every((tick) => tick >= TICK_MIN && tick <= TICK_MAX) ? ticks : undefined;
}

function shallowRead(pool: PoolListing): ReadonlyArray<ChainCall> {
  return [SLOT0, LIQUIDITY].map((data) => ({ to: pool.address, data }));
}

function virtualReserves(
  _pool: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
): readonly [bigint, bigint] | undefined {
  const head = headOfAnswers(answers);
  if (!isInitialised(head)) return undefined;
  const { sqrtPriceX96, liquidity } = head;
  return [(liquidity << 96n) / sqrtPriceX96, (liquidity * sqrtPriceX96) >> 96n];
}

/**
 * What `slot0` and `liquidity` gave. Of slot0 only the first two words are the same in all forks.
 */
function headOfAnswers(answers: ReadonlyArray<CallAnswer>): ConcentratedState | undefined {
  const slot0 = firstWordsOf(answers[0], 2);
  const [liquidity] = wordsOf(answers[1], 1) ?? [];
  if (slot0 === undefined || liquidity === undefined) return undefined;
  return headIn(slot0[0]!, slot0[1]!, liquidity);
}

/** Price, tick and liquidity of their words, where a pool can stand so. */
function headIn(price: bigint, tick: bigint, liquidity: bigint): ConcentratedState | undefined {
  const known = tickIn(tick, 1);
  if (known === undefined || price >> 160n !== 0n || liquidity >> 128n !== 0n) return undefined;
  const head = { sqrtPriceX96: price, tick: known, liquidity };
  const why = concentratedLiquidity.check(ANY_POOL, encodeConcentrated(head));
  return why === undefined ? head : undefined;
}

function isInitialised(head: ConcentratedState | undefined): head is ConcentratedState {
  return head !== undefined && head.sqrtPriceX96 !== 0n;
}

/** The tick in a word, within the contract's limits and on the spacing. */
function tickIn(word: bigint | undefined, tickSpacing: number): number | undefined {
  if (word === undefined) return undefined;
  const tick = BigInt.asIntN(256, word);
  if (tick < TICK_MIN || tick > TICK_MAX) return undefined;
  return Number(tick) % tickSpacing === 0 ? Number(tick) : undefined;
}

/** The state with another head; the same object when it is the same head. */
function withHead(state: FollowedState, head: ConcentratedState): FollowedState {
  const { words } = encodeConcentrated(head);
  return words.every((word, index) => word === state.words[index]) ? state : { ...state, words };
}

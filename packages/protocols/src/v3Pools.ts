import { type PoolListing, REFUSED } from "@millrace/core";
import { Schema } from "effect";
import { keccak256, toEventSelector, toFunctionSelector } from "viem/utils";
import type {
  Asking,
  CallAnswer,
  ChainCall,
  ChainDex,
  ChainLog,
  ChainProtocol,
  FollowedDex,
  FollowedState,
  Hex,
  IMPOSSIBLE,
  LogEffect,
  NewPool,
  QuoteCall,
} from "./ChainProtocol.ts";
import {
  addressInTopic,
  callOf,
  callOfWords,
  firstWordsOf,
  newPairOf,
  wordsOf,
} from "./chainWords.ts";
import { concentratedLiquidity } from "./curves/ticks/pool.ts";
import { ContractAddress, derivedAddresses, isDerived } from "./dexSettings.ts";
import { burnIn, firstPriceIn, mintIn, tickSwapIn } from "./tickLogs.ts";
import {
  ANY_TICK_POOL,
  afterFirstPrice,
  afterPosition,
  afterTickSwap,
  headIn,
  readTickBook,
  swapOf,
  type TickHead,
  tickState,
  UNPRICED_TICKS,
  virtualReservesAt,
} from "./tickState.ts";

/** Pools that are contracts of their own with Uniswap V3's interface and logs. */

const POOL_CREATED = toEventSelector("PoolCreated(address,address,uint24,int24,address)");
export const INITIALIZE = toEventSelector("Initialize(uint160,int24)");
export const MINT = toEventSelector("Mint(address,address,int24,int24,uint128,uint256,uint256)");
export const BURN = toEventSelector("Burn(address,int24,int24,uint128,uint256,uint256)");
export const SWAP = toEventSelector("Swap(address,address,int256,int256,uint160,uint128,int24)");
const SWAP_WORDS = 5;
/** PancakeSwap's also has two protocol fees. */
const SWAP_WITH_FEES = toEventSelector(
  "Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)",
);
const SWAP_WITH_FEES_WORDS = 7;

const SLOT0 = toFunctionSelector("slot0()");
const LIQUIDITY = toFunctionSelector("liquidity()");
const TICK_BITMAP = toFunctionSelector("tickBitmap(int16)");
const TICKS = toFunctionSelector("ticks(int24)");
/** Of QuoterV2; Slipstream's has the tick spacing in the place of the fee, and another selector. */
const QUOTE = toFunctionSelector("quoteExactInputSingle((address,address,uint256,uint24,uint160))");

const settings = {
  ...derivedAddresses,
  /** QuoterV2, which quotes swaps. */
  quoter: Schema.optionalKey(ContractAddress),
};
const Settings = Schema.Struct(settings);
const decodeSettings = Schema.decodeUnknownSync(Settings);

/**
 * Uniswap V3 and forks that differ only in further words of a Swap. Collect, Flash and protocol
 * fees do not affect swaps.
 */
export function v3Chain(name: string): ChainProtocol {
  return {
    name,
    settings,
    open: (dex) => {
      const own = decodeSettings(dex);
      return {
        dex,
        creationTopics: [POOL_CREATED],
        decodeCreation: (log) => decodeCreation(name, dex, own, log),
        ...v3Pools,
        ...(own.quoter !== undefined && {
          quoteCall: quoteCall(own.quoter, QUOTE, ({ feePips }) => feePips),
        }),
      };
    },
  };
}

/**
 * The parts of `FollowedDex` for such pools; `applyLog` and `read` are for pools with a fixed fee.
 */
export const v3Pools = {
  poolTopics: [INITIALIZE, MINT, BURN, SWAP, SWAP_WITH_FEES],
  applyLog,
  decodeSwap: (_pool: PoolListing, log: ChainLog) => {
    const swapped = swapIn(log);
    return swapped && swapOf(swapped);
  },
  makerIn: addressInTopic(2),
  *read(pool: PoolListing): Asking<FollowedState | undefined> {
    if (concentratedLiquidity.check({ ...ANY_TICK_POOL, ...pool }, undefined)) return undefined;
    const answers = yield* readV3Book(pool, shallowRead(pool));
    const head = answers && v3Head(answers.head);
    return head && tickState(head, answers);
  },
  shallowRead,
  virtualReserves: (_pool: PoolListing, answers: ReadonlyArray<CallAnswer>) =>
    virtualReservesAt(v3Head(answers)),
} satisfies Partial<FollowedDex>;

/** Reads a pool's book, and the answers to the `head` calls. */
export function readV3Book({ address, parameter }: PoolListing, head: ReadonlyArray<ChainCall>) {
  const wordCall = (position: number) => callOf(address, TICK_BITMAP, position);
  return readTickBook(parameter, head, wordCall, (tick) => callOf(address, TICKS, tick));
}

/**
 * What `slot0` and `liquidity` gave. Of slot0 only the first two words are the same in all forks.
 */
export function v3Head(answers: ReadonlyArray<CallAnswer>): TickHead | undefined {
  const slot0 = firstWordsOf(answers[0], 2);
  const [liquidity] = wordsOf(answers[1], 1) ?? [];
  if (slot0 === undefined || liquidity === undefined) return undefined;
  return headIn(slot0[0]!, slot0[1]!, liquidity);
}

/**
 * The call of a quoter like QuoterV2: tokens, amount, what else names the pool, and no price limit.
 */
export function quoteCall(
  quoter: string,
  selector: Hex,
  named: (pool: PoolListing) => number,
): NonNullable<FollowedDex["quoteCall"]> {
  return (pool, positionIn, positionOut, amountIn): QuoteCall => {
    const tokens = [pool.tokens[positionIn]!, pool.tokens[positionOut]!].map(BigInt);
    const words = [...tokens, amountIn, BigInt(named(pool)), 0n];
    return { call: callOfWords(quoter as Hex, selector, words), amountOut: firstAmount };
  };
}

/** The first word of an answer; a quoter that reverts refuses. */
export function firstAmount(answer: CallAnswer): bigint | undefined {
  return answer === undefined ? REFUSED : firstWordsOf(answer, 1)?.[0];
}

function shallowRead({ address: to }: PoolListing): ReadonlyArray<ChainCall> {
  return [SLOT0, LIQUIDITY].map((data) => ({ to, data }));
}

function applyLog(
  { parameter }: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | typeof IMPOSSIBLE | undefined {
  switch (log.topics[0]) {
    case INITIALIZE:
      return afterFirstPrice(state, firstPriceIn(log));
    case MINT:
      return afterPosition(state, mintIn(log, parameter));
    case BURN:
      return afterPosition(state, burnIn(log, parameter));
    case SWAP:
    case SWAP_WITH_FEES:
      return afterTickSwap(state, swapIn(log));
    default:
      return undefined;
  }
}

function swapIn(log: ChainLog) {
  switch (log.topics[0]) {
    case SWAP:
      return tickSwapIn(log, SWAP_WORDS);
    case SWAP_WITH_FEES:
      return tickSwapIn(log, SWAP_WITH_FEES_WORDS);
    default:
      return undefined;
  }
}

function decodeCreation(
  name: string,
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
  if (concentratedLiquidity.check({ ...ANY_TICK_POOL, feePips, parameter }, undefined)) {
    return undefined;
  }
  // The topics are the salt: abi.encode(token0, token1, fee).
  const digits = topics.slice(1).map((topic) => topic.slice(2));
  if (!isDerived(address, dex, own, keccak256(`0x${digits.join("")}`))) return undefined;
  const listing = { address, dexId: dex.id, tokens: [token0, token1], feePips, parameter };
  const curve = name === concentratedLiquidity.name ? {} : { curve: concentratedLiquidity.name };
  return { listing: { ...listing, ...curve }, created: UNPRICED_TICKS };
}

import type { PoolListing } from "@millrace/core";
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
  IMPOSSIBLE,
  type LogEffect,
  type LoggedSwap,
  type NewPool,
} from "../ChainProtocol.ts";
import {
  addressInTopic,
  addressInWord,
  firstWordsOf,
  loggedSwap,
  newPairOf,
  wordsOf,
} from "../chainWords.ts";
import { FEE_INSIDE, RESERVE_MAX_FEE_INSIDE } from "../curves/constantProduct/math.ts";
import { constantProduct } from "../curves/constantProduct/pool.ts";
import { derivedAddresses, FixedFeePips, isDerived } from "../dexSettings.ts";
import { encodeReserves, readReserves } from "../pairState.ts";

const PAIR_CREATED = toEventSelector("PairCreated(address,address,address,uint256)");
/** Not `Sync(uint256,uint256)`, which is another topic and belongs to Solidly's family. */
const SYNC = toEventSelector("Sync(uint112,uint112)");
const SWAP = toEventSelector("Swap(address,uint256,uint256,uint256,uint256,address)");
const GET_RESERVES = toFunctionSelector("getReserves()");

const EMPTY: FollowedState = encodeReserves([0n, 0n]);

const settings = {
  /** Fee of all its pairs: they have none of their own. */
  feePips: FixedFeePips,
  ...derivedAddresses,
};
const Settings = Schema.Struct(settings);
const decodeSettings = Schema.decodeUnknownSync(Settings);

/**
 * Pairs of Uniswap V2 and its forks. `Sync` gives the whole state, and every change emits it: mints
 * and burns need no decoding.
 */
export const uniswapV2Chain: ChainProtocol = {
  name: constantProduct.name,
  settings,
  open: (dex) => {
    const own = decodeSettings(dex);
    return {
      dex,
      creationTopics: [PAIR_CREATED],
      decodeCreation: (log) => decodeCreation(dex, own, log),
      creationNumber: ({ data }) => wordsOf(data, 2)?.[1],
      poolTopics: [SYNC, SWAP],
      applyLog,
      decodeSwap,
      makerIn: addressInTopic(2),
      read,
      shallowRead,
      virtualReserves,
    };
  },
};

function decodeCreation(
  dex: ChainDex,
  own: typeof Settings.Type,
  log: ChainLog,
): NewPool | undefined {
  const { topics, data } = log;
  if (log.address !== dex.factory.toLowerCase()) return undefined;
  if (topics[0] !== PAIR_CREATED || topics.length !== 3) return undefined;
  const pair = wordsOf(data, 2) && newPairOf(log, 0);
  if (pair === undefined) return undefined;
  const { token0, token1, address } = pair;
  const salt = keccak256(`${token0}${token1.slice(2)}`);
  if (!isDerived(address, dex, own, salt)) return undefined;
  const { feePips } = own;
  return {
    listing: {
      ...{ address, dexId: dex.id, tokens: [token0, token1] },
      ...{ feePips, parameter: FEE_INSIDE },
    },
    created: EMPTY,
  };
}

function applyLog(
  _pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | typeof IMPOSSIBLE | undefined {
  if (log.topics[0] === SYNC) return afterSync(state, log);
  return log.topics[0] === SWAP ? ofSwap(state, log) : undefined;
}

function afterSync(state: FollowedState, log: ChainLog): LogEffect | typeof IMPOSSIBLE {
  const reserves = syncIn(log);
  if (reserves === undefined) return IMPOSSIBLE;
  const { words } = encodeReserves(reserves);
  const isSame = words.every((word, index) => word === state.words[index]);
  return { state: isSame ? state : { words } };
}

/** The pair's `Sync` came before its `Swap`: there is nothing left to change. */
function ofSwap(state: FollowedState, log: ChainLog): LogEffect | typeof IMPOSSIBLE {
  const amounts = amountsIn(log);
  if (amounts === undefined) return IMPOSSIBLE;
  const swap = loggedSwap(...amounts, priceOf(readReserves(state)));
  // Where nothing was traded it was a flash loan, or a gift.
  return swap === undefined ? { state } : { state, swap };
}

function decodeSwap(
  _pool: PoolListing,
  log: ChainLog,
  before: ChainLog | undefined,
): LoggedSwap | undefined {
  const amounts = log.topics[0] === SWAP ? amountsIn(log) : undefined;
  if (amounts === undefined) return undefined;
  const reserves = before?.topics[0] === SYNC ? syncIn(before) : undefined;
  return loggedSwap(...amounts, reserves === undefined ? 0 : priceOf(reserves));
}

/** The reserves of a Sync. */
function syncIn({ topics, data }: ChainLog): readonly [bigint, bigint] | undefined {
  const reserves = topics.length === 1 ? wordsOf(data, 2) : undefined;
  if (reserves === undefined || !areBalances(reserves)) return undefined;
  return [reserves[0]!, reserves[1]!];
}

/** By how much a Swap made the two reserves grow. */
function amountsIn({ topics, data }: ChainLog): [bigint, bigint] | undefined {
  const isWhole = topics.length === 3 && topics.slice(1).every(addressInWord);
  const amounts = isWhole ? wordsOf(data, 4) : undefined;
  if (amounts === undefined || !areBalances(amounts)) return undefined;
  const [in0, in1, out0, out1] = amounts as [bigint, bigint, bigint, bigint];
  // A pair may take both tokens, and give back some of what it took: the net amount counts.
  return [in0 - out0, in1 - out1];
}

/** Price of token0 in token1; 0 when there is none. */
function priceOf([reserve0, reserve1]: readonly [bigint, bigint]): number {
  return reserve0 === 0n ? 0 : Number(reserve1) / Number(reserve0);
}

function* read(pool: PoolListing): Asking<FollowedState | undefined> {
  const reserves = reservesOf(yield shallowRead(pool));
  return reserves && encodeReserves(reserves);
}

function shallowRead(pool: PoolListing): ReadonlyArray<ChainCall> {
  return [{ to: pool.address, data: GET_RESERVES }];
}

function virtualReserves(
  _pool: PoolListing,
  answers: ReadonlyArray<CallAnswer>,
): readonly [bigint, bigint] | undefined {
  const reserves = reservesOf(answers);
  return reserves?.every((reserve) => reserve > 0n) ? reserves : undefined;
}

function reservesOf(answers: ReadonlyArray<CallAnswer>): [bigint, bigint] | undefined {
  const words = firstWordsOf(answers[0], 2);
  return words && areBalances(words) ? [words[0]!, words[1]!] : undefined;
}

/** No balance of a pair outgrows 112 bits. */
function areBalances(words: ReadonlyArray<bigint>): boolean {
  return words.every((word) => word <= RESERVE_MAX_FEE_INSIDE);
}

import {
  type Address,
  addressOf,
  type CallAnswer,
  type ChainCall,
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type FollowedState,
  firstWordsOf,
  IMPOSSIBLE,
  type LogEffect,
  newPairOf,
  type PoolListing,
  wordsOf,
} from "@millrace/core";
import { keccak256, toEventSelector, toFunctionSelector } from "viem/utils";
import { FEE_INSIDE, RESERVE_MAX_FEE_INSIDE } from "./math.ts";
import { constantProduct, encodeReserves } from "./pool.ts";

const PAIR_CREATED = toEventSelector("PairCreated(address,address,address,uint256)");
/** Not `Sync(uint256,uint256)`, which is another topic and belongs to Solidly's family. */
const SYNC = toEventSelector("Sync(uint112,uint112)");
const SWAP = toEventSelector("Swap(address,uint256,uint256,uint256,uint256,address)");
const GET_RESERVES = toFunctionSelector("getReserves()");

/**
 * Pairs of Uniswap V2 and its forks. `Sync` tells the whole state, and comes with whatever changes
 * it: mints and burns need no reading.
 */
export const constantProductChain: ChainProtocol = {
  name: constantProduct.name,
  creationTopics: [PAIR_CREATED],
  decodeCreation,
  creationNumber: ({ data }) => wordsOf(data, 2)?.[1],
  created: encodeReserves([0n, 0n]),
  poolTopics: [SYNC, SWAP],
  applyLog,
  read,
  glance,
  virtualReserves,
};

function decodeCreation(dex: ChainDex, log: ChainLog): PoolListing | undefined {
  const { topics, data } = log;
  if (log.address !== dex.factory.toLowerCase() || dex.feePips === undefined) return undefined;
  if (topics[0] !== PAIR_CREATED || topics.length !== 3) return undefined;
  const pair = wordsOf(data, 2) && newPairOf(log, 0);
  if (pair === undefined) return undefined;
  const { token0, token1, address } = pair;
  if (dex.initCodeHash !== undefined && address !== pairAddress(dex, token0, token1)) {
    return undefined;
  }
  const { id: dexId, feePips } = dex;
  return { address, dexId, tokens: [token0, token1], feePips, parameter: FEE_INSIDE };
}

/** Where CREATE2 puts the pair of two tokens. */
function pairAddress(dex: ChainDex, token0: Address, token1: Address): Address {
  const salt = keccak256(`${token0}${token1.slice(2)}`);
  const from = (dex.deployer ?? dex.factory).slice(2);
  const hash = keccak256(`0xff${from}${salt.slice(2)}${dex.initCodeHash!.slice(2)}`);
  return `0x${hash.slice(-40)}`;
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
  const reserves = log.topics.length === 1 ? wordsOf(log.data, 2) : undefined;
  if (reserves === undefined || !areBalances(reserves)) return IMPOSSIBLE;
  const { words } = encodeReserves(reserves);
  const isSame = words.every((word, index) => word === state.words[index]);
  return { state: isSame ? state : { words } };
}

/** The pair's `Sync` came before its `Swap`: there is nothing left to change. */
function ofSwap(state: FollowedState, log: ChainLog): LogEffect | typeof IMPOSSIBLE {
  const isWhole = log.topics.length === 3 && log.topics.slice(1).every(addressOf);
  const amounts = isWhole ? wordsOf(log.data, 4) : undefined;
  if (amounts === undefined || !areBalances(amounts)) return IMPOSSIBLE;
  const [in0, in1, out0, out1] = amounts as [bigint, bigint, bigint, bigint];
  // A pair may be paid in both, and give back of what it was paid in: what counts is the balance.
  const amount0 = in0 - out0;
  const amount1 = in1 - out1;
  if (amount0 > 0n && amount1 < 0n) {
    return { state, swap: { tokenIn: 0, tokenOut: 1, amountIn: amount0, amountOut: -amount1 } };
  }
  if (amount1 > 0n && amount0 < 0n) {
    return { state, swap: { tokenIn: 1, tokenOut: 0, amountIn: amount1, amountOut: -amount0 } };
  }
  return { state }; // nothing was traded: a flash loan, or a gift
}

function* read(
  pool: PoolListing,
): Generator<ReadonlyArray<ChainCall>, FollowedState | undefined, ReadonlyArray<CallAnswer>> {
  const reserves = reservesOf(yield glance(pool));
  return reserves && encodeReserves(reserves);
}

function glance(pool: PoolListing): ReadonlyArray<ChainCall> {
  return [{ to: pool.address, data: GET_RESERVES }];
}

function virtualReserves(
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

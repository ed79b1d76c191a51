import {
  type Address,
  NO_CONSTANTS,
  type PoolListing,
  REFUSED,
  readWords,
  writeWords,
} from "@millrace/core";
import { toFunctionSelector } from "viem/utils";
import type {
  Asking,
  CallAnswer,
  ChainCall,
  ChainDex,
  ChainProtocol,
  FollowedDex,
  FollowedState,
  NewPool,
  PoolRefusal,
} from "../ChainProtocol.ts";
import { addressInWord, callOfWords, NATIVE_ADDRESS, wordsOf } from "../chainWords.ts";
import { COUNTED, wrapper } from "../curves/wrapper/pool.ts";
import { followedWrapper, OUT_OF_PROPORTION, wrapperReserves } from "../wrapperReads.ts";

const ST_ETH = toFunctionSelector("stETH()");
const SHARES_OF = toFunctionSelector("getWstETHByStETH(uint256)");
const TOTAL_SHARES = toFunctionSelector("getTotalShares()");
const TOTAL_ETHER = toFunctionSelector("getTotalPooledEther()");
const EXTERNAL_SHARES = toFunctionSelector("getExternalShares()");
const EXTERNAL_ETHER = toFunctionSelector("getExternalEther()");
const STAKE_LIMIT = toFunctionSelector("getCurrentStakeLimit()");

/** The amount whose shares are read at every block: an answer off by a unit shows another rate. */
const PROBE = 10n ** 33n + 7n;

/**
 * Lido's staking by wstETH, whose contract is the DEX's `factory`: it stakes the native tokens that
 * it is sent, and gives one wstETH for each share. Only this way is exact. stETH is not listed: its
 * balances move with every report, and a transfer moves whole shares, so that one or two wei less
 * arrive than are sent.
 *
 * The rate is of the ether and the shares inside the pool, without those of external vaults.
 */
export const lidoChain: ChainProtocol = { name: "lido", settings: {}, open };

function open(dex: ChainDex, wrappedNative: Address = NATIVE_ADDRESS): FollowedDex {
  const wstETH = dex.factory.toLowerCase() as Address;
  return {
    dex,
    creationTopics: [],
    decodeCreation: () => undefined,
    configured: [{ resolve: () => resolve(dex, wstETH, wrappedNative) }],
    poolTopics: [],
    applyLog: () => undefined,
    decodeSwap: () => undefined,
    eachBlock: {
      calls: stateCalls,
      apply: (_pool, state, answers) => stateIn(answers, state),
    },
    *read(pool) {
      return stateIn(yield stateCalls(pool));
    },
    shallowRead: stateCalls,
    virtualReserves: (_pool, answers) => wrapperReserves(stateIn(answers)),
    quoteCall: (_pool, from, _to, amountIn) =>
      from === 0
        ? {
            call: callOfWords(wstETH, SHARES_OF, [amountIn]),
            amountOut: (answer) => (answer === undefined ? REFUSED : wordsOf(answer, 1)?.[0]),
          }
        : undefined,
  };
}

function* resolve(
  { id: dexId }: ChainDex,
  wstETH: Address,
  wrappedNative: Address,
): Asking<NewPool | PoolRefusal | undefined> {
  const [answer] = yield [{ to: wstETH, data: ST_ETH }];
  const stETH = addressInWord(answer ?? "");
  if (stETH === undefined || stETH === wstETH || wstETH === wrappedNative) return undefined;
  const constants = new BigUint64Array(STETH_WORDS);
  writeWords(constants, 0, STETH_WORDS, BigInt(stETH));
  return {
    listing: {
      ...{ address: wstETH, dexId, tokens: [wrappedNative, wstETH], curve: wrapper.name },
      ...{ feePips: 0, parameter: 0, constants },
    },
    created: undefined,
  };
}

/** The constants are stETH's address, in three words. */
const STETH_WORDS = 3;
/** Shares are minted to the wei for the ether that comes in. */
const RULE = { counting: COUNTED, virtualShares: 0n, virtualAssets: 0n };

function stateCalls({ address, constants = NO_CONSTANTS }: PoolListing): ReadonlyArray<ChainCall> {
  const stETH = constants.length < STETH_WORDS ? 0n : readWords(constants, 0, STETH_WORDS);
  const to: Address = `0x${stETH.toString(16).padStart(40, "0")}`;
  const selectors = [TOTAL_SHARES, TOTAL_ETHER, EXTERNAL_SHARES, EXTERNAL_ETHER, STAKE_LIMIT];
  const asked = selectors.map((data) => ({ to, data }));
  return [...asked, callOfWords(address, SHARES_OF, [PROBE])];
}

function stateIn(
  answers: ReadonlyArray<CallAnswer>,
  former?: FollowedState,
): FollowedState | PoolRefusal | undefined {
  const words = answers.map((answer) => wordsOf(answer, 1)?.[0]);
  const [totalShares, totalEther, externalShares = 0n, externalEther = 0n, limit, probed] = words;
  if (totalShares === undefined || totalEther === undefined || limit === undefined)
    return undefined;
  const [shares, assets] = [totalShares - externalShares, totalEther - externalEther];
  if (shares <= 0n || assets <= 0n) return undefined;
  if (probed !== (PROBE * shares) / assets) return OUT_OF_PROPORTION;
  return followedWrapper({ ...RULE, shares, assets, depositMax: limit, redeemMax: 0n }, former);
}

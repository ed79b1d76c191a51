import {
  type Address,
  type PoolListing,
  poolKey,
  REFUSED,
  type TokenPosition,
} from "@millrace/core";
import { toEventSelector, toFunctionSelector } from "viem/utils";
import {
  addressesIn,
  areNarrow,
  arrayIn,
  balancerVirtualReserves,
  pricedSwap,
} from "../balancerChain.ts";
import { decodeBalancerState, encodeBalancerState } from "../balancerState.ts";
import {
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  EVERY_POOL,
  type FollowedDex,
  type FollowedState,
  IMPOSSIBLE,
  type LogEffect,
  type LoggedSwap,
  type PoolRefusal,
  type QuoteCall,
} from "../ChainProtocol.ts";
import { addressInWord, callOfWords, wordsOf } from "../chainWords.ts";
import { balancerStable } from "../curves/balancerStable/pool.ts";
import { atV2Rates, v2RateCalls } from "./rates.ts";
import { MANAGED, readV2Pool, resolveV2Pool, v2PoolIdOf, v2StateCalls, v2StateIn } from "./read.ts";
import { balancerV2Settings, openBalancerV2 } from "./settings.ts";

const POOL_REGISTERED = toEventSelector("PoolRegistered(bytes32,address,uint8)");
const SWAP = toEventSelector("Swap(bytes32,address,address,uint256,uint256)");
const BALANCE_CHANGED = toEventSelector(
  "PoolBalanceChanged(bytes32,address,address[],int256[],uint256[])",
);
const BALANCE_MANAGED = toEventSelector(
  "PoolBalanceManaged(bytes32,address,address,int256,int256)",
);
/** Of the Vault, and of a pool. */
const PAUSED_CHANGED = toEventSelector("PausedStateChanged(bool)");
/** Of a pool: it is read again. */
const POOL_CHANGED = [
  PAUSED_CHANGED,
  toEventSelector("SwapFeePercentageChanged(uint256)"),
  toEventSelector("AmpUpdateStarted(uint256,uint256,uint256,uint256)"),
  toEventSelector("AmpUpdateStopped(uint256)"),
  toEventSelector("TokenRateCacheUpdated(uint256,uint256)"),
  toEventSelector("PriceRateCacheUpdated(address,uint256)"),
  toEventSelector("RecoveryModeStateChanged(bool)"),
];
const QUERY_BATCH_SWAP = toFunctionSelector(
  "queryBatchSwap(uint8,(bytes32,uint256,uint256,uint256,bytes)[],address[],(address,bool,address,bool))",
);
/** Where the two arrays of `queryBatchSwap` begin, and the data of its one step, in bytes. */
const STEPS_AT = 224n;
const ASSETS_AT = 480n;
const DATA_AT = 160n;
const WORD_BYTES = 32n;

/**
 * Balancer V2: one Vault holds the tokens of all pools, and emits most of their logs; `factory` is
 * its address. Pools are contracts of many kinds: only those that a configured factory confirms as
 * its own are listed. A pool's own token is left out.
 */
export const balancerV2Chain: ChainProtocol = {
  name: "balancer-v2",
  settings: balancerV2Settings,
  open,
};

function open(dex: ChainDex): FollowedDex {
  const own = openBalancerV2(dex);
  const { vault, clock } = own;
  return {
    dex,
    creationTopics: [POOL_REGISTERED],
    decodeCreation: ({ address, topics, data }) => {
      if (address !== vault || topics[0] !== POOL_REGISTERED || topics.length !== 3)
        return undefined;
      const [, id, pool] = topics as [string, `0x${string}`, string];
      if (wordsOf(id, 1) === undefined || wordsOf(data, 1) === undefined) return undefined;
      return poolKey(id) === addressInWord(pool)
        ? { resolve: () => resolveV2Pool(own, id) }
        : undefined;
    },
    poolTopics: [SWAP, BALANCE_CHANGED, BALANCE_MANAGED, ...POOL_CHANGED],
    sharedLogs: { contracts: [vault], keyOf },
    readsAgain: ({ topics }) => POOL_CHANGED.includes(topics[0]!),
    applyLog: (pool, state, log) =>
      log.address === vault ? applyLog(pool, state, log) : undefined,
    decodeSwap: (pool, log) => {
      const swap = log.address === vault ? swapIn(pool, log) : undefined;
      return swap && { ...swap, priceAfter: 0 };
    },
    eachBlock: {
      calls: (pool) => v2RateCalls(clock, pool),
      apply: (pool, state, answers) =>
        answers.length === 0 ? state : atV2Rates(pool, state, answers),
    },
    read: (pool) => readV2Pool(own, pool),
    shallowRead: (pool) => v2StateCalls(vault, pool),
    virtualReserves: (pool, answers) => {
      const found = v2StateIn(pool, answers);
      return found === undefined || "refused" in found
        ? undefined
        : balancerVirtualReserves(pool, found);
    },
    quoteCall: (pool, positionIn, positionOut, amountIn) =>
      quoteCall(vault, pool, positionIn, positionOut, amountIn),
  };
}

function keyOf({ topics: [topic, id] }: ChainLog): Address | typeof EVERY_POOL | undefined {
  if (topic === PAUSED_CHANGED) return EVERY_POOL;
  return id === undefined || wordsOf(id, 1) === undefined ? undefined : poolKey(id);
}

function applyLog(
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | PoolRefusal | typeof IMPOSSIBLE | undefined {
  switch (log.topics[0]) {
    case SWAP:
      return afterSwap(pool, state, log);
    case BALANCE_CHANGED:
      return afterChange(pool, state, log);
    case BALANCE_MANAGED:
      return log.topics[1] === v2PoolIdOf(pool) ? MANAGED : IMPOSSIBLE;
    default:
      return undefined;
  }
}

type Amounts = Omit<LoggedSwap, "priceAfter">;

/** A swap of two tokens; the position of the pool's own token is -1. */
function amountsIn(pool: PoolListing, { topics, data }: ChainLog): Amounts | undefined {
  if (topics[0] !== SWAP || topics.length !== 4 || topics[1] !== v2PoolIdOf(pool)) return undefined;
  const [amountIn, amountOut] = wordsOf(data, 2) ?? [];
  if (amountIn === undefined || amountOut === undefined) return undefined;
  const tokens = topics.slice(2).map(addressInWord);
  const known = [...pool.tokens, pool.address];
  if (!tokens.every((token) => token !== undefined && known.includes(token))) return undefined;
  const [positionIn, positionOut] = tokens.map((token) => pool.tokens.indexOf(token!));
  return { positionIn: positionIn!, positionOut: positionOut!, amountIn, amountOut };
}

function swapIn(pool: PoolListing, log: ChainLog): Amounts | undefined {
  const found = amountsIn(pool, log);
  if (found === undefined || found.amountIn === 0n || found.amountOut === 0n) return undefined;
  return found.positionIn < 0 || found.positionOut < 0 ? undefined : found;
}

function afterSwap(
  pool: PoolListing,
  state: FollowedState,
  log: ChainLog,
): LogEffect | typeof IMPOSSIBLE {
  const found = amountsIn(pool, log);
  if (found === undefined) return IMPOSSIBLE;
  const changes = pool.tokens.map((_, at) => {
    if (at === found.positionIn) return found.amountIn;
    return at === found.positionOut ? -found.amountOut : 0n;
  });
  const after = withChanges(pool, state, changes);
  const swap = swapIn(pool, log);
  if (after === undefined) return IMPOSSIBLE;
  return swap === undefined
    ? { state: after }
    : { state: after, swap: pricedSwap(pool, after, swap) };
}

/** Joins and exits; their deltas include what the protocol takes. */
function afterChange(
  pool: PoolListing,
  state: FollowedState,
  { topics, data }: ChainLog,
): LogEffect | typeof IMPOSSIBLE {
  if (topics.length !== 3 || topics[1] !== v2PoolIdOf(pool)) return IMPOSSIBLE;
  const tokens = addressesIn(data, 0);
  const deltas = arrayIn(data, 1);
  const fees = arrayIn(data, 2);
  if (tokens === undefined || deltas?.length !== tokens.length) return IMPOSSIBLE;
  if (fees?.length !== tokens.length) return IMPOSSIBLE;
  const changes = pool.tokens.map((token) => {
    const at = tokens.indexOf(token);
    return at < 0 ? 0n : BigInt.asIntN(256, deltas[at]!) - fees[at]!;
  });
  const after = withChanges(pool, state, changes);
  return after === undefined ? IMPOSSIBLE : { state: after };
}

function withChanges(
  { tokens, curve }: PoolListing,
  { words, notes }: FollowedState,
  changes: ReadonlyArray<bigint>,
): FollowedState | undefined {
  const { stable, ...former } = decodeBalancerState(
    words,
    0,
    tokens.length,
    curve === balancerStable.name,
  );
  const balances = former.balances.map((balance, at) => balance + changes[at]!);
  if (!areNarrow(balances)) return undefined;
  const state = encodeBalancerState({ ...former, balances, ...(stable && { stable }) });
  return notes === undefined ? state : { ...state, notes };
}

/** The Vault simulates the swap: `queryBatchSwap` undoes its changes before it answers. */
function quoteCall(
  vault: Address,
  pool: PoolListing,
  positionIn: TokenPosition,
  positionOut: TokenPosition,
  amountIn: bigint,
): QuoteCall {
  const [tokenIn, tokenOut] = [pool.tokens[positionIn]!, pool.tokens[positionOut]!].map(BigInt);
  const id = BigInt(v2PoolIdOf(pool) ?? 0);
  const words = [
    ...[0n, STEPS_AT, ASSETS_AT, 0n, 0n, 0n, 0n],
    ...[1n, WORD_BYTES, id, 0n, 1n, amountIn, DATA_AT, 0n],
    ...[2n, tokenIn!, tokenOut!],
  ];
  return {
    call: callOfWords(vault, QUERY_BATCH_SWAP, words),
    amountOut: (answer) => {
      if (answer === undefined) return REFUSED;
      const deltas = arrayIn(answer, 0);
      const given = deltas?.length === 2 ? -BigInt.asIntN(256, deltas[1]!) : -1n;
      return given < 0n ? undefined : given;
    },
  };
}

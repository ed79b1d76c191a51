import { type Address, type PoolListing, REFUSED, type TokenPosition } from "@millrace/core";
import { toEventSelector, toFunctionSelector } from "viem/utils";
import { balancerVirtualReserves } from "../balancerChain.ts";
import {
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  EVERY_POOL,
  type FollowedDex,
  IMPOSSIBLE,
  type LoggedSwap,
  type QuoteCall,
} from "../ChainProtocol.ts";
import { addressInWord, callOfWords, wordsOf } from "../chainWords.ts";
import { atV3Rates, v3RateCalls } from "./rates.ts";
import { readV3Pool, resolveV3Pool, v3StateCalls, v3StateIn } from "./read.ts";
import { balancerV3Settings, openBalancerV3 } from "./settings.ts";

const POOL_REGISTERED = toEventSelector(
  "PoolRegistered(address,address,(address,uint8,address,bool)[],uint256,uint32,(address,address,address),(bool,bool,bool,bool,bool,bool,bool,bool,bool,bool,address),(bool,bool,bool,bool))",
);
const SWAP = toEventSelector("Swap(address,address,address,uint256,uint256,uint256,uint256)");
const VAULT_PAUSED_CHANGED = toEventSelector("VaultPausedStateChanged(bool)");
/** Logs that name a pool, which is then read again. */
const POOL_CHANGED = [
  SWAP,
  toEventSelector("PoolInitialized(address)"),
  toEventSelector("LiquidityAdded(address,address,uint8,uint256,uint256[],uint256[])"),
  toEventSelector("LiquidityRemoved(address,address,uint8,uint256,uint256[],uint256[])"),
  toEventSelector("PoolPausedStateChanged(address,bool)"),
  toEventSelector("SwapFeePercentageChanged(address,uint256)"),
  toEventSelector("PoolRecoveryModeStateChanged(address,bool)"),
  toEventSelector("AggregateSwapFeePercentageChanged(address,uint256)"),
  toEventSelector("AggregateYieldFeePercentageChanged(address,uint256)"),
  // Of StableSurge.
  toEventSelector("ThresholdSurgePercentageChanged(address,uint256)"),
  toEventSelector("MaxSurgeFeePercentageChanged(address,uint256)"),
];
/** Of a pool. */
const AMP_CHANGED = [
  toEventSelector("AmpUpdateStarted(uint256,uint256,uint256,uint256)"),
  toEventSelector("AmpUpdateStopped(uint256)"),
];
const QUERY_SWAP = toFunctionSelector(
  "querySwapSingleTokenExactIn(address,address,address,uint256,address,bytes)",
);
/** Where the empty data of a query begins, in bytes. */
const DATA_AT = 192n;

/**
 * Balancer V3: one Vault holds the tokens of all pools and keeps their balances; `factory` is its
 * address. Only pools of configured factories are listed. Its logs give amounts, not balances, and
 * fees and yields leave a pool with its swaps. So a pool is read again after each log.
 */
export const balancerV3Chain: ChainProtocol = {
  name: "balancer-v3",
  settings: balancerV3Settings,
  open,
};

function open(dex: ChainDex): FollowedDex {
  const own = openBalancerV3(dex);
  const { vault, router, surgeHooks } = own;
  return {
    dex,
    creationTopics: [POOL_REGISTERED],
    decodeCreation: ({ address, topics }) => {
      if (address !== vault || topics[0] !== POOL_REGISTERED || topics.length !== 3)
        return undefined;
      const [pool, factory] = [addressInWord(topics[1]!), addressInWord(topics[2]!)];
      if (pool === undefined || factory === undefined) return undefined;
      return { resolve: () => resolveV3Pool(own, pool, factory) };
    },
    poolTopics: [...POOL_CHANGED, VAULT_PAUSED_CHANGED, ...AMP_CHANGED],
    sharedLogs: {
      contracts: [vault, ...surgeHooks],
      keyOf: ({ topics: [topic, pool = ""] }) =>
        topic === VAULT_PAUSED_CHANGED ? EVERY_POOL : addressInWord(pool),
    },
    readsAgain: () => true,
    applyLog: () => IMPOSSIBLE,
    decodeSwap: (pool, log) => (log.address === vault ? swapIn(pool, log) : undefined),
    eachBlock: {
      calls: v3RateCalls,
      apply: (pool, state, answers) =>
        answers.length === 0 ? state : atV3Rates(pool, state, answers),
    },
    read: (pool) => readV3Pool(own, pool),
    shallowRead: (pool) => v3StateCalls(vault, pool),
    virtualReserves: (pool, answers) => {
      const found = v3StateIn(pool, answers);
      return found === undefined || "refused" in found
        ? undefined
        : balancerVirtualReserves(pool, found);
    },
    ...(router !== undefined && {
      quoteCall: (pool, positionIn, positionOut, amountIn) =>
        quoteCall(router, pool, positionIn, positionOut, amountIn),
    }),
  };
}

function swapIn({ address, tokens }: PoolListing, log: ChainLog): LoggedSwap | undefined {
  const { topics, data } = log;
  if (topics[0] !== SWAP || topics.length !== 4) return undefined;
  const [pool, tokenIn, tokenOut] = topics.slice(1).map(addressInWord);
  const [amountIn, amountOut] = wordsOf(data, 4) ?? [];
  const positionIn = tokens.indexOf(tokenIn ?? "0x");
  const positionOut = tokens.indexOf(tokenOut ?? "0x");
  if (pool !== address || positionIn < 0 || positionOut < 0 || positionIn === positionOut) {
    return undefined;
  }
  if (!amountIn || !amountOut) return undefined;
  return { positionIn, positionOut, amountIn, amountOut, priceAfter: 0 };
}

/** The router answers queries only in calls without a sender. */
function quoteCall(
  router: Address,
  { address, tokens }: PoolListing,
  positionIn: TokenPosition,
  positionOut: TokenPosition,
  amountIn: bigint,
): QuoteCall {
  const [pool, tokenIn, tokenOut] = [address, tokens[positionIn]!, tokens[positionOut]!].map(
    BigInt,
  );
  const words = [pool!, tokenIn!, tokenOut!, amountIn, 0n, DATA_AT, 0n];
  return {
    call: callOfWords(router, QUERY_SWAP, words),
    amountOut: (answer) => (answer === undefined ? REFUSED : wordsOf(answer, 1)?.[0]),
  };
}

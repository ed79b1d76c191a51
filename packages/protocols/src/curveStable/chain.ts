import { type Address, type PoolListing, REFUSED, type TokenPosition } from "@millrace/core";
import { toEventSelector, toFunctionSelector } from "viem/utils";
import {
  type ChainDex,
  type ChainLog,
  type ChainProtocol,
  type Creation,
  type FollowedDex,
  IMPOSSIBLE,
  type LoggedSwap,
  type QuoteCall,
} from "../ChainProtocol.ts";
import {
  addressInTopic,
  callOfWords,
  firstWordsOf,
  NATIVE_ADDRESS,
  wordsOf,
} from "../chainWords.ts";
import { addressesOf, numberIn } from "./answers.ts";
import { type LoggedPool, resolveNg } from "./ngPools.ts";
import { resolveOld } from "./oldPools.ts";
import {
  type CurveSettings,
  type CurveVersion,
  curveSettings,
  curveSettingsOf,
} from "./settings.ts";
import {
  isNgPool,
  movingState,
  readPool,
  stableSwapReserves,
  stateCalls,
  stateIn,
} from "./states.ts";

const PLAIN_POOL_DEPLOYED = toEventSelector("PlainPoolDeployed(address[],uint256,uint256,address)");
const META_POOL_DEPLOYED = toEventSelector(
  "MetaPoolDeployed(address,address,uint256,uint256,address)",
);
const TOKEN_EXCHANGE = toEventSelector("TokenExchange(address,int128,uint256,int128,uint256)");
const GET_DY = toFunctionSelector("get_dy(int128,int128,uint256)");

const COUNTS = [2, 3, 4, 5, 6, 7, 8];

/** All logs that change a pool. Old contracts have lists of a fixed length in their logs. */
const POOL_TOPICS = [
  TOKEN_EXCHANGE,
  ...[
    "TokenExchangeUnderlying(address,int128,uint256,int128,uint256)",
    "RemoveLiquidityOne(address,int128,uint256,uint256,uint256)",
    "RemoveLiquidityOne(address,uint256,uint256,uint256)",
    "RemoveLiquidityOne(address,uint256,uint256)",
    "RampA(uint256,uint256,uint256,uint256)",
    "StopRampA(uint256,uint256)",
    "ApplyNewFee(uint256,uint256)",
    "ApplyNewFee(uint256)",
    "ApplyNewAdminFee(uint256)",
    "NewFee(uint256,uint256)",
    ...["", ...COUNTS].flatMap((count) => [
      `AddLiquidity(address,uint256[${count}],uint256[${count}],uint256,uint256)`,
      `RemoveLiquidity(address,uint256[${count}],uint256[${count}],uint256)`,
      `RemoveLiquidityImbalance(address,uint256[${count}],uint256[${count}],uint256,uint256)`,
    ]),
  ].map((event) => toEventSelector(event)),
];

/**
 * Pools of Curve's StableSwap: those of a factory of StableSwap-NG, or older ones that are
 * configured with their versions, which nothing else tells.
 *
 * The factory's logs do not give a pool's address; its lists do. Logs of pools give amounts, not
 * balances: so the pool is read again after each. A moves while it ramps, and rates with every
 * block.
 */
export const curveStableChain: ChainProtocol = {
  name: "curve-stable",
  settings: curveSettings,
  open,
};

function open(dex: ChainDex, wrappedNative: Address = NATIVE_ADDRESS): FollowedDex {
  const settings = curveSettingsOf(dex);
  const { pools, oracles } = settings;
  return {
    dex,
    ...(pools === undefined ? ngCreations(dex, settings) : oldCreations(dex, pools, wrappedNative)),
    poolTopics: POOL_TOPICS,
    readsAgain: () => true,
    applyLog: () => IMPOSSIBLE,
    decodeSwap,
    makerIn: addressInTopic(1),
    eachBlock: movingState(oracles),
    read: (pool) => readPool(pool, oracles),
    shallowRead: (pool) => stateCalls(pool, oracles),
    virtualReserves: (pool, answers) => stableSwapReserves(pool, stateIn(pool, answers)),
    quoteCall,
  };
}

type Creations = Pick<FollowedDex, "creationTopics" | "decodeCreation" | "configured">;

function ngCreations(dex: ChainDex, settings: CurveSettings): Creations {
  return {
    creationTopics: [PLAIN_POOL_DEPLOYED, META_POOL_DEPLOYED],
    decodeCreation: (log): Creation | undefined => {
      const logged = log.address === dex.factory.toLowerCase() ? loggedPool(log) : undefined;
      return logged && { resolve: () => resolveNg(dex, settings, logged) };
    },
  };
}

function oldCreations(
  dex: ChainDex,
  pools: ReadonlyArray<readonly [Address, CurveVersion]>,
  wrappedNative: Address,
): Creations {
  return {
    creationTopics: [],
    decodeCreation: () => undefined,
    configured: pools.map(([pool, version]) => ({
      resolve: () => resolveOld(dex, pool, version, wrappedNative),
    })),
  };
}

/** Coins, A, fee and deployer of a plain pool; coin, base pool and the like of a metapool. */
function loggedPool({ topics, data }: ChainLog): LoggedPool | undefined {
  if (topics.length !== 1) return undefined;
  if (topics[0] === META_POOL_DEPLOYED) {
    const coins = addressesOf(wordsOf(data, 5)?.slice(0, 2));
    return coins && { coin: coins[0]!, basePool: coins[1]! };
  }
  const [offset, , , , length] = firstWordsOf(data, 5) ?? [];
  if (topics[0] !== PLAIN_POOL_DEPLOYED || offset !== 128n) return undefined;
  if (length === undefined || length < 2n || length > 8n) return undefined;
  const coins = addressesOf(wordsOf(data, 5 + Number(length))?.slice(5));
  return coins && { coins };
}

function decodeSwap({ tokens }: PoolListing, { topics, data }: ChainLog): LoggedSwap | undefined {
  if (topics[0] !== TOKEN_EXCHANGE || topics.length !== 2) return undefined;
  const [sold, amountIn, bought, amountOut] = wordsOf(data, 4) ?? [];
  if (sold === undefined || amountIn === undefined) return undefined;
  if (bought === undefined || amountOut === undefined) return undefined;
  const count = BigInt(tokens.length);
  if (sold >= count || bought >= count || sold === bought) return undefined;
  if (amountIn === 0n || amountOut === 0n) return undefined;
  const [positionIn, positionOut] = [Number(sold), Number(bought)];
  return { positionIn, positionOut, amountIn, amountOut, priceAfter: 0 };
}

/**
 * No quote for pools without a precision of A: `get_dy` takes their fee from whole units, a swap
 * does not.
 */
function quoteCall(
  pool: PoolListing,
  positionIn: TokenPosition,
  positionOut: TokenPosition,
  amountIn: bigint,
): QuoteCall | undefined {
  if (!isNgPool(pool) && pool.constants?.[0] === 1n) return undefined;
  return {
    call: callOfWords(pool.address, GET_DY, [BigInt(positionIn), BigInt(positionOut), amountIn]),
    amountOut: (answer) => (answer === undefined ? REFUSED : numberIn(answer)),
  };
}

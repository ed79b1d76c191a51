import {
  ADDRESS_BYTES,
  type Address,
  type AppliedBlock,
  type BlockStamp,
  type MarketBlock,
  type PastBlock,
  PoolGraph,
  type PoolIndex,
  parseAddress,
  type SwapEvent,
  type TokenIndex,
} from "@millrace/core";
import { Activity } from "../src/activity/Activity.ts";

/** Tokens of the tests: the first two are anchors; the last two are in no graph. */
export const DECIMALS = [6, 18, 8, 0, 18, 2];
export const TOKENS_IN_GRAPH = 4;
export const TOKENS = DECIMALS.map((_, token) => address(0xa000 + 7 * token));
/** Pairs of tokens, the lower address first; the last two pools are in no graph. */
export const PAIRS = [
  [0, 1],
  [0, 2],
  [1, 2],
  [2, 3],
  [0, 4],
  [3, 4],
  [4, 5],
] as const;
export const POOLS_IN_GRAPH = 5;
export const POOLS = PAIRS.map((_, pool) => address(0xb000 + pool));
export const ANCHORS = [
  { address: TOKENS[0]!, priceUsd: 1.01 },
  { address: TOKENS[1]!, priceUsd: 2_345.67 },
];
export const CHAIN_ID = 1;

function address(number: number): Address {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

export function hashOf(number: number): `0x${string}` {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

/** A graph of nothing but addresses and decimals. */
function addressGraph(stamp: BlockStamp): PoolGraph {
  const graph = new PoolGraph(CHAIN_ID, []);
  graph.stamp = stamp;
  graph.tokenAddresses = new Uint8Array(TOKENS.length * ADDRESS_BYTES);
  graph.tokenDecimals = new Uint8Array(TOKENS.length);
  graph.poolAddresses = new Uint8Array(POOLS.length * ADDRESS_BYTES);
  graph.poolTokenStart = Uint32Array.from(PAIRS, (_, pool) => 2 * pool);
  graph.poolTokens = Uint32Array.from(PAIRS.flat());
  enter(graph, TOKENS_IN_GRAPH, POOLS_IN_GRAPH);
  return graph;
}

/** From now on so many of the tokens and of the pools are in the graph. */
export function enter(graph: PoolGraph, tokenCount: number, poolCount: number): void {
  for (let token = graph.tokenCount; token < tokenCount; token++) {
    parseAddress(TOKENS[token]!, graph.tokenAddresses, token * ADDRESS_BYTES);
    graph.tokenByAddress.add(graph.tokenAddresses, token);
    graph.tokenDecimals[token] = DECIMALS[token]!;
  }
  for (let pool = graph.poolCount; pool < poolCount; pool++) {
    parseAddress(POOLS[pool]!, graph.poolAddresses, pool * ADDRESS_BYTES);
    graph.poolByAddress.add(graph.poolAddresses, pool);
  }
  graph.tokenCount = tokenCount;
  graph.poolCount = poolCount;
}

export interface Prices {
  // Index: token. US dollars of one whole token; 0 when unpriced.
  priceUsd: number[];
}

interface OpenOptions {
  readonly saved?: Uint8Array;
  readonly savedTo?: number;
  readonly tradesMax?: number;
  readonly onLeftAside?: (reason: string) => void;
}

/** Activity on such a graph. Better backed are the tokens that come first. */
export function openActivity(stamp: BlockStamp, prices: Prices, options: OpenOptions = {}) {
  const graph = addressGraph(stamp);
  const activity = new Activity(
    {
      graph,
      anchors: ANCHORS,
      priceUsd: (token) => prices.priceUsd[token] ?? 0,
      backingRank: (token) => (prices.priceUsd[token] === 0 ? Number.POSITIVE_INFINITY : token),
      tradesMax: options.tradesMax ?? 10_000,
      candleBytes: 1 << 20,
      onTaken: () => {},
    },
    {
      saved: options.saved,
      savedTo: options.savedTo ?? Number.POSITIVE_INFINITY,
      onLeftAside:
        options.onLeftAside ??
        ((reason) => {
          throw new Error(reason);
        }),
    },
  );
  return {
    graph,
    activity,
    /** Publishes a block, and waits until it is taken in. */
    publish: (block: PublishedBlock) => {
      graph.stamp = block.stamp;
      activity.follow(applied(block));
      activity.settle();
    },
  };
}

export const token = (index: number) => index as TokenIndex;
export const pool = (index: number) => index as PoolIndex;

export interface PublishedBlock extends PastBlock {
  readonly orphaned?: ReadonlyArray<`0x${string}`>;
  readonly history?: ReadonlyArray<PastBlock>;
  readonly pools?: MarketBlock["pools"];
}

export function applied(published: PublishedBlock): AppliedBlock {
  const block: MarketBlock = {
    dexes: [],
    tokens: [],
    pools: [],
    removedPools: [],
    states: [],
    supplies: [],
    ...published,
  };
  return { stamp: published.stamp, changedPools: [], topologyChanged: false, rejected: [], block };
}

/** A swap of whole tokens, or parts of them, in a pool. */
export function swapOf(
  poolIndex: number,
  sellsToken0: boolean,
  units: readonly [amountIn: bigint, amountOut: bigint],
  transaction: number,
  logIndex: number,
): SwapEvent {
  const [token0, token1] = PAIRS[poolIndex]!;
  return {
    pool: POOLS[poolIndex]!,
    transactionHash: hashOf(transaction),
    logIndex,
    tokenIn: TOKENS[sellsToken0 ? token0 : token1]!,
    tokenOut: TOKENS[sellsToken0 ? token1 : token0]!,
    amountIn: units[0],
    amountOut: units[1],
    priceAfter: 1,
    // Some logs do not say who it was.
    ...(transaction % 3 > 0 && { maker: address(0xc000 + (transaction % 5)) }),
  };
}

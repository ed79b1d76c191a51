import { type Curve, EMPTY_PIECE, type PoolFamily, REFUSED } from "../src/Curve.ts";
import type { Address } from "../src/graph/address.ts";
import type { MarketBlock } from "../src/graph/MarketBlock.ts";
import {
  NO_HASH,
  type PoolIndex,
  type PoolState,
  type TokenIndex,
} from "../src/graph/PoolGraph.ts";

/** The n-th address of a test. */
export function address(n: number): Address {
  return `0x${n.toString(16).padStart(40, "0")}`;
}

/**
 * The simplest family there can be, so that core is tested without its adapters: a pool of any
 * number of tokens that gives `rate` units for each unit, up to `capacity` of input. Parameter:
 * the rate. State: the capacity; an odd one is impossible.
 */
export const fixedRate: Curve = {
  name: "fixed-rate",
  stateWords: () => 1,
  check: (pool, state) => {
    if (pool.parameter < 1) return `a rate of ${pool.parameter}`;
    return state !== undefined && state.words[0]! % 2n === 1n ? "an odd capacity" : undefined;
  },
  open: (graph): PoolFamily => {
    const capacity = (pool: PoolIndex) => graph.stateWords[graph.poolStateStart[pool]!]!;
    const rate = (pool: PoolIndex) => BigInt(graph.poolParameter[pool]!);
    const exactIn = (pool: PoolIndex, _in: number, _out: number, amountIn: bigint) =>
      amountIn > capacity(pool) ? REFUSED : amountIn * rate(pool);
    const exactOut = (pool: PoolIndex, _in: number, _out: number, amountOut: bigint) => {
      const amountIn = (amountOut + rate(pool) - 1n) / rate(pool);
      return amountIn > capacity(pool) ? REFUSED : amountIn;
    };
    return {
      quoteExactIn: exactIn,
      quoteExactOut: exactOut,
      swapExactIn: () => undefined,
      swapExactOut: () => undefined,
      // As good as a straight line.
      pieceAt: (pool, _in, _out, amount, into, at) => {
        const limit = Number(capacity(pool));
        const isBeyond = amount >= limit;
        const output = Number(rate(pool)) * limit;
        into.set([1e60, isBeyond ? 0 : 1e60 * Number(rate(pool)), isBeyond ? Infinity : limit], at);
        into.set(isBeyond ? [limit, output] : [0, 0], at + 3);
      },
      gas: () => 100_000,
      typicalGas: () => 80_000,
      leastGas: 80_000,
      leadingPiece: (pool, _in, _out, into, at) => {
        const limit = Number(capacity(pool));
        if (limit === 0) return into.set(EMPTY_PIECE, at);
        into.set([1e60, 1e60 * Number(rate(pool)), limit, 0], at);
      },
      estimateExactIn: (pool, _in, _out, amountIn) =>
        Math.min(amountIn, Number(capacity(pool))) * Number(rate(pool)),
      estimateExactOut: (pool, _in, _out, amountOut) => {
        const amountIn = amountOut / Number(rate(pool));
        return amountIn > Number(capacity(pool)) ? Number.POSITIVE_INFINITY : amountIn;
      },
      capacityIn: (pool) => Number(capacity(pool)),
      feePips: () => 0,
      midPrice: (pool) => Number(rate(pool)),
      depth: (pool) => Number(capacity(pool)),
      tokenAmounts: (pool) =>
        Array.from({ length: graph.poolTokenCount[pool]! }, () => capacity(pool)),
      priceAndLiquidity: () => ({ sqrtPriceX96: 0n, liquidity: 0n }),
    };
  },
};

const CAPACITY = 1_000_000n;

export function capacityState(capacity: bigint): PoolState {
  return { words: BigUint64Array.of(capacity) };
}

/**
 * A block that adds tokens 1 … tokenCount and one pool for each list of them, at address 100 + n.
 */
export function marketOf(
  tokenCount: number,
  pools: ReadonlyArray<{ tokens: ReadonlyArray<number>; rate?: number; capacity?: bigint }>,
): MarketBlock {
  return {
    ...emptyBlock(1),
    dexes: [{ id: "TEST", name: "Test", protocol: "fixed-rate", factory: address(0) }],
    tokens: Array.from({ length: tokenCount }, (_, n) => ({
      address: address(n + 1),
      decimals: 18,
      symbol: `T${n + 1}`,
      name: `Token ${n + 1}`,
    })),
    pools: pools.map(({ tokens, rate = 1 }, n) => ({
      address: address(100 + n),
      dexId: "TEST",
      tokens: tokens.map(address),
      feePips: 0,
      parameter: rate,
    })),
    states: pools.map(({ capacity = CAPACITY }, n) => ({
      pool: address(100 + n),
      state: capacityState(capacity),
    })),
  };
}

export function emptyBlock(number: number): MarketBlock {
  return {
    stamp: { number, hash: NO_HASH, timestampMs: number * 12_000 },
    dexes: [],
    tokens: [],
    pools: [],
    removedPools: [],
    states: [],
    swaps: [],
    supplies: [],
  };
}

/** The token that `address(n)` became. */
export function token(
  market: { graph: { findToken(address: string): TokenIndex | undefined } },
  n: number,
): TokenIndex {
  const index = market.graph.findToken(address(n));
  if (index === undefined) throw new Error(`no token ${n}`);
  return index;
}

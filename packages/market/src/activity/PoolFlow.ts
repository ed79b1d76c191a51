import type { TradedBlock } from "./TradedBlock.ts";

/** Swaps in one slice of work. */
const SWAPS_A_SLICE = 256;

/** What a block did to one pool and a pair of its tokens, as windows count it. */
export interface PoolFlow {
  pool: number;
  token0: number;
  token1: number;
  /** See `TradedSwap.value`. */
  value: number;
  /** Swaps in which the pool paid out token0, and swaps in which it received token0. */
  buys: number;
  sells: number;
  transactions: number;
  /**
   * A transaction that touches a token counts at its first swap that does; summed over the flows of
   * a token, this is its number of transactions.
   */
  token0Transactions: number;
  token1Transactions: number;
}

/** The flows of a block, mostly one for each pool. */
export function* poolFlows({ swaps }: TradedBlock): Generator<void, PoolFlow[]> {
  const flows: PoolFlow[] = [];
  const flowOfPool = new Map<number, PoolFlow>();
  // Value: the newest transaction that touched the key.
  const poolTouched = new Map<number, number>();
  const tokenTouched = new Map<number, number>();
  const touches = (touched: Map<number, number>, subject: number, transaction: number): 0 | 1 => {
    if (touched.get(subject) === transaction) return 0;
    touched.set(subject, transaction);
    return 1;
  };
  for (let at = 0; at < swaps.length; at++) {
    const { pool, tokenIn, tokenOut, sellsToken0, value, transaction } = swaps[at]!;
    const token0 = sellsToken0 ? tokenIn : tokenOut;
    const token1 = sellsToken0 ? tokenOut : tokenIn;
    let flow = flowOfPool.get(pool);
    // A pool of more than two tokens has a flow for each run of swaps between the same two.
    if (flow === undefined || flow.token0 !== token0 || flow.token1 !== token1) {
      flow = emptyFlow(pool, token0, token1);
      flows.push(flow);
      flowOfPool.set(pool, flow);
    }
    flow.value += value;
    if (sellsToken0) flow.sells++;
    else flow.buys++;
    flow.transactions += touches(poolTouched, pool, transaction);
    flow.token0Transactions += touches(tokenTouched, token0, transaction);
    flow.token1Transactions += touches(tokenTouched, token1, transaction);
    if (at % SWAPS_A_SLICE === 0) yield;
  }
  return flows;
}

/**
 * One flow for each pool and pair, by their numbers; flows that were undone are left out. Changes
 * `flows`.
 */
export function mergedFlows(flows: PoolFlow[]): PoolFlow[] {
  flows.sort((a, b) => a.pool - b.pool || a.token0 - b.token0 || a.token1 - b.token1);
  const merged: PoolFlow[] = [];
  for (const flow of flows) {
    const last = merged.at(-1);
    if (last?.pool === flow.pool && last.token0 === flow.token0 && last.token1 === flow.token1) {
      last.value += flow.value;
      last.buys += flow.buys;
      last.sells += flow.sells;
      last.transactions += flow.transactions;
      last.token0Transactions += flow.token0Transactions;
      last.token1Transactions += flow.token1Transactions;
    } else merged.push(flow);
  }
  return merged.filter(({ buys, sells }) => buys !== 0 || sells !== 0);
}

export function emptyFlow(pool: number, token0: number, token1: number): PoolFlow {
  return {
    pool,
    token0,
    token1,
    value: 0,
    buys: 0,
    sells: 0,
    transactions: 0,
    token0Transactions: 0,
    token1Transactions: 0,
  };
}

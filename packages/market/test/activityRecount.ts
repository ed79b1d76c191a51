import type { PastBlock, SwapEvent } from "@millrace/core";
import {
  ANCHORS,
  DECIMALS,
  PAIRS,
  POOLS,
  POOLS_IN_GRAPH,
  type Prices,
  TOKENS,
  TOKENS_IN_GRAPH,
} from "./activityChain.ts";

/** A block as it was counted: with what its swaps were worth when they were published. */
export interface CountedBlock extends PastBlock {
  readonly values: ReadonlyArray<number>;
}

export interface Counts {
  volumeUsd: number;
  transactions: number;
  buys: number;
  sells: number;
}

const SECONDS = { "5m": 300, "1h": 3_600, "6h": 21_600, "24h": 86_400 } as const;
const stepOf = (timestampMs: number) => Math.floor(timestampMs / 10_000);

/** Ten-thousandths of a dollar: the anchor's side, else that of the better backed token. */
export function valueOf(swap: SwapEvent, { priceUsd }: Prices): number {
  const sides = [
    { index: TOKENS.indexOf(swap.tokenIn), amount: swap.amountIn },
    { index: TOKENS.indexOf(swap.tokenOut), amount: swap.amountOut },
  ].filter(({ index }) => index < TOKENS_IN_GRAPH && priceUsd[index]! > 0);
  const [side] = sides.sort((a, b) => a.index - b.index);
  if (side === undefined) return 0;
  const price = ANCHORS[side.index]?.priceUsd ?? priceUsd[side.index]!;
  return Math.round((Number(side.amount) / 10 ** DECIMALS[side.index]!) * price * 10_000);
}

/** All windows of all pools and tokens of the graph, by a plain recount of the swaps. */
export function recount(blocks: ReadonlyArray<CountedBlock>, headMs: number) {
  const empty = (): Record<keyof typeof SECONDS, Counts> => ({
    "5m": { volumeUsd: 0, transactions: 0, buys: 0, sells: 0 },
    "1h": { volumeUsd: 0, transactions: 0, buys: 0, sells: 0 },
    "6h": { volumeUsd: 0, transactions: 0, buys: 0, sells: 0 },
    "24h": { volumeUsd: 0, transactions: 0, buys: 0, sells: 0 },
  });
  const pools = POOLS.map(empty);
  const tokens = TOKENS.map(empty);
  for (const name of Object.keys(SECONDS) as Array<keyof typeof SECONDS>) {
    const touched = new Set<string>();
    const count = (counts: Counts, key: string, hash: string, isBuy: boolean, value: number) => {
      counts.volumeUsd += value;
      if (isBuy) counts.buys++;
      else counts.sells++;
      if (!touched.has(`${key} ${hash}`)) counts.transactions++;
      touched.add(`${key} ${hash}`);
    };
    for (const { stamp, swaps, values } of blocks) {
      const ageSeconds = 10 * (stepOf(headMs) - stepOf(stamp.timestampMs));
      if (ageSeconds < 0 || ageSeconds >= SECONDS[name]) continue;
      for (const [at, swap] of swaps.entries()) {
        const pool = POOLS.indexOf(swap.pool);
        const [token0, token1] = PAIRS[pool]!;
        const isBuy = swap.tokenOut === TOKENS[token0];
        const hash = swap.transactionHash;
        count(pools[pool]![name], `pool ${pool}`, hash, isBuy, values[at]!);
        count(tokens[token0]![name], `token ${token0}`, hash, isBuy, values[at]!);
        count(tokens[token1]![name], `token ${token1}`, hash, !isBuy, values[at]!);
      }
    }
  }
  for (const windows of [...pools, ...tokens]) {
    for (const counts of Object.values(windows)) counts.volumeUsd /= 10_000;
  }
  return { pools: pools.slice(0, POOLS_IN_GRAPH), tokens: tokens.slice(0, TOKENS_IN_GRAPH) };
}

/** Of a base token: which side, and what was paid of the other for one of it. */
function sideOf(swap: SwapEvent, base: number): { side: "buy" | "sell"; price: number } {
  const quote = TOKENS.indexOf(swap.tokenOut === TOKENS[base] ? swap.tokenIn : swap.tokenOut);
  const side = swap.tokenOut === TOKENS[base] ? "buy" : "sell";
  const [baseAmount, quoteAmount] =
    side === "buy" ? [swap.amountOut, swap.amountIn] : [swap.amountIn, swap.amountOut];
  const isKnown = quote < TOKENS_IN_GRAPH && baseAmount > 0n;
  const paid = Number(quoteAmount) / 10 ** DECIMALS[quote]!;
  return { side, price: isKnown ? paid / (Number(baseAmount) / 10 ** DECIMALS[base]!) : 0 };
}

/** Trades of each pool and of each token of the graph, the newest first. */
export function tradesOf(blocks: ReadonlyArray<CountedBlock>) {
  const swapped = blocks
    .toSorted((a, b) => a.stamp.number - b.stamp.number)
    .flatMap(({ stamp, swaps, values }) =>
      swaps.map((swap, at) => ({ stamp, swap, valueUsd: values[at]! / 10_000 })),
    )
    .reverse();
  const seenFrom =
    (base: number) =>
    ({ stamp, swap, valueUsd }: (typeof swapped)[number]) => ({
      id: `${stamp.number}-${swap.logIndex}`,
      stamp,
      pool: swap.pool,
      transactionHash: swap.transactionHash,
      tokenIn: swap.tokenIn,
      tokenOut: swap.tokenOut,
      amountIn: swap.amountIn,
      amountOut: swap.amountOut,
      valueUsd,
      ...sideOf(swap, base),
      ...(swap.maker !== undefined && { maker: swap.maker }),
      logIndex: swap.logIndex,
    });
  return {
    pools: POOLS.slice(0, POOLS_IN_GRAPH).map((pool, at) =>
      swapped.filter(({ swap }) => swap.pool === pool).map(seenFrom(PAIRS[at]![0])),
    ),
    tokens: TOKENS.slice(0, TOKENS_IN_GRAPH).map((token, at) =>
      swapped
        .filter(({ swap }) => swap.tokenIn === token || swap.tokenOut === token)
        .map(seenFrom(at)),
    ),
  };
}

import {
  type Assumption,
  bookOf,
  type OpenMarket,
  type PoolIndex,
  type PoolState,
  pathsOf,
  type QuoteRequest,
  readWords,
  readWords2,
  type TokenIndex,
  writeWords,
} from "@millrace/core";
import { encodeReserves } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import { livePools } from "./changedMarket.ts";

/** Random requests on a market, and random assumptions that affect them. */

/** The limit of a pair's reserves, for either rounding rule. */
const RESERVE_END = 1n << 112n;

/** A trade between two tokens of one pool, or of two: between dust and more than the pool takes. */
export function randomRequest(market: OpenMarket, random: RandomSource): QuoteRequest {
  const { graph, families } = market;
  const pools = livePools(market);
  const [first, second] = [random.pick(pools), random.pick(pools)];
  const tokenIn = graph.poolToken(first, random.integer(2));
  const other = graph.poolToken(second, random.integer(2));
  const tokenOut = other === tokenIn ? partner(market, first, tokenIn) : other;
  const kind = random.pick(["exactIn", "exactIn", "exactOut"] as const);
  const held = (pool: PoolIndex, token: TokenIndex) =>
    families[graph.poolCurve[pool]!]!.tokenAmounts(pool)[graph.poolPosition(pool, token)] ?? 0n;
  const most = kind === "exactIn" ? held(first, tokenIn) : held(second, other);
  const amount = 1n + most / random.pick([1n << 60n, 10_000n, 1_000n, 100n, 10n, 10n, 2n]);
  const maxSplits = random.pick([undefined, 1, 3, 8]);
  const withoutPools = [random.pick(pools), random.pick(pools)];
  return {
    tokenIn,
    tokenOut,
    kind,
    amount,
    maxHops: 1 + random.integer(4),
    ...(maxSplits !== undefined && { maxSplits }),
    ...(random.integer(8) === 0 && { filter: { withoutPools } }),
  };
}

/** One to six assumptions, most of them on pools of the request's own route; some impossible. */
export function randomAssumptions(
  market: OpenMarket,
  request: QuoteRequest,
  random: RandomSource,
): ReadonlyArray<Assumption> {
  const route = market.router.quote(request);
  const steps = route.found ? route.steps : [];
  const near = steps.length > 0 ? steps.map(({ pool }) => pool) : livePools(market);
  const assumptions: Assumption[] = [];
  if (route.found && random.integer(3) === 0) {
    for (const path of pathsOf(route)) assumptions.push(...path.map(swappedBy));
  }
  const more = random.integer(4) + (assumptions.length === 0 ? 1 : 0);
  for (let count = 0; count < more; count++) {
    const pool = random.integer(4) === 0 ? random.pick(livePools(market)) : random.pick(near);
    assumptions.push(randomAssumption(market, pool, random));
  }
  return assumptions;
}

/** The state of a pool after a step of a quote. */
export function swappedBy({
  pool,
  tokenIn,
  tokenOut,
  amountIn,
}: Omit<Extract<Assumption, { kind: "swapped" }>, "kind">): Assumption {
  return { kind: "swapped", pool, tokenIn, tokenOut, amountIn };
}

function randomAssumption(market: OpenMarket, pool: PoolIndex, random: RandomSource): Assumption {
  const kind = random.pick(["poolRemoved", "poolState", "swapped", "swapped"] as const);
  if (kind === "poolRemoved") return { kind, pool };
  if (kind === "poolState") return { kind, pool, state: randomState(market, pool, random) };
  const { graph } = market;
  const position = random.integer(2);
  const tokenIn = graph.poolToken(pool, position);
  const held = market.families[graph.poolCurve[pool]!]!.tokenAmounts(pool)[position]!;
  const amountIn = random.pick([1n, held / 1000n, held / 30n, held / 3n, held * 3n]) + 1n;
  return { kind, pool, tokenIn, tokenOut: partner(market, pool, tokenIn), amountIn };
}

function partner({ graph }: OpenMarket, pool: PoolIndex, token: TokenIndex): TokenIndex {
  return graph.poolToken(pool, graph.poolPosition(pool, token) === 0 ? 1 : 0);
}

/** Empty, impossible, or a little or a lot away from the pool's own. */
export function randomState(market: OpenMarket, pool: PoolIndex, random: RandomSource): PoolState {
  const { graph, curves, families } = market;
  const curve = curves[graph.poolCurve[pool]!]!;
  const { name } = curve;
  const stateWords = curve.stateWords(graph.poolTokenCount[pool]!);
  const start = graph.poolStateStart[pool]!;
  const words = graph.stateWords.slice(start, start + stateWords);
  const form = random.integer(12);
  if (form === 0) return { words: new BigUint64Array(stateWords) };
  if (form === 1) return { words: words.fill(2n ** 64n - 1n) };
  const [part, whole] = [BigInt(1 + random.integer(20)), random.pick([10n, 10n, 1000n])];
  if (name === "constant-product") {
    const [reserve0, reserve1] = [readWords2(words, 0), readWords2(words, 2)];
    const moved = (reserve: bigint) => (reserve + (reserve * part) / whole) % RESERVE_END;
    return encodeReserves(
      random.integer(2) === 0 ? [moved(reserve0), reserve1] : [moved(reserve0), moved(reserve1)],
    );
  }
  // The price after a swap, in the pool's own book, or with a part of all liquidity.
  const family = families[graph.poolCurve[pool]!]!;
  const position = random.integer(2);
  const amountIn = 1n + (family.tokenAmounts(pool)[position]! * part) / (whole * 10n);
  const state = family.swapExactIn(pool, position, 1 - position, amountIn)?.state ?? { words };
  if (form < 6) return state;
  const shrunk = state.words.slice();
  writeWords(shrunk, 3, 2, readWords(shrunk, 3, 2) / part);
  const { keys, words: nets } = bookOf(graph, pool);
  const book = { keys: keys.slice(), words: nets.slice() };
  for (let place = 0; place < keys.length; place++) {
    const net = (nets[2 * place + 1]! << 64n) | BigInt.asUintN(64, nets[2 * place]!);
    book.words[2 * place] = BigInt.asIntN(64, net / part);
    book.words[2 * place + 1] = (net / part) >> 64n;
  }
  return { words: shrunk, book };
}

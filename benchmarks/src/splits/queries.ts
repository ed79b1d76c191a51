import { type MarketBlock, type OpenMarket, openMarket, type TokenIndex } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { deepestHolding } from "../market.ts";
import { SeededRandom } from "../SeededRandom.ts";

const SEED = 20_261_120;
/** Generated markets list their hubs first. */
const HUB_COUNT = 5;
/** At most this many pools link the tokens of a pair, so that every configuration has a path. */
const LINK_HOPS = 3;

/** Inputs of trades, as parts of a pool's holding of the token; see `SizedBy`. */
export const TRADE_SIZES = [
  { name: "0.01%", divisor: 10_000n },
  { name: "1%", divisor: 100n },
  { name: "10%", divisor: 10n },
] as const;

/**
 * The pool that sizes a trade: the first pool on the best path of a small trade, or the token's
 * deepest pool. The deepest may trade against another token; then the trade is often far too large
 * for the pair's own pools.
 */
export type SizedBy = "entered" | "deepest";

export const PAIR_KINDS = ["hub-to-hub", "hub-to-any", "any-to-hub", "any-to-any"] as const;

/** At this count every hub trades against every other hub once. */
const PAIR_COUNT_MAX = PAIR_KINDS.length * HUB_COUNT * (HUB_COUNT - 1);

export interface SplitQuery {
  readonly tokenIn: TokenIndex;
  readonly tokenOut: TokenIndex;
  readonly amount: bigint;
  readonly size: (typeof TRADE_SIZES)[number]["name"];
  readonly pairKind: (typeof PAIR_KINDS)[number];
}

/** A market of constant-product pools only, for which a ceiling is known. */
export function constantProductBlock(poolCount: number): MarketBlock {
  return generateMarketBlock({ seed: SEED, poolCount, families: ["constant-product"] });
}

export function openBlock(block: MarketBlock, gasLimit?: number): OpenMarket {
  const market = openMarket(1, curves, gasLimit === undefined ? {} : { gasLimit });
  market.writer.applyBlock(block);
  return market;
}

/**
 * Every trade size for each of `pairCount` pairs. The kinds of pairs take turns; their tokens are
 * drawn at random.
 */
export function splitQueries(
  market: OpenMarket,
  pairCount: number,
  sizedBy: SizedBy,
): ReadonlyArray<SplitQuery> {
  if (pairCount > PAIR_COUNT_MAX) throw new RangeError(`${pairCount} pairs`);
  const random = new SeededRandom(SEED);
  const queries: SplitQuery[] = [];
  const drawn = new Set<string>();
  for (let pair = 0; pair < pairCount; ) {
    const pairKind = PAIR_KINDS[pair % PAIR_KINDS.length]!;
    const [tokenIn, tokenOut] = drawPair(market, random, pairKind);
    if (drawn.has(`${tokenIn} ${tokenOut}`)) continue;
    drawn.add(`${tokenIn} ${tokenOut}`);
    pair++;
    const deepest = deepestHolding(market, tokenIn);
    const held =
      sizedBy === "deepest" ? deepest : enteredHolding(market, tokenIn, tokenOut, deepest);
    for (const { name, divisor } of TRADE_SIZES) {
      queries.push({ tokenIn, tokenOut, amount: held / divisor, size: name, pairKind });
    }
  }
  return queries;
}

function drawPair(
  market: OpenMarket,
  random: SeededRandom,
  kind: SplitQuery["pairKind"],
): readonly [TokenIndex, TokenIndex] {
  const { tokenCount } = market.graph;
  for (;;) {
    const tokenIn = random.below(kind.startsWith("hub") ? HUB_COUNT : tokenCount) as TokenIndex;
    const tokenOut = random.below(kind.endsWith("hub") ? HUB_COUNT : tokenCount) as TokenIndex;
    if (tokenIn !== tokenOut && isLinked(market, tokenIn, tokenOut)) return [tokenIn, tokenOut];
  }
}

/** Whether at most LINK_HOPS pools lead from one token to the other. */
function isLinked({ graph }: OpenMarket, from: TokenIndex, to: TokenIndex): boolean {
  let reached = new Set<number>([from]);
  for (let hops = 0; hops < LINK_HOPS && !reached.has(to); hops++) {
    const further = new Set(reached);
    for (const token of reached) {
      const end = graph.slotEnd[token]!;
      for (let slot = graph.slotStart[token]!; slot < end; slot++) {
        further.add(graph.slotNeighbour[slot]!);
      }
    }
    reached = further;
  }
  return reached.has(to);
}

/**
 * The holding of the first pool on the best path for a hundred-thousandth of the deepest holding.
 */
function enteredHolding(
  { graph, families, router }: OpenMarket,
  tokenIn: TokenIndex,
  tokenOut: TokenIndex,
  deepest: bigint,
): bigint {
  const amount = deepest / 100_000n;
  const path = router.quote({ tokenIn, tokenOut, kind: "exactIn", amount, maxHops: LINK_HOPS });
  if (!path.found) throw new RangeError(`no path from ${tokenIn} to ${tokenOut}`);
  const { pool } = path.steps[0]!;
  const held = families[graph.poolCurve[pool]!]!.tokenAmounts(pool);
  return held[graph.poolPosition(pool, tokenIn)]!;
}

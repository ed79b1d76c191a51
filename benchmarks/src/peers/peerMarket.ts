import {
  type OpenMarket,
  openMarket,
  type PoolGraph,
  type PoolIndex,
  type QuoteRequest,
  type TokenIndex,
} from "@millrace/core";
import { constantProduct, curves } from "@millrace/protocols";
import { type GeneratedFamily, generateMarketBlock } from "@millrace/replay";
import { deepestHolding } from "../market.ts";
import { SeededRandom } from "../SeededRandom.ts";
import { TRADE_SIZES, type TradeSize } from "./libraries.ts";

export interface PeerMarketOptions {
  readonly seed: number;
  readonly poolCount: number;
  readonly families: ReadonlyArray<GeneratedFamily>;
  /** The one fee that the peer has for all pools of x·y = k. */
  readonly constantProductFeePips: number;
}

export const HOPS = 3;
/** Generated markets list their hubs first. */
const HUB_COUNT = 5;
/**
 * The peers name a pool by its tokens and fee alone, so they know one factory of each family: they
 * would take pools of another factory for pools of these.
 */
const DEXES = ["UNISWAP_V2", "UNISWAP_V3"];
/** A little less than these DEXes' part of generated pools. */
const KEPT_SHARE = 0.75;

export interface PeerQuery {
  readonly size: TradeSize;
  readonly request: QuoteRequest;
}

export interface PeerQueryOptions {
  readonly seed: number;
  /** Pairs of tokens, each with every size of trade. */
  readonly pairCount: number;
  readonly maxSplits: number;
}

/** A generated market of pools that the peers can name. */
export function openPeerMarket(options: PeerMarketOptions): OpenMarket {
  const { seed, poolCount, families, constantProductFeePips } = options;
  const drawn = generateMarketBlock({
    seed,
    poolCount: Math.ceil(poolCount / KEPT_SHARE),
    families,
  });
  const pools = drawn.pools
    .filter(({ dexId }) => DEXES.includes(dexId))
    .slice(0, poolCount)
    .map((pool) =>
      pool.dexId === "UNISWAP_V2" ? { ...pool, feePips: constantProductFeePips } : pool,
    );
  if (pools.length < poolCount) throw new RangeError(`${pools.length} pools of ${poolCount}`);
  const kept = new Set(pools.map(({ address }) => address));
  const traded = new Set(pools.flatMap(({ tokens }) => tokens));
  const market = openMarket(1, curves);
  market.writer.applyBlock({
    ...drawn,
    tokens: drawn.tokens.filter(({ address }) => traded.has(address)),
    pools,
    states: drawn.states.filter(({ pool }) => kept.has(pool)),
    supplies: [],
  });
  return market;
}

/** The tokens that most of the market's pools trade against. */
export const HUBS: ReadonlyArray<TokenIndex> = Array.from(
  { length: HUB_COUNT },
  (_, index) => index as TokenIndex,
);

/** True for a pool of x·y = k. */
export function isConstantProduct({ graph }: OpenMarket, pool: PoolIndex): boolean {
  return graph.curveNames[graph.poolCurve[pool]!] === constantProduct.name;
}

/** The two tokens of a pool. */
export function tokensOf(graph: PoolGraph, pool: PoolIndex): readonly [TokenIndex, TokenIndex] {
  return [graph.poolToken(pool, 0), graph.poolToken(pool, 1)];
}

/**
 * Trades of every size: between two hubs, from a hub to another token, back, and between two other
 * tokens, in turn.
 */
export function peerQueries(
  market: OpenMarket,
  { seed, pairCount, maxSplits }: PeerQueryOptions,
): ReadonlyArray<PeerQuery> {
  const random = new SeededRandom(seed);
  const hub = () => random.below(HUB_COUNT);
  const other = () => HUB_COUNT + random.below(market.graph.tokenCount - HUB_COUNT);
  const kinds = [
    [hub, hub],
    [hub, other],
    [other, hub],
    [other, other],
  ] as const;
  const queries: PeerQuery[] = [];
  while (queries.length < pairCount * TRADE_SIZES.length) {
    const [drawIn, drawOut] = kinds[(queries.length / TRADE_SIZES.length) % kinds.length]!;
    const tokenIn = drawIn() as TokenIndex;
    const tokenOut = drawOut() as TokenIndex;
    if (tokenIn === tokenOut) continue;
    const deepest = deepestHolding(market, tokenIn);
    for (const { name, divisor } of TRADE_SIZES) {
      const amount = deepest / divisor;
      queries.push({
        size: name,
        request: { tokenIn, tokenOut, kind: "exactIn", amount, maxHops: HOPS, maxSplits },
      });
    }
  }
  return queries;
}

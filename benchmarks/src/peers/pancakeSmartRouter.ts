import { type OpenMarket, type PoolIndex, type TokenIndex, tickAtSqrtRatio } from "@millrace/core";
import { CurrencyAmount, ERC20Token, Percent, TradeType } from "@pancakeswap/sdk";
import { PoolType, SmartRouter } from "@pancakeswap/smart-router";
import { TICK_SPACINGS, Tick } from "@pancakeswap/v3-sdk";
import { getAddress } from "viem";
import type { Candidates } from "./candidates.ts";
import type { Peer, PeerAnswer } from "./Peer.ts";
import { HOPS, HUBS, isConstantProduct, tokensOf } from "./peerMarket.ts";
import { ticksOf } from "./ticksOf.ts";

// The library finds a pool's tick spacing by its fee and knows only PancakeSwap's fees. This line
// adds Uniswap's 0.3 %, the fee of most pools of the market.
Object.assign(TICK_SPACINGS, { 3000: 60 });

/**
 * `@pancakeswap/smart-router`: `SmartRouter.getBestTrade`, quotes off the chain. The pool provider
 * works as the library's own does on a chain: of the pools between any two of the request's tokens
 * and the bases, it takes those that the library's selectors choose with their defaults. That
 * happens within the search and is timed. The library splits in its default steps of 5 %, over as
 * many paths as ours; gas costs nothing, as in our quotes. `quoterOptimization` is off, since it
 * only waits for a timer between portions of the work.
 */
export function openPancakeSmartRouter(market: OpenMarket, candidates: Candidates): Peer {
  const tokens = tokensFor(market);
  const pools = poolsFor(market, tokens);
  const quoteProvider = SmartRouter.createOffChainQuoteProvider();
  return {
    prepare: (request) => {
      const tokenIn = tokens[request.tokenIn]!;
      const tokenOut = tokens[request.tokenOut]!;
      const amount = CurrencyAmount.fromRawAmount(tokenIn, request.amount);
      const known = candidates(market, request).map((pool) => pools[pool]!);
      const config = {
        gasPriceWei: 0n,
        maxHops: HOPS,
        maxSplits: request.maxSplits ?? 1,
        poolProvider: selectingProvider(known),
        quoteProvider,
        quoterOptimization: false,
      };
      return async () => {
        const { getBestTrade } = SmartRouter;
        const trade = await getBestTrade(amount, tokenOut, TradeType.EXACT_INPUT, config);
        return () => (trade === null ? undefined : answerOf(trade));
      };
    },
  };
}

type Trade = NonNullable<Awaited<ReturnType<typeof SmartRouter.getBestTrade>>>;

function answerOf(trade: Trade): PeerAnswer {
  return {
    routes: trade.routes.map(({ inputAmount, pools }) => ({
      amountIn: inputAmount.quotient,
      pools: pools.map((pool) => (pool as Indexed).poolIndex),
    })),
    claimed: trade.outputAmount.quotient,
  };
}

function selectingProvider(pools: ReadonlyArray<KnownPool>) {
  const asked = SmartRouter.createStaticPoolProvider([...pools]);
  return {
    getCandidatePools: async (options: Parameters<typeof asked.getCandidatePools>[0]) => {
      // Only the gas model names pairs.
      if (options.pairs !== undefined) return asked.getCandidatePools(options);
      const { currencyA, currencyB } = options;
      const v2Pools = pools.filter((pool) => pool.type === PoolType.V2);
      const v3Pools = pools.filter((pool) => pool.type === PoolType.V3);
      return [
        ...SmartRouter.v2PoolTvlSelector(currencyA, currencyB, v2Pools),
        ...SmartRouter.v3PoolTvlSelector(currencyA, currencyB, v3Pools),
      ];
    },
  };
}

/** The library passes on unknown fields of pools. */
type Indexed = Parameters<typeof SmartRouter.getPoolAddress>[0] & { readonly poolIndex: PoolIndex };

/** Index: token. */
function tokensFor({ graph }: OpenMarket): ReadonlyArray<ERC20Token> {
  return Array.from({ length: graph.tokenCount }, (_, token) => {
    const address = getAddress(graph.tokenAddress(token as TokenIndex));
    return new ERC20Token(graph.chainId, address, graph.tokenDecimals[token]!, `T${token}`);
  });
}

type KnownPool = ReturnType<typeof poolsFor>[number];

/** Index: pool. */
function poolsFor(market: OpenMarket, tokens: ReadonlyArray<ERC20Token>) {
  return Array.from({ length: market.graph.poolCount }, (_, index) => {
    const pool = index as PoolIndex;
    const common = { poolIndex: pool, tvlUSD: dollarsIn(market, pool) };
    return isConstantProduct(market, pool)
      ? { ...common, ...v2Pool(market, pool, tokens) }
      : { ...common, ...v3Pool(market, pool, tokens) };
  });
}

function v2Pool({ graph, families }: OpenMarket, pool: PoolIndex, tokens: readonly ERC20Token[]) {
  const [token0, token1] = tokensOf(graph, pool);
  const [reserve0, reserve1] = families[graph.poolCurve[pool]!]!.tokenAmounts(pool);
  return {
    type: PoolType.V2 as const,
    reserve0: CurrencyAmount.fromRawAmount(tokens[token0]!, reserve0!),
    reserve1: CurrencyAmount.fromRawAmount(tokens[token1]!, reserve1!),
  };
}

function v3Pool({ graph, families }: OpenMarket, pool: PoolIndex, tokens: readonly ERC20Token[]) {
  const [token0, token1] = tokensOf(graph, pool);
  const family = families[graph.poolCurve[pool]!]!;
  const { sqrtPriceX96, liquidity } = family.priceAndLiquidity(pool);
  return {
    type: PoolType.V3 as const,
    token0: tokens[token0]!,
    token1: tokens[token1]!,
    fee: graph.poolFeePips[pool]!,
    liquidity,
    sqrtRatioX96: sqrtPriceX96,
    tick: tickAtSqrtRatio(sqrtPriceX96),
    address: getAddress(graph.poolAddress(pool)),
    token0ProtocolFee: NO_PROTOCOL_FEE,
    token1ProtocolFee: NO_PROTOCOL_FEE,
    ticks: ticksOf(graph, pool).map((tick) => new Tick(tick)),
  };
}

const NO_PROTOCOL_FEE = new Percent(0);
/** A hub that is a stablecoin, and its smallest units in a dollar. */
const DOLLAR = HUBS[1]!;
const DOLLAR_UNITS = 1e6;

/** The value of a pool's holdings at the graph's prices, by which the selectors choose. */
function dollarsIn({ graph, families }: OpenMarket, pool: PoolIndex): bigint {
  const held = families[graph.poolCurve[pool]!]!.tokenAmounts(pool);
  const value = tokensOf(graph, pool).reduce(
    (sum, token, position) => sum + Number(held[position]!) * graph.tokenPotential[token]!,
    0,
  );
  return BigInt(Math.floor(value / graph.tokenPotential[DOLLAR]! / DOLLAR_UNITS));
}

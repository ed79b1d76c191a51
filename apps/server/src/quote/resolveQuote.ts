import { ALL_DEXES, isNativeToken, mostPathsOf } from "@millrace/api";
import type {
  QuoteRequest as MarketRequest,
  PoolFilter,
  PoolIndex,
  QuoteKind,
} from "@millrace/core";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import { gasPriceOf, type PricedRequest } from "./PricedRequest.ts";
import type { QuoteMarket, QuoteNetwork } from "./QuoteMarket.ts";
import { nothingExecutable, unknownDex, unknownPool, unknownToken } from "./refusals.ts";
import { writeWrapping } from "./writeQuote.ts";

/**
 * The request in terms of the market, or an answer where there is nothing to search. Valid as long
 * as no pool comes or goes.
 */
export function resolveQuote(
  network: QuoteNetwork,
  market: QuoteMarket,
  request: PricedRequest,
): MarketRequest | Answer {
  const { tokenA, tokenB, amountIn, amountOut, maxHops, certify, gapBps } = request;
  const { graph } = market.engine;
  const wrapped = network.config.wrappedNative ?? "";
  const tokenIn = graph.findToken(isNativeToken(tokenA) ? wrapped : tokenA);
  if (tokenIn === undefined) return unknownToken(network, tokenA);
  const tokenOut = graph.findToken(isNativeToken(tokenB) ? wrapped : tokenB);
  if (tokenOut === undefined) return unknownToken(network, tokenB);
  const kind = amountIn === undefined ? "exactOut" : "exactIn";
  const filter = filterFor(network, market, kind, request);
  if (filter !== undefined && "status" in filter) return filter;
  if (filter?.dexSets?.length === 0 && tokenIn !== tokenOut) {
    return nothingExecutable(network, market);
  }
  if (amountIn === "0" || amountOut === "0") {
    return problemAnswer("AMOUNT_TOO_SMALL", "An amount of 0 buys nothing");
  }
  if (tokenIn === tokenOut) return writeWrapping(market, request);
  return {
    tokenIn,
    tokenOut,
    kind,
    amount: BigInt(amountIn ?? amountOut ?? ""),
    maxHops,
    maxSplits: mostPathsOf(request),
    certify,
    gapBps,
    filter,
    gasPrice: gasPriceOf(market.engine, wrapped, { tokenIn, tokenOut, kind }, request),
  };
}

/** The options of a request that limit the pools of its route. */
type RouteOptions = Pick<PricedRequest, "dexId" | "excludeDexIds" | "excludePools" | "executable">;

/**
 * The pools that a request's options and the network's routers allow; undefined where all are
 * allowed, and an answer where an option names something unknown.
 */
export function filterFor(
  network: QuoteNetwork,
  market: QuoteMarket,
  kind: QuoteKind,
  options: RouteOptions,
): PoolFilter | Answer | undefined {
  const filter = filterOf(network, market, options);
  if (filter !== undefined && "status" in filter) return filter;
  const dexSets = executableSets(market, kind, options);
  return dexSets === undefined ? filter : { ...filter, dexSets };
}

/**
 * The sets of DEXes to which a route has to keep so that one router can execute it; undefined where
 * any DEX will do. By default a route has to keep to them where a swap could be sent.
 */
function executableSets(
  { chain, engine, routers }: QuoteMarket,
  kind: QuoteKind,
  { executable }: RouteOptions,
): PoolFilter["dexSets"] {
  if (executable === false || (executable === undefined && chain === undefined)) return undefined;
  if (routers === undefined) return executable === true ? [] : undefined;
  const sets = routers.dexSets(engine.graph, kind);
  return executable === undefined && sets?.length === 0 ? undefined : sets;
}

/** The pools that the request's options allow; an answer where one names something unknown. */
function filterOf(
  network: QuoteNetwork,
  market: QuoteMarket,
  { dexId, excludeDexIds, excludePools }: RouteOptions,
): PoolFilter | Answer | undefined {
  if (dexId === ALL_DEXES && excludeDexIds === undefined && excludePools === undefined) {
    return undefined;
  }
  const filter: { -readonly [K in keyof PoolFilter]: PoolFilter[K] } = {};
  if (dexId !== ALL_DEXES) {
    const dex = market.labels.findDex(dexId);
    if (dex === undefined) return unknownDex(network, dexId);
    filter.onlyDexes = [dex];
  }
  const withoutDexes: number[] = [];
  for (const id of excludeDexIds ?? []) {
    const dex = market.labels.findDex(id);
    if (dex === undefined) return unknownDex(network, id);
    withoutDexes.push(dex);
  }
  const withoutPools: PoolIndex[] = [];
  for (const address of excludePools ?? []) {
    const pool = market.engine.graph.findPool(address);
    if (pool === undefined) return unknownPool(network, address);
    withoutPools.push(pool);
  }
  if (withoutDexes.length > 0) filter.withoutDexes = withoutDexes;
  if (withoutPools.length > 0) filter.withoutPools = withoutPools;
  return filter;
}

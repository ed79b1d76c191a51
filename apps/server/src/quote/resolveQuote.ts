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
 * The request as the market understands it; the answer where there is nothing to search. True for
 * as long as no pool comes or goes.
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

/** What of a request that limit the pools of its route. */
type RouteOptions = Pick<PricedRequest, "dexId" | "excludeDexIds" | "excludePools" | "executable">;

/**
 * What a request's options, and the routers of the network, leave of the market; undefined where
 * that is all, and an answer where an option names nothing.
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
 * The DEXes that a route has to keep to for one router to execute it; undefined where it need not,
 * or where that is all of them. Unless the request says, it has to where a swap could be sent.
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

/** What the request's options leave of the market; an answer when one of them names nothing. */
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

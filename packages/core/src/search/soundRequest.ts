import type { PoolGraph, PoolIndex, TokenIndex } from "../graph/PoolGraph.ts";
import {
  asRequestError,
  invalidArgument,
  isIndex,
  isSwapAmount,
  listOf,
  noSuchToken,
} from "./arguments.ts";
import { GAP_BPS_MAX, GAP_BPS_MIN, HOPS_MAX, type PoolFilter, type QuoteRequest } from "./quote.ts";

const GAS_PRICE_MAX = 2 ** 256;
/** Longer lists are a mistake: no market has so many pools. */
const POOLS_MAX = 2 ** 20;
const DEXES_MAX = 2 ** 16;
/** Each set costs a search. */
const DEX_SETS_MAX = 64;

/**
 * A checked copy of a request as it is now. Throws a QuoteRequestError that says what is invalid.
 */
export function soundRequest(graph: PoolGraph, request: QuoteRequest): QuoteRequest {
  if (typeof request !== "object" || request === null) {
    throw invalidArgument("request", "an object is expected");
  }
  try {
    return copyOf(graph, request);
  } catch (error) {
    throw asRequestError("request", error);
  }
}

function copyOf(graph: PoolGraph, request: QuoteRequest): QuoteRequest {
  const { tokenIn, tokenOut, kind, amount, maxHops, maxSplits } = request;
  const { gasPrice, filter, certify, gapBps } = request;
  const { tokenCount } = graph;
  if (!isIndex(tokenIn, tokenCount)) throw noSuchToken("tokenIn", tokenIn);
  if (!isIndex(tokenOut, tokenCount)) throw noSuchToken("tokenOut", tokenOut);
  if (tokenIn === tokenOut) throw invalidArgument("tokenOut", "the same token as tokenIn");
  if (kind !== "exactIn" && kind !== "exactOut") {
    throw invalidArgument("kind", 'expected "exactIn" or "exactOut"');
  }
  if (!isSwapAmount(amount)) throw invalidArgument("amount", "expected a bigint of 1 to 2^256 - 1");
  if (!(isIndex(maxHops, HOPS_MAX + 1) && maxHops > 0)) {
    throw invalidArgument("maxHops", `expected 1 to ${HOPS_MAX}`);
  }
  if (maxSplits !== undefined && !isCount(maxSplits)) {
    throw invalidArgument("maxSplits", "expected a whole number from 1 up, or Infinity");
  }
  if (gasPrice !== undefined && !isGasPrice(gasPrice)) {
    throw invalidArgument("gasPrice", "expected 0 to 2^256");
  }
  if (certify !== undefined && typeof certify !== "boolean") {
    throw invalidArgument("certify", "expected true or false");
  }
  if (gapBps !== undefined && !isGap(gapBps)) {
    throw invalidArgument("gapBps", `expected ${GAP_BPS_MIN} to ${GAP_BPS_MAX}`);
  }
  return {
    // -0 is 0.
    tokenIn: (tokenIn + 0) as TokenIndex,
    tokenOut: (tokenOut + 0) as TokenIndex,
    kind,
    amount,
    maxHops,
    maxSplits,
    gasPrice,
    filter: filter === undefined ? undefined : filterOf(graph, filter),
    certify,
    gapBps,
  };
}

function filterOf(graph: PoolGraph, filter: PoolFilter): PoolFilter {
  if (typeof filter !== "object" || filter === null) {
    throw invalidArgument("filter", "an object is expected");
  }
  const { onlyDexes, dexSets, withoutDexes, withoutPools } = filter;
  const ofDexes = (list: unknown) => indexesOf(list, graph.dexes.length, DEXES_MAX);
  return {
    ...(onlyDexes !== undefined && { onlyDexes: ofDexes(onlyDexes) }),
    ...(dexSets !== undefined && {
      dexSets: listOf("filter", dexSets, DEX_SETS_MAX).map(ofDexes),
    }),
    ...(withoutDexes !== undefined && { withoutDexes: ofDexes(withoutDexes) }),
    ...(withoutPools !== undefined && {
      withoutPools: indexesOf(withoutPools, graph.poolCount, POOLS_MAX) as PoolIndex[],
    }),
  };
}

function indexesOf(list: unknown, end: number, longest: number): number[] {
  return listOf("filter", list, longest).map((index) => {
    if (isIndex(index, end)) return index + 0;
    throw invalidArgument("filter", "expected lists of indexes of DEXes and pools");
  });
}

const isCount = (value: unknown): boolean =>
  value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 1);

const isGap = (value: unknown): boolean =>
  typeof value === "number" && value >= GAP_BPS_MIN && value <= GAP_BPS_MAX;

const isGasPrice = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && value <= GAS_PRICE_MAX;

import type { PoolGraph } from "../graph/PoolGraph.ts";
import { HOPS_MAX, type PoolFilter, type QuoteRequest } from "./quote.ts";

/** A request that makes no sense: `field` of it, for the reason that the message gives. */
export class QuoteRequestError extends RangeError {
  override readonly name = "QuoteRequestError";
  readonly _tag = "QuoteRequestError";
  readonly code: "INVALID_REQUEST" | "UNKNOWN_TOKEN";
  readonly field: string;

  constructor(code: QuoteRequestError["code"], field: string, detail: string) {
    super(`${field}: ${detail}`);
    this.code = code;
    this.field = field;
  }
}

const AMOUNT_END = 2n ** 256n;
const GAS_PRICE_MAX = 2 ** 256;

/** What makes no sense of a request in a market, whatever was passed; undefined where all does. */
export function checkQuoteRequest(
  graph: PoolGraph,
  request: QuoteRequest,
): QuoteRequestError | undefined {
  if (typeof request !== "object" || request === null) {
    return invalid("request", "an object is expected");
  }
  const { tokenIn, tokenOut, kind, amount, maxHops, maxSplits, gasPrice, filter } = request;
  const { tokenCount } = graph;
  if (!isIndex(tokenIn, tokenCount)) return unknownToken("tokenIn", tokenIn);
  if (!isIndex(tokenOut, tokenCount)) return unknownToken("tokenOut", tokenOut);
  if (tokenIn === tokenOut) return invalid("tokenOut", "the same token as tokenIn");
  if (kind !== "exactIn" && kind !== "exactOut") {
    return invalid("kind", 'expected "exactIn" or "exactOut"');
  }
  if (typeof amount !== "bigint" || amount < 1n || amount >= AMOUNT_END) {
    return invalid("amount", "expected a bigint of 1 to 2^256 - 1");
  }
  if (!(isIndex(maxHops, HOPS_MAX + 1) && maxHops > 0)) {
    return invalid("maxHops", `expected 1 to ${HOPS_MAX}`);
  }
  if (maxSplits !== undefined && !isCount(maxSplits)) {
    return invalid("maxSplits", "expected a whole number from 1 up, or Infinity");
  }
  if (gasPrice !== undefined && !isGasPrice(gasPrice)) {
    return invalid("gasPrice", "expected 0 to 2^256");
  }
  return filter === undefined ? undefined : checkFilter(graph, filter);
}

function checkFilter(graph: PoolGraph, filter: PoolFilter): QuoteRequestError | undefined {
  if (typeof filter !== "object" || filter === null) {
    return invalid("filter", "an object is expected");
  }
  const { onlyDexes, dexSets, withoutDexes, withoutPools } = filter;
  const dexCount = graph.dexes.length;
  const isOfDexes = (list: unknown) => isListOfIndexes(list, dexCount);
  const isSound =
    (onlyDexes === undefined || isOfDexes(onlyDexes)) &&
    (dexSets === undefined || (Array.isArray(dexSets) && dexSets.every(isOfDexes))) &&
    (withoutDexes === undefined || isOfDexes(withoutDexes)) &&
    (withoutPools === undefined || isListOfIndexes(withoutPools, graph.poolCount));
  return isSound ? undefined : invalid("filter", "expected lists of indexes of DEXes and pools");
}

function isListOfIndexes(list: unknown, end: number): boolean {
  if (!Array.isArray(list)) return false;
  for (const index of list) if (!isIndex(index, end)) return false;
  return true;
}

const isIndex = (value: unknown, end: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < end;

const isCount = (value: unknown): boolean =>
  value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 1);

const isGasPrice = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && value <= GAS_PRICE_MAX;

const invalid = (field: string, detail: string) =>
  new QuoteRequestError("INVALID_REQUEST", field, detail);

const unknownToken = (field: string, token: unknown) =>
  new QuoteRequestError("UNKNOWN_TOKEN", field, `no token ${String(token)}`);

import {
  ALL_DEXES,
  decodeQuoteRequest,
  decodeQuoteRequestStrictly,
  encodeSwapQuote,
  isNativeToken,
  type LabelledStep,
  type ProblemCode,
  type QuoteRequest,
} from "@millrace/api";
import type { NoQuoteReason, PoolFilter, PoolIndex, Quote, TokenIndex } from "@millrace/core";
import { Result } from "effect";
import type { Network } from "../networks/Network.ts";
import type { OpenMarket } from "../networks/openMarket.ts";
import { type Answer, jsonAnswer, problemAnswer } from "../routes/Answer.ts";
import { isOverfull, parseJson } from "./parseJson.ts";
import { tokenPrice } from "./tokenPrice.ts";

/**
 * The answer to a quote request with the given body: computed now, synchronously, on the state of
 * the newest block. Never throws for anything that a client can send.
 */
export function answerQuote(network: Network, body: string, nowMs: number): Answer {
  const json = parseJson(body);
  if (json === undefined) return malformed(body);
  const request = decodeQuoteRequest(json);
  if (request === undefined) return wrong(json);
  const obstacle = network.obstacle(nowMs);
  const { market } = network;
  if (obstacle !== undefined || market === undefined) {
    return problemAnswer(
      "NOT_READY",
      `${network.config.id} is not ready: ${obstacle ?? "starting"}`,
    );
  }
  return quote(network, market, request);
}

function quote(network: Network, market: OpenMarket, request: QuoteRequest): Answer {
  const { tokenA, tokenB, amountIn, amountOut, dexId } = request;
  const { graph } = market.engine;
  const isNativeIn = isNativeToken(tokenA);
  const isNativeOut = isNativeToken(tokenB);
  const wrapped = network.config.wrappedNative ?? "";
  const tokenIn = graph.findToken(isNativeIn ? wrapped : tokenA);
  if (tokenIn === undefined) return unknownToken(network, tokenA);
  const tokenOut = graph.findToken(isNativeOut ? wrapped : tokenB);
  if (tokenOut === undefined) return unknownToken(network, tokenB);
  const filter = filterOf(network, market, request);
  if (isAnswer(filter)) return filter;
  if (amountIn === "0" || amountOut === "0") {
    return problemAnswer("AMOUNT_TOO_SMALL", "An amount of 0 buys nothing");
  }
  if (tokenIn === tokenOut) {
    return writeQuote(market, request, { ...wrapping(request), isNativeIn, isNativeOut });
  }
  const kind = amountIn === undefined ? "exactOut" : "exactIn";
  const amount = BigInt(amountIn ?? amountOut ?? "");
  const { maxHops } = request;
  const found = market.engine.quoteUnsafe(
    filter === undefined
      ? { tokenIn, tokenOut, kind, amount, maxHops }
      : { tokenIn, tokenOut, kind, amount, maxHops, filter },
  );
  if (!found.found) {
    const [code, detail] = REASONS[found.reason];
    return problemAnswer(
      code,
      `${detail} (${tokenA} to ${tokenB} on ${network.config.id}, ${dexId})`,
    );
  }
  const { decimalsIn, decimalsOut } = decimalsOf(market, tokenIn, tokenOut);
  const price = tokenPrice(found.amountIn, decimalsIn, found.amountOut, decimalsOut);
  return writeQuote(market, request, { quote: found, price, isNativeIn, isNativeOut });
}

interface Found {
  readonly quote: Pick<Quote, "amountIn" | "amountOut" | "steps" | "priceImpact">;
  readonly price: string;
}

function writeQuote(
  market: OpenMarket,
  request: QuoteRequest,
  { quote, price, isNativeIn, isNativeOut }: Found & Record<"isNativeIn" | "isNativeOut", boolean>,
): Answer {
  const { labels } = market;
  const { steps, priceImpact } = quote;
  const amountIn = request.amountIn ?? quote.amountIn.toString();
  const labelled: LabelledStep[] = [];
  // Each step takes what the one before gave: every amount is written once.
  let given = amountIn;
  for (const step of steps) {
    const taken = given;
    given = step.amountOut.toString();
    labelled.push({ label: labels.step(step), amountIn: taken, amountOut: given });
  }
  const text = encodeSwapQuote({
    tokenA: request.tokenA,
    tokenB: request.tokenB,
    amountIn,
    amountOut: steps.length === 0 ? amountIn : given,
    tokenPrice: price,
    steps: labelled,
    dexLabel: labels.dex(request.dexId, dexIndexOf(market, request, steps[0]?.pool)),
    isNativeIn,
    isNativeOut,
    blockLabel: labels.block(),
    priceImpact: Number.isFinite(priceImpact) ? priceImpact : 1,
    exactOutput: request.amountOut !== undefined,
    unverified: labels.unverified(steps),
  });
  return jsonAnswer(text);
}

/** The native token and its wrapped form: one to one, through no pool. */
function wrapping({ amountIn, amountOut }: QuoteRequest): Found {
  const amount = BigInt(amountIn ?? amountOut ?? "");
  return {
    quote: { amountIn: amount, amountOut: amount, steps: [], priceImpact: 0 },
    price: "1",
  };
}

function dexIndexOf(
  market: OpenMarket,
  { dexId }: QuoteRequest,
  firstPool: PoolIndex | undefined,
): number | undefined {
  const { graph } = market.engine;
  if (dexId !== ALL_DEXES) return findDex(market, dexId);
  return firstPool === undefined ? undefined : graph.poolDex[firstPool];
}

/** What the request's options leave of the market; an answer when one of them names nothing. */
function filterOf(
  network: Network,
  market: OpenMarket,
  { dexId, excludeDexIds, excludePools }: QuoteRequest,
): PoolFilter | Answer | undefined {
  if (dexId === ALL_DEXES && excludeDexIds === undefined && excludePools === undefined) {
    return undefined;
  }
  const filter: { -readonly [K in keyof PoolFilter]: PoolFilter[K] } = {};
  if (dexId !== ALL_DEXES) {
    const dex = findDex(market, dexId);
    if (dex === undefined) return unknownDex(network, dexId);
    filter.onlyDexes = [dex];
  }
  const withoutDexes: number[] = [];
  for (const id of excludeDexIds ?? []) {
    const dex = findDex(market, id);
    if (dex === undefined) return unknownDex(network, id);
    withoutDexes.push(dex);
  }
  const withoutPools: PoolIndex[] = [];
  for (const address of excludePools ?? []) {
    const pool = market.engine.graph.findPool(address);
    if (pool === undefined) {
      return problemAnswer("UNKNOWN_POOL", `${network.config.id} has no pool ${address}`);
    }
    withoutPools.push(pool);
  }
  if (withoutDexes.length > 0) filter.withoutDexes = withoutDexes;
  if (withoutPools.length > 0) filter.withoutPools = withoutPools;
  return filter;
}

function findDex({ engine }: OpenMarket, id: string): number | undefined {
  const index = engine.graph.dexes.findIndex((dex) => dex.id === id);
  return index < 0 ? undefined : index;
}

function decimalsOf({ engine }: OpenMarket, tokenIn: TokenIndex, tokenOut: TokenIndex) {
  const { tokenDecimals } = engine.graph;
  return { decimalsIn: tokenDecimals[tokenIn]!, decimalsOut: tokenDecimals[tokenOut]! };
}

function malformed(body: string): Answer {
  const message = isOverfull(body) ? "The body holds too many values" : "The body is not JSON";
  const issue = { code: "invalid_format", format: "json", path: [], message } as const;
  return problemAnswer("INVALID_REQUEST", message, [issue]);
}

function wrong(json: unknown): Answer {
  const strictly = decodeQuoteRequestStrictly(json);
  const issues = Result.isFailure(strictly) ? strictly.failure : [];
  return problemAnswer("INVALID_REQUEST", "The request is malformed", issues);
}

const unknownToken = ({ config }: Network, token: string): Answer =>
  problemAnswer("UNKNOWN_TOKEN", `${config.id} has no token ${token}`);

// The id is a client's own text of up to 64 characters; JSON escapes it.
const unknownDex = ({ config }: Network, id: string): Answer =>
  problemAnswer("UNKNOWN_DEX", `${config.id} has no DEX ${id}`);

const isAnswer = (value: PoolFilter | Answer | undefined): value is Answer =>
  value !== undefined && "status" in value;

const REASONS: Readonly<Record<NoQuoteReason, readonly [ProblemCode, string]>> = {
  NoRoute: ["NO_ROUTE", "No path of so few allowed pools links the tokens"],
  AmountTooSmall: ["AMOUNT_TOO_SMALL", "The amount rounds to zero out"],
  InsufficientLiquidity: ["INSUFFICIENT_LIQUIDITY", "No path can fill all of the amount"],
};

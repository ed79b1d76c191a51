import {
  decodeSwapRequest,
  decodeSwapRequestStrictly,
  NATIVE_TOKEN,
  type SwapRequest,
  type SwapTransactions,
} from "@millrace/api";
import {
  type Answer,
  answerPermit,
  answerSwap,
  decodeBody,
  type Network,
  type NetworkMarket,
  SwapBuilder,
} from "@millrace/server";
import type { Effect } from "effect";
import { invalidCall } from "./MillraceError.ts";
import { accepted, serviceError } from "./outcomes.ts";
import type { PendingCalls } from "./PendingCalls.ts";
import type { RouteQuote } from "./RouteQuote.ts";
import { readArguments } from "./readArguments.ts";
import type { PermitToSign, Swap, SwapTerms } from "./SwapTerms.ts";
import { wireSteps, wireText } from "./wire.ts";

/** A call for a swap: the quote, the terms, and the signal that ends the call. */
export interface AskedSwap {
  readonly network: Network;
  readonly market: NetworkMarket;
  readonly quote: RouteQuote;
  readonly terms: SwapTerms;
  readonly calls: PendingCalls;
  readonly signal: AbortSignal | undefined;
}

/** The transactions of a swap, as the service builds and simulates them. */
export async function buildTransactions(call: AskedSwap): Promise<Swap> {
  const { transactions, simulated, ...amounts } = await ask<SwapTransactions>(call, answerSwap);
  const { minAmountOut, maxAmountIn, feeAmount } = amounts;
  return {
    transactions: transactions.map(({ to, data, value, ...rest }) => ({
      ...{ ...rest, to: to as `0x${string}`, data: data as `0x${string}`, value: BigInt(value) },
    })),
    simulated,
    ...(minAmountOut !== undefined && { minAmountOut: BigInt(minAmountOut) }),
    ...(maxAmountIn !== undefined && { maxAmountIn: BigInt(maxAmountIn) }),
    feeAmount: BigInt(feeAmount ?? 0),
  };
}

/** The permit that a wallet may sign instead of an approval. */
export const permitToSign = (call: AskedSwap): Promise<PermitToSign> =>
  ask<PermitToSign>(call, answerPermit);

async function ask<A>(
  { network, market, quote, terms, calls, signal }: AskedSwap,
  answer: (builder: SwapBuilder, request: SwapRequest) => Effect.Effect<Answer>,
): Promise<A> {
  const body = wireText({
    quote: wireQuote(market, readArguments(quote, QUOTE_MEMBERS, undefined)),
    ...wireTerms(terms),
  });
  const request = accepted(decodeBody(body, decodeSwapRequest, decodeSwapRequestStrictly));
  const builder = accepted<SwapBuilder>(SwapBuilder.open(network, Date.now()));
  const given = await calls.run(answer(builder, request), signal);
  if (given.status !== 200) throw serviceError(given);
  return JSON.parse(given.body);
}

const QUOTE_MEMBERS = ["kind", "tokenIn", "tokenOut", "amountIn", "amountOut", "steps"] as const;

/** The wire form of any quote; other errors in it are found where the service finds them. */
function wireQuote(
  { engine: { graph } }: NetworkMarket,
  { kind, tokenIn, tokenOut, amountIn, amountOut, steps }: Partial<Record<string, unknown>>,
): object {
  if (kind !== "exactIn" && kind !== "exactOut") throw invalidCall("expected a quote");
  return {
    ...{ tokenA: tokenIn, tokenB: tokenOut, amountIn, amountOut },
    exactOutput: kind === "exactOut",
    isNativeIn: tokenIn === NATIVE_TOKEN,
    isNativeOut: tokenOut === NATIVE_TOKEN,
    routePlan: wireSteps(graph, steps),
  };
}

function wireTerms(terms: SwapTerms): object {
  const names = ["sender", "slippage", "recipient", "deadline", "partnerFees", "permit"] as const;
  const { sender: publicKey, ...rest } = readArguments(terms, names, "terms");
  return { publicKey, ...rest };
}

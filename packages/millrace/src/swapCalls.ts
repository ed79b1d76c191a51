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
import { invalidCall, MillraceError } from "./MillraceError.ts";
import { accepted, jsonText, runUntil, serviceError } from "./outcomes.ts";
import type { RouteQuote } from "./RouteQuote.ts";
import type { PermitToSign, Swap, SwapTerms } from "./SwapTerms.ts";

/** A call that is about a swap: of which quote, by whom, and until when it is of interest. */
export interface AskedSwap {
  readonly network: Network;
  readonly market: NetworkMarket;
  readonly quote: RouteQuote;
  readonly terms: SwapTerms;
  readonly signal: AbortSignal | undefined;
}

/** The transactions of a swap, as the service builds and tries them. */
export async function buildTransactions(call: AskedSwap): Promise<Swap> {
  const { transactions, simulated, ...amounts } = await ask<SwapTransactions>(call, answerSwap);
  const { minAmountOut, maxAmountIn, feeAmount } = amounts;
  return {
    transactions: transactions.map((each) => ({ ...each, value: BigInt(each.value) })),
    simulated,
    ...(minAmountOut !== undefined && { minAmountOut: BigInt(minAmountOut) }),
    ...(maxAmountIn !== undefined && { maxAmountIn: BigInt(maxAmountIn) }),
    feeAmount: BigInt(feeAmount ?? 0),
  };
}

/** What a wallet may sign instead of approving. */
export const permitToSign = (call: AskedSwap): Promise<PermitToSign> =>
  ask<PermitToSign>(call, answerPermit);

async function ask<A>(
  call: AskedSwap,
  answer: (builder: SwapBuilder, request: SwapRequest) => Effect.Effect<Answer>,
): Promise<A> {
  const { network, signal } = call;
  const body = jsonText(requestOf(call));
  const request = accepted(decodeBody(body, decodeSwapRequest, decodeSwapRequestStrictly));
  const builder = SwapBuilder.open(network, Date.now());
  const opened = accepted<SwapBuilder>(builder);
  const given = await runUntil(answer(opened, request), signal);
  if (given.status !== 200) throw serviceError(given);
  return JSON.parse(given.body);
}

/** Of a quote that may be anything: what is wrong with it is found where the service does. */
function requestOf({ market, quote, terms }: AskedSwap): unknown {
  if (!Array.isArray(quote?.steps) || typeof terms !== "object" || terms === null) {
    throw invalidCall("expected a quote, and the terms of a swap");
  }
  const { sender, ...rest } = terms;
  const { tokenIn, tokenOut, amountIn, amountOut, kind } = quote;
  return {
    publicKey: sender,
    quote: {
      ...{ tokenA: tokenIn, tokenB: tokenOut, amountIn, amountOut },
      exactOutput: kind === "exactOut",
      isNativeIn: tokenIn === NATIVE_TOKEN,
      isNativeOut: tokenOut === NATIVE_TOKEN,
      routePlan: quote.steps.map((step) => {
        const contract = contractOf(market, step?.pool);
        const names = contract === step.pool ? {} : { poolId: step.pool };
        const { tokenIn: tokenA, tokenOut: tokenB, amountIn, amountOut } = step;
        return { tokenA, tokenB, poolAddress: contract, ...names, amountIn, amountOut };
      }),
    },
    ...rest,
  };
}

function contractOf({ engine: { graph } }: NetworkMarket, id: unknown): string {
  const pool = typeof id === "string" ? graph.findPool(id) : undefined;
  if (pool === undefined) throw new MillraceError("UNKNOWN_POOL", `no pool ${String(id)}`);
  return graph.poolContract(pool);
}

import { isAmount } from "@millrace/api";
import type { QuoteParameters } from "@millrace/client";
import { Effect, Option } from "effect";
import { type CommandError, wrongUsage } from "../CommandError.ts";
import { unitsOf } from "../output/decimalAmounts.ts";
import { findToken, type NamedToken } from "./findToken.ts";
import type { ServiceAccess } from "./ServiceAccess.ts";

/** A request for a quote, as a person writes it. */
export interface QuoteWords {
  /** Whole tokens of `tokenIn`; of `tokenOut` with `exactOutput`. */
  readonly amount: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly exactOutput: boolean;
  readonly dex: string;
  readonly maxHops: number;
  readonly maxSplits: number;
  readonly gasAware: boolean;
  readonly certify: boolean;
  readonly gapBps: Option.Option<number>;
}

/** The request as the service takes it, and its tokens. */
export interface AskedQuote {
  readonly request: QuoteParameters;
  readonly tokenIn: NamedToken;
  readonly tokenOut: NamedToken;
}

/** Finds the tokens, and converts the amount to the smallest unit of its token. */
export const quoteAsked = Effect.fnUntraced(function* (
  access: ServiceAccess,
  words: QuoteWords,
): Effect.fn.Return<AskedQuote, CommandError> {
  const [tokenIn, tokenOut] = yield* Effect.all(
    [findToken(access, words.tokenIn), findToken(access, words.tokenOut)],
    { concurrency: 2 },
  );
  if (tokenIn.address.toLowerCase() === tokenOut.address.toLowerCase())
    return yield* wrongUsage(`${words.tokenIn} and ${words.tokenOut} are the same token`);
  const { symbol, decimals } = words.exactOutput ? tokenOut : tokenIn;
  const units = unitsOf(words.amount, decimals);
  if (units === undefined || !isAmount(units.toString())) {
    const form = `below 2^256, with at most ${decimals} digits behind the point`;
    return yield* wrongUsage(`${words.amount} is no amount of ${symbol}: a number ${form}`);
  }
  const request = {
    tokenA: tokenIn.address,
    tokenB: tokenOut.address,
    [words.exactOutput ? "amountOut" : "amountIn"]: units.toString(),
    dexId: words.dex,
    maxHops: words.maxHops,
    maxSplits: words.maxSplits,
    ...(words.gasAware && { gasAware: true }),
    ...(words.certify && { certify: true }),
    ...(Option.isSome(words.gapBps) && { gapBps: words.gapBps.value }),
  };
  return { request, tokenIn, tokenOut };
});

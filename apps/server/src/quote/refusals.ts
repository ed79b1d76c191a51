import type { ProblemCode, RefusalExplanationJson } from "@millrace/api";
import type { NoQuoteReason } from "@millrace/core";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import type { QuoteMarket, QuoteNetwork } from "./QuoteMarket.ts";

/** A search without a quote, in the words of the contract. */
export function noQuote(
  { config }: QuoteNetwork,
  { tokenA, tokenB, dexId }: Asked,
  reason: NoQuoteReason,
  explanation?: RefusalExplanationJson,
): Answer {
  const [code, why] = REASONS[reason];
  const detail = `${why} (${tokenA} to ${tokenB} on ${config.id}, ${dexId})`;
  return problemAnswer(code, detail, explanation === undefined ? {} : { explanation });
}

interface Asked {
  readonly tokenA: string;
  readonly tokenB: string;
  readonly dexId: string;
}

export const unknownToken = ({ config }: QuoteNetwork, token: string): Answer =>
  problemAnswer("UNKNOWN_TOKEN", `${config.id} has no token ${token}`);

// The id is a client's own text of up to 64 characters; JSON escapes it.
export const unknownDex = ({ config }: QuoteNetwork, id: string): Answer =>
  problemAnswer("UNKNOWN_DEX", `${config.id} has no DEX ${id}`);

export const unknownPool = ({ config }: QuoteNetwork, address: string): Answer =>
  problemAnswer("UNKNOWN_POOL", `${config.id} has no pool ${address}`);

/** No router of the network is in use, and the request asks only for executable routes. */
export const nothingExecutable = ({ config }: QuoteNetwork, { routers }: QuoteMarket): Answer =>
  problemAnswer(
    "NO_ROUTER",
    `No router of ${config.id} can execute a route through pools` +
      `${routers?.leftOut() === undefined ? "" : ` (${routers.leftOut()})`}; ` +
      '"executable": false asks for what cannot be executed as well',
  );

export const notReady = ({ config }: QuoteNetwork, obstacle: string | undefined): Answer =>
  problemAnswer("NOT_READY", `${config.id} is not ready: ${obstacle ?? "starting"}`);

/** Too many slow requests wait already; fast ones are still answered. */
export const tooManyWaiting: Answer = {
  ...problemAnswer("RATE_LIMITED", "Too many requests that take longer are waiting"),
  // Seconds.
  headers: [["retry-after", "1"]],
};

const REASONS: Readonly<Record<NoQuoteReason, readonly [ProblemCode, string]>> = {
  NoRoute: ["NO_ROUTE", "No path of so few allowed pools links the tokens"],
  AmountTooSmall: ["AMOUNT_TOO_SMALL", "The amount rounds to zero out"],
  InsufficientLiquidity: ["INSUFFICIENT_LIQUIDITY", "No route can fill all of the amount"],
};

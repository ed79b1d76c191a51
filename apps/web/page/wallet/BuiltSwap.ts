import type { SwapQuote, SwapTransactions } from "@millrace/api";
import type { KnownToken } from "../tokens.ts";
import type { Provider } from "./provider.ts";

/** The transactions of a quote, for review before anything is signed. */
export interface BuiltSwap {
  readonly quote: SwapQuote;
  readonly answer: SwapTransactions;
  readonly account: string;
  readonly provider: Provider;
  /** The tokens of this quote; the page may show another quote by now. */
  readonly into: KnownToken;
  readonly out: KnownToken;
}

import type { SwapQuote, SwapTransactions } from "@millrace/api";
import type { KnownToken } from "../tokens.ts";
import type { Provider } from "./provider.ts";

/** What was built of a quote, to be looked at before anything is signed. */
export interface BuiltSwap {
  readonly quote: SwapQuote;
  readonly answer: SwapTransactions;
  readonly account: string;
  readonly provider: Provider;
  /** The tokens of the quote, which may be another one than the one that is shown by now. */
  readonly into: KnownToken;
  readonly out: KnownToken;
}

import type { SwapQuote, SwapTransactions } from "@millrace/api";
import type { Provider } from "./provider.ts";

/** What was built of a quote, to be looked at before anything is signed. */
export interface BuiltSwap {
  readonly quote: SwapQuote;
  readonly answer: SwapTransactions;
  readonly account: string;
  readonly provider: Provider;
}

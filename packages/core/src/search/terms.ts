import type { QuoteKind } from "./quote.ts";

/** The label of a token that no path reaches. */
export const UNREACHED = 0;
/** No token, and no slot: an index that a graph never reaches. */
export const NOBODY = 2 ** 32 - 1;

/** What one search is about, as floats see it. */
export interface SearchTerms {
  /** Where the amount is known: the token in for exact input, the token out for exact output. */
  readonly origin: number;
  /** Where the best amount is sought. */
  readonly goal: number;
  readonly amount: number;
  readonly kind: QuoteKind;
}

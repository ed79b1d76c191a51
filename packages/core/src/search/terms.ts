import type { QuoteKind } from "./quote.ts";

/** The label of a token that no path reaches. */
export const UNREACHED = 0;
/** No token, and no slot: an index that a graph never reaches. */
export const NOBODY = 2 ** 32 - 1;

/** The terms of one search, in floats. */
export interface SearchTerms {
  /**
   * The token whose amount is given: the token in for exact input, the token out for exact output.
   */
  readonly origin: number;
  /** The token whose best amount is sought. */
  readonly goal: number;
  readonly amount: number;
  readonly kind: QuoteKind;
}

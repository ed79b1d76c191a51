/** What token lists say about an address; the chain's own texts come first. */
export interface ListedToken {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** What token lists say of an address; the chain's own word comes first. */
export interface ListedToken {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

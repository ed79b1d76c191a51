export interface BruteRequest {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly kind: "exactIn" | "exactOut";
  readonly amount: bigint;
  readonly maxHops: number;
  /** As in a `QuoteRequest`. Default 0. */
  readonly gasPrice?: number;
}

/** A request by addresses, with a filter by names. */
export interface PlainRequest extends BruteRequest {
  readonly onlyDexes?: ReadonlyArray<string>;
  readonly withoutDexes?: ReadonlyArray<string>;
  readonly withoutPools?: ReadonlyArray<string>;
}

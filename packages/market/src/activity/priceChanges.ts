/** Fractions by which a price is above, or below 0 under, what it was; absent while unknown. */
export interface PriceChanges {
  readonly priceChange5m?: number;
  readonly priceChange1h?: number;
  readonly priceChange6h?: number;
  readonly priceChange24h?: number;
}

export const NO_CHANGES: PriceChanges = {};

/** Changes from the prices at the starts of `WINDOWS`, in their order; 0 is none. */
export function priceChanges(price: number, before: Float64Array): PriceChanges {
  const changes: { -readonly [Name in keyof PriceChanges]: number } = {};
  for (let window = 0; window < NAMES.length; window++) {
    const change = price / before[window]! - 1;
    if (Number.isFinite(change)) changes[NAMES[window]!] = change;
  }
  return changes;
}

const NAMES = ["priceChange5m", "priceChange1h", "priceChange6h", "priceChange24h"] as const;

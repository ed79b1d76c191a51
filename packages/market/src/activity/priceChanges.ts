/**
 * By which fraction a price is above what it was, or below where negative; absent while unknown.
 */
export interface PriceChanges {
  readonly priceChange5m?: number;
  readonly priceChange1h?: number;
  readonly priceChange6h?: number;
  readonly priceChange24h?: number;
}

export const NO_CHANGES: PriceChanges = {};

/** Changes from the prices at the starts of `WINDOWS`, in their order; 0 means unknown. */
export function priceChanges(price: number, before: Float64Array): PriceChanges {
  const changes: { -readonly [Name in keyof PriceChanges]: number } = {};
  for (let window = 0; window < PRICE_CHANGES.length; window++) {
    const change = priceChange(price, before[window]!);
    if (Number.isFinite(change)) changes[PRICE_CHANGES[window]!] = change;
  }
  return changes;
}

/** Not finite where a price is unknown (0), before or now. */
export function priceChange(price: number, before: number): number {
  return price === 0 ? Number.NaN : price / before - 1;
}

/** In the order of `WINDOWS`. */
export const PRICE_CHANGES = [
  "priceChange5m",
  "priceChange1h",
  "priceChange6h",
  "priceChange24h",
] as const;

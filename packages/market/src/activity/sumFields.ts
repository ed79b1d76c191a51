/** What is summed over rolling windows, of each token and of each pool. */
export type TokenSumField =
  | "volume24h"
  | "volume6h"
  | "volume1h"
  | "volume5m"
  | "txns24h"
  | "buys24h"
  | "sells24h";
export type PoolSumField = "volume24h";

/** Writes the sums of a part of all, in the order of indexes from the first one on. */
export type ReadSums = (into: Float64Array, first: number) => void;

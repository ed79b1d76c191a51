/** The sums over rolling windows, for each token and each pool. */
export type TokenSumField =
  | "volume24h"
  | "volume6h"
  | "volume1h"
  | "volume5m"
  | "txns24h"
  | "buys24h"
  | "sells24h";
export type PoolSumField = "volume24h";

/** Fills an array with consecutive sums, from that of index `first` on. */
export type ReadSums = (into: Float64Array, first: number) => void;

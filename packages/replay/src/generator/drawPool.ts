import type { Address, PoolListing, PoolState } from "@millrace/core";
import { encodeConcentrated, encodeReserves } from "@millrace/protocols";
import type { FeeTier } from "./chains.ts";
import type { Random } from "./Random.ts";
import { generateTickBook } from "./tickBook.ts";

/** The terms of a pool to draw. */
export interface PoolTerms {
  readonly address: Address;
  /** Smallest units of each token, of equal value except for `stray`. */
  readonly reserve0: number;
  readonly reserve1: number;
  /** The factor by which the price of token0 differs from the market's. */
  readonly stray: number;
  readonly decimals: readonly [number, number];
  /** Further tokens of the pool, which cost the same as those two. */
  readonly further: ReadonlyArray<{ readonly reserve: number; readonly decimals: number }>;
}

/** The parts in which pools of a DEX differ, and the state of one. */
interface DrawnPool extends Omit<PoolListing, "address" | "dexId" | "tokens"> {
  readonly state: PoolState;
}

export type DrawPool = (random: Random, tier: FeeTier, terms: PoolTerms) => DrawnPool;

/** A pool of x·y = k. */
export const drawPair: DrawPool = (_random, tier, terms) => ({
  ...tier,
  state: reservesOf(terms),
});

/** A pool with ticks. */
export const drawTicks: DrawPool = (random, tier, terms) => ({
  ...tier,
  state: ticksOf(random, tier, terms),
});

/** A state of two reserves, with the fee where it is part of the state. */
export function reservesOf(
  { reserve0, reserve1 }: Pick<PoolTerms, "reserve0" | "reserve1">,
  feePips?: number,
): PoolState {
  return encodeReserves([BigInt(Math.floor(reserve0)), BigInt(Math.floor(reserve1))], feePips);
}

/** A state with ticks, with the fees of both directions where they are part of the state. */
export function ticksOf(
  random: Random,
  { parameter }: FeeTier,
  { reserve0, reserve1 }: PoolTerms,
  feesPips?: readonly [number, number],
): PoolState {
  const book = generateTickBook(random, reserve0, reserve1, parameter);
  return encodeConcentrated({ ...book, ...(feesPips !== undefined && { feesPips }) });
}

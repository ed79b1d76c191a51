import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { SimulatedState } from "./poolStates.ts";

/** A log before its block is sealed. */
export interface RawLog {
  readonly address: Address;
  readonly topics: ReadonlyArray<Hex>;
  readonly data: Hex;
  /** What the log tells of a swap, for the oracle. */
  readonly swap?: RawSwap;
}

export interface RawSwap {
  /** The pool, where that is not what wrote the log. */
  readonly pool?: Address;
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Of the one token in the other, after it. */
  readonly priceAfter: number;
}

/** What a transaction did to a pool. */
export interface Deed<S extends SimulatedState = SimulatedState> {
  readonly state: S;
  readonly logs: ReadonlyArray<RawLog>;
}

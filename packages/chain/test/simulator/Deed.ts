import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { SimulatedState } from "./poolStates.ts";

/** A log before its block is sealed. */
export interface RawLog {
  readonly address: Address;
  readonly topics: ReadonlyArray<Hex>;
  readonly data: Hex;
  /** The swap that the log reports, for the oracle. */
  readonly swap?: RawSwap;
}

export interface RawSwap {
  /** The pool, where another contract wrote the log. */
  readonly pool?: Address;
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Price of one token in the other, after the swap. */
  readonly priceAfter: number;
}

/** The effect of a transaction on a pool. */
export interface Deed<S extends SimulatedState = SimulatedState> {
  readonly state: S;
  readonly logs: ReadonlyArray<RawLog>;
}

import type { Curve, PoolState } from "@millrace/core";
import type { Faults } from "../Faults.ts";

/** The form of one kind of pool in a market file. */
export interface PoolKind {
  /** `kind` of its pools. */
  readonly name: string;
  /** The DEX of pools that name none. */
  readonly dexId: string;
  /** The `Dex.protocol` of their DEXes. */
  readonly protocol: string;
  /** The curve, unless the state implies another. */
  readonly curve: Curve;
  /**
   * Whether tokens and state are under `tokens` and `state`; if not, `token0` and `token1` are
   * beside the state's own keys.
   */
  readonly isNested: boolean;
  /** A key that every state of the kind has, and that tells it from other kinds. */
  readonly mark: StateMark;
  /** Keys of the state that never change; an update may leave them out. */
  readonly constants: ReadonlyArray<string>;
  /** The pool in a state; undefined, with faults, if its shape is invalid. */
  readonly decode: (state: unknown, path: string, faults: Faults) => DecodedState | undefined;
}

export const STATE_MARKS = ["reserve0", "sqrtPriceX96", "balances", "balances18"] as const;
type StateMark = (typeof STATE_MARKS)[number];

/** A decoded state, in the terms of the graph; see `PoolListing`. */
export interface DecodedState {
  readonly feePips: number;
  readonly parameter: number;
  /** Present where it is not the kind's. */
  readonly curve?: Curve;
  /** Without the pool's id. */
  readonly constants?: BigUint64Array;
  readonly state: PoolState;
}

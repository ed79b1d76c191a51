import type { Curve, PoolState } from "@millrace/core";
import type { Faults } from "../Faults.ts";

/** How a market file writes the pools of one kind. */
export interface PoolKind {
  /** `kind` of its pools. */
  readonly name: string;
  /** The DEX of pools that name none. */
  readonly dexId: string;
  /** The `Dex.protocol` of their DEXes. */
  readonly protocol: string;
  /** What they swap along, where the state does not say another. */
  readonly curve: Curve;
  /**
   * Whether tokens and state stand under `tokens` and `state`; if not, `token0` and `token1` stand
   * beside the state's own keys.
   */
  readonly isNested: boolean;
  /** A key that every state of the kind has, and tells it from others. */
  readonly mark: StateMark;
  /** Keys of the state that never change; an update may leave them out. */
  readonly constants: ReadonlyArray<string>;
  /** The pool in a state; undefined once the faults of its shape are told. */
  readonly decode: (state: unknown, path: string, faults: Faults) => DecodedState | undefined;
}

export const STATE_MARKS = ["reserve0", "sqrtPriceX96", "balances", "balances18"] as const;
type StateMark = (typeof STATE_MARKS)[number];

/** What a state says, in the terms of the graph; see `PoolListing`. */
export interface DecodedState {
  readonly feePips: number;
  readonly parameter: number;
  /** Where it is another than the kind's. */
  readonly curve?: Curve;
  /** Without the pool's id. */
  readonly constants?: BigUint64Array;
  readonly state: PoolState;
}

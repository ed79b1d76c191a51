import type { PoolIndex, PoolState, TokenIndex } from "../graph/PoolGraph.ts";

/** An assumption, which a quote takes as given. Later ones build on earlier ones. */
export type Assumption =
  /** The pool is gone. */
  | { readonly kind: "poolRemoved"; readonly pool: PoolIndex }
  /** The pool has another state; see the encoders of its family. */
  | { readonly kind: "poolState"; readonly pool: PoolIndex; readonly state: PoolState }
  /** The pool has filled a swap of all of `amountIn`, like a step of an earlier quote. */
  | {
      readonly kind: "swapped";
      readonly pool: PoolIndex;
      readonly tokenIn: TokenIndex;
      readonly tokenOut: TokenIndex;
      readonly amountIn: bigint;
    };

/** Why the assumption at an index of the list cannot be made. */
export interface RefusedAssumption {
  readonly refused: true;
  readonly index: number;
  readonly reason: string;
}

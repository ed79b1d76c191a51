import type { PoolIndex, PoolState, TokenIndex } from "../graph/PoolGraph.ts";

/** Something that is not on the chain, to be quoted as if it were. Later ones build on earlier. */
export type Assumption =
  /** The pool is gone. */
  | { readonly kind: "poolRemoved"; readonly pool: PoolIndex }
  /** The pool stands in another state; see the encoders of its family. */
  | { readonly kind: "poolState"; readonly pool: PoolIndex; readonly state: PoolState }
  /** The pool has filled a swap, as a step of an earlier quote: all of `amountIn` went in. */
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

import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapRouter } from "../SwapRouter.ts";

/** What a swap's gas depends on beside its pools. */
export interface GasShape {
  readonly kind: SwapIntent["kind"];
  readonly router: SwapRouter["kind"];
  readonly isNativeIn: boolean;
  readonly isNativeOut: boolean;
  readonly hasFee: boolean;
  readonly pathCount: number;
  readonly hopCount: number;
}

/**
 * Gas that the whole transaction uses as a rule: `typicalGas` of all its swaps (see
 * `PoolFamily.typicalGas`), and what shape and router add. For a sender and a recipient who hold
 * both tokens, with the approvals given. Being built.
 */
export function swapGas(_shape: GasShape, _typicalGas: number): number {
  throw new Error("being built");
}

import type { Engine } from "@millrace/core";

/** What an order is judged by. */
export interface ReviewTerms {
  readonly engine: Pick<Engine["Service"], "familyOf" | "graph" | "recompute">;
  /** Lower case. */
  readonly wrappedNative: `0x${string}`;
  /** Forbidden recipients beside pools and tokens: routers, Permit2. Lower case. */
  readonly forbiddenRecipients: ReadonlySet<string>;
  /** Unix time, now. */
  readonly nowSeconds: number;
  /** Gas that one transaction may use; see `EngineOptions.gasLimit`. By default no limit. */
  readonly gasLimit?: number;
}

import type { Engine } from "@millrace/core";
import type { SwapIntent } from "../SwapIntent.ts";
import type { SwapOrder } from "../SwapOrder.ts";
import type { SwapRefusal } from "../SwapRefusal.ts";

/** What an order is judged by. */
export interface ReviewTerms {
  readonly engine: Pick<Engine["Service"], "graph" | "recompute">;
  /** Lower case. */
  readonly wrappedNative: `0x${string}`;
  /** Addresses that are no recipients beside pools and tokens: routers, Permit2. Lower case. */
  readonly forbiddenRecipients: ReadonlySet<string>;
  /** Unix time, now. */
  readonly nowSeconds: number;
}

/** What an order may become, after every check; see `SwapIntent`. Being built. */
export function reviewSwap(_order: SwapOrder, _terms: ReviewTerms): SwapIntent | SwapRefusal {
  throw new Error("being built");
}

import type { Address } from "@millrace/core";

/**
 * What became of a small buy and sale of a token when a node tried them.
 * `plain`: transfers move exactly what is asked. `taxed`: less arrives, each way so many basis
 * points less. `unsellable`: it can be bought, and not sold. `unbuyable`: no swap gives it.
 * `untested`: no node could say, or no route leads there.
 *
 * Of what cannot be bought or sold at all, the tax is 10,000; of a sale that was not tried, 0.
 */
export interface TokenVerdict {
  readonly token: Address;
  readonly kind: "plain" | "taxed" | "unsellable" | "unbuyable" | "untested";
  readonly buyTaxBps: number;
  readonly sellTaxBps: number;
  /** The block it was tried on. */
  readonly blockNumber: number;
  readonly detail?: string;
}

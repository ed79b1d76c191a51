import type { Address } from "@millrace/core";

/**
 * The result of a small purchase and sale of a token that a node tried. `plain`: transfers move
 * exactly what is asked. `taxed`: less arrives, by the basis points of each way. `unsellable`: it
 * can be bought, and not sold. `unbuyable`: no swap gives it. `untested`: no node could say, or no
 * route leads there.
 *
 * The tax of an impossible purchase or sale is 10,000; that of a sale that was not tried is 0.
 */
export interface TokenVerdict {
  readonly token: Address;
  readonly kind: "plain" | "taxed" | "unsellable" | "unbuyable" | "untested";
  readonly buyTaxBps: number;
  readonly sellTaxBps: number;
  /** The block of the trial. */
  readonly blockNumber: number;
  readonly detail?: string;
}

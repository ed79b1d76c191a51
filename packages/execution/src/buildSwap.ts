import { step } from "@millrace/core";
import { checkCalldata } from "./decode/checkCalldata.ts";
import type { ReviewTerms } from "./review/ReviewTerms.ts";
import { reviewPermit } from "./review/reviewPermit.ts";
import { reviewSwap } from "./review/reviewSwap.ts";
import type { Routers } from "./routers/openRouters.ts";
import type { SwapOrder } from "./SwapOrder.ts";
import type { BuildResult, RouterTable } from "./SwapRouter.ts";

export interface BuildTerms extends ReviewTerms {
  readonly table: RouterTable;
  /** The routers of `table`. */
  readonly routers: Routers;
}

/**
 * The transaction of an order: reviewed on the newest block, encoded for the first router that can
 * execute it, and checked by the decoder. Throws when the calldata differs from the intent, which
 * is a bug of this package and never the order's fault.
 *
 * @example
 * const routers = openRouters(table)
 * const built = buildSwap(order, { engine, wrappedNative, forbiddenRecipients, nowSeconds, table,
 * routers })
 */
export function buildSwap(order: SwapOrder, terms: BuildTerms): BuildResult {
  const intent = step("review", () => reviewSwap(order, terms));
  if ("refused" in intent) return intent;
  const router = terms.routers.choose(intent);
  if ("refused" in router) return router;
  const { permit } = order;
  if (permit !== undefined) {
    const fault = reviewPermit(permit, intent, router, terms.nowSeconds);
    if (fault !== undefined) return fault;
  }
  const swap = step("encode", () => router.encode(intent, permit));
  const difference = step("decode", () => checkCalldata(terms.table, intent, permit, swap));
  if (difference !== undefined) {
    throw new Error(`the calldata for ${router.kind} is not what was meant: ${difference}`);
  }
  return { intent, router, swap };
}

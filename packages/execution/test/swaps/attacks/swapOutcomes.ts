import type { BuildResult, RouterTable, SwapOrder, SwapRefusal } from "@millrace/execution";
import { expect } from "vitest";
import { LATER_POOLS, POOLS } from "../model/swapBuilder.ts";
import { faultOfSwap } from "../model/swapFaults.ts";

/**
 * What is tried, and what must come of it: a refusal, and where it points, or our own transaction.
 */
export type Attack = readonly [
  name: string,
  order: SwapOrder,
  outcome: SwapRefusal["code"] | "ours",
  path?: string,
];

/** The outcome, which the model of the rules has to find right as well. */
export function expectOutcome(
  result: BuildResult,
  order: SwapOrder,
  table: RouterTable,
  outcome: Attack[2],
  path: string | undefined,
): void {
  if (result.refused) {
    const { code, detail } = result;
    expect({ code, path: result.path?.join("."), detail }).toEqual({ code: outcome, path, detail });
  } else {
    expect("ours").toBe(outcome);
  }
  expect(faultOfSwap(order, table, result, POOLS, LATER_POOLS)).toBeUndefined();
}

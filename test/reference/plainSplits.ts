import type { QuoteResult } from "@millrace/core";
import type { PlainPool } from "@millrace/testing/reference";
import { expect } from "vitest";
import { NO_GAS_LIMIT, SplitJudge, type SplitRequest } from "./SplitJudge.ts";
import { oracleSplit } from "./splitOracle.ts";

/** Expects a split that a plain search does not beat by more than rounding. */
export function expectAsGoodAsPlain(pools: ReadonlyArray<PlainPool>, request: SplitRequest): void {
  const judge = new SplitJudge({ chainId: 1, block: 1, pools }, NO_GAS_LIMIT);
  expect(judge.fault(request)).toBe(undefined);
  const oracle = oracleSplit(pools, request, request.maxSplits)!;
  expect(shortfallOf(judge.quote(request), request, oracle.amount)).toBeLessThan(1e-6);
}

/**
 * The missing part of the oracle's answer beyond rounding, which costs a unit or two of the answer,
 * and a unit at each hop, where only some hundreds may pass.
 */
export function shortfallOf(
  quote: QuoteResult,
  { kind, maxHops }: Omit<SplitRequest, "maxSplits">,
  oracle: bigint,
): number {
  if (!quote.found) return 1;
  const missing = kind === "exactIn" ? oracle - quote.amountOut : quote.amountIn - oracle;
  if (missing <= 2n) return 0;
  const least = Math.min(
    ...quote.steps.flatMap(({ amountIn, amountOut }) => [Number(amountIn), Number(amountOut)]),
  );
  return Math.max(0, Number(missing) / Number(oracle) - maxHops / least);
}

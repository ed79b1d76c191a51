import type { QuoteResult } from "@millrace/core";
import { type Law, type RandomSource, surely, surelyBelow } from "@millrace/testing";
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

/** An answer that fills a pool beyond this part counts as near a capacity. */
const FULL = 1 / 4;
/** Of the oracle's answer, so much may be missing, ... */
interface Allowed {
  /** where no pool is full; */
  readonly near: number;
  /** more than a thousandth, in this part of the cases where one is. */
  readonly fullShort: number;
}

/**
 * Expects splits on tiny markets that a plain search hardly beats. Returns in how many cases a pool
 * was full.
 */
export function expectHardlyMore(
  markets: Law,
  draw: (random: RandomSource) => readonly [ReadonlyArray<PlainPool>, SplitRequest],
  { near, fullShort }: Allowed,
): number {
  const complaints: string[] = [];
  const short: string[] = [];
  let compared = 0;
  let full = 0;
  for (const [seed, random] of markets.sources()) {
    const [pools, request] = draw(random);
    const judge = new SplitJudge({ chainId: 1, block: 1, pools }, NO_GAS_LIMIT);
    const fault = judge.fault(request);
    if (fault) complaints.push(`${seed}: ${fault}`);
    const oracle = oracleSplit(pools, request, Math.min(request.maxSplits, 64));
    if (oracle === undefined) continue;
    compared++;
    const shortfall = shortfallOf(judge.quote(request), request, oracle.amount) - oracle.rounding;
    const told = `${seed}: ${shortfall} short at ${oracle.fullness} full`;
    if (oracle.fullness >= FULL) full++;
    if (oracle.fullness < FULL && shortfall > near) complaints.push(told);
    if (oracle.fullness >= FULL && shortfall > 1e-3) short.push(told);
  }
  expect(complaints).toEqual([]);
  expect(compared).toBeGreaterThanOrEqual(surely(0.7 * markets.cases));
  expect(short.length, short.join("; ")).toBeLessThanOrEqual(surelyBelow(fullShort * full));
  return full;
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

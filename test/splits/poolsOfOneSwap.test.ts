import { type Curve, pathsOf, type Quote } from "@millrace/core";
import { curves } from "@millrace/protocols";
import type { PlainPool } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import { pair, plainPoolAt, tokenAt } from "../markets/plainPools.ts";
import { SplitJudge, type SplitRequest } from "../reference/SplitJudge.ts";

const WHOLE = 10n ** 18n;
const DEEP = plainPoolAt(0);
const PRICE = [WHOLE, WHOLE] as const;
const WORSE_PRICE = [WHOLE, (97n * WHOLE) / 100n] as const;

/** The curves, but pool 0 allows one swap in a route. */
const CURVES: ReadonlyArray<Curve> = curves.map((curve) => ({
  ...curve,
  open: (graph) => {
    const family = curve.open(graph);
    if (curve.name !== "constant-product") return family;
    return { ...family, feeFollowsSwaps: (index) => graph.poolAddress(index) === DEEP };
  },
}));

/** A deep pool from token 0 to 1, thirty small ones from there to 2, and thirty from 0 to 2. */
const pools: ReadonlyArray<PlainPool> = [
  pool(0, 0, 1, PRICE, 1_000_000n),
  ...Array.from({ length: 30 }, (_, number) => pool(1 + number, 1, 2, PRICE, 1_000n)),
  ...Array.from({ length: 30 }, (_, number) => pool(31 + number, 0, 2, WORSE_PRICE, 1_000n)),
];

function pool(
  number: number,
  tokenIn: number,
  tokenOut: number,
  [reserve0, reserve1]: readonly [bigint, bigint],
  depth: bigint,
): PlainPool {
  return {
    ...pair(number, tokenIn, tokenOut, 3_000),
    ...{ rule: "feeFirst", reserve0: reserve0 * depth, reserve1: reserve1 * depth },
  };
}

describe("of the paths through a pool that allows one swap", () => {
  const judge = new SplitJudge({ chainId: 1, block: 1, pools }, {}, CURVES);

  it.each([
    ["exactIn", 64],
    ["exactOut", 64],
    ["exactIn", 4],
    ["exactOut", 4],
  ] as const)("one is kept, and others replace the rest: %s over %d paths", (kind, maxSplits) => {
    const request: SplitRequest = {
      ...{ tokenIn: tokenAt(0), tokenOut: tokenAt(2), kind, amount: 1_000n * WHOLE },
      ...{ maxHops: 2, maxSplits },
    };
    const split = found(request);
    const { graph } = judge.open;
    expect(split.steps.filter(({ pool: index }) => graph.poolAddress(index) === DEEP).length).toBe(
      1,
    );
    expect(pathsOf(split).length).toBe(Math.min(maxSplits, 31));
    expect(judge.fault(request)).toBeUndefined();
    const without = found({ ...request, maxSplits: maxSplits - 1, withoutPools: [DEEP] });
    if (kind === "exactIn") expect(split.amountOut).toBeGreaterThan(without.amountOut);
    else expect(split.amountIn).toBeLessThan(without.amountIn);
  });

  function found(request: SplitRequest): Quote {
    const quote = judge.quote(request);
    if (!quote.found) throw new Error(quote.reason);
    return quote;
  }
});

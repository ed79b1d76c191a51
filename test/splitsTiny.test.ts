import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitsOf, requestsOn, tinyMarket } from "./reference/arbitraryMarkets.ts";
import type { PlainPool } from "./reference/plainMarket.ts";
import { seededRandom } from "./reference/random.ts";
import { SplitJudge, type SplitRequest } from "./reference/SplitJudge.ts";
import { sensibleMarket } from "./reference/sensibleMarkets.ts";
import { oracleSplit } from "./reference/splitOracle.ts";

// The seed is fixed; MILLRACE_FUZZ multiplies the budget.
const BUDGET = Number(process.env["MILLRACE_FUZZ"] ?? 1);
const NO_LIMIT = { gasLimit: Number.POSITIVE_INFINITY };

describe("on tiny markets at the edges of the arithmetic", () => {
  it("split quotes are what the contracts give, and never below one path", () => {
    const cases = tinyMarket.chain((pools) => {
      const splits = fc.constantFrom(2, 3, 8, 64, Number.POSITIVE_INFINITY);
      const requests = requestsOn(pools, 4);
      return fc.tuple(fc.constant(pools), requests, fc.tuple(splits, splits, splits, splits));
    });
    fc.assert(
      fc.property(cases, ([pools, requests, splits]) => {
        const judge = new SplitJudge({ chainId: 1, block: 1, pools }, NO_LIMIT);
        const asked = requests.map((request, place) => ({ ...request, maxSplits: splits[place]! }));
        for (const request of asked) expect(judge.fault(request)).toBe(undefined);
        // What was asked before must not show: in another order, another market says the same.
        const other = new SplitJudge({ chainId: 1, block: 1, pools }, NO_LIMIT);
        for (const request of asked.toReversed()) {
          expect(other.quote(request)).toEqual(judge.quote(request));
        }
      }),
      { seed: 2030, numRuns: 250 * BUDGET },
    );
  });
});

describe("on tiny markets that could be, a plain search for the best split finds hardly more", () => {
  it.each([
    ["exactIn", 2, 5e-3],
    ["exactIn", 3, 5e-3],
    ["exactIn", 64, 1e-4],
    ["exactOut", 2, 5e-3],
    ["exactOut", 3, 5e-3],
    ["exactOut", 64, 1e-4],
  ] as const)("%s over at most %i paths, within %d", (kind, maxSplits, tolerance) => {
    const random = seededRandom(maxSplits + (kind === "exactIn" ? 0 : 100));
    const complaints: string[] = [];
    let compared = 0;
    for (let market = 0; market < 150 * BUDGET; market++) {
      const pools = sensibleMarket(random);
      const judge = new SplitJudge({ chainId: 1, block: 1, pools }, NO_LIMIT);
      const request = { ...requestOn(pools, kind, random), maxSplits };
      const fault = judge.fault(request);
      if (fault) complaints.push(fault);
      const oracle = oracleSplit(pools, request, maxSplits);
      if (oracle === undefined) continue;
      compared++;
      const shortfall = shortfallOf(judge, request, oracle);
      if (shortfall > tolerance) complaints.push(`${describeRequest(request)}: ${shortfall} short`);
    }
    expect(complaints).toEqual([]);
    expect(compared).toBeGreaterThan(100 * BUDGET);
  });
});

/** From a hundred-thousandth of what a pool takes or gives up to all of it, and some more. */
function requestOn(
  pools: ReadonlyArray<PlainPool>,
  kind: SplitRequest["kind"],
  random: ReturnType<typeof seededRandom>,
): Omit<SplitRequest, "maxSplits"> {
  const pool = random.integer(2) === 0 ? pools[0]! : random.pick(pools);
  const zeroForOne = random.integer(2) === 0;
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  const [takes, gives] = limitsOf(pool, zeroForOne);
  const reserve = pool.family === "constantProduct" && (zeroForOne ? pool.reserve0 : pool.reserve1);
  const most = kind === "exactOut" ? gives! : reserve ? 2n * reserve : takes!;
  const share = BigInt(1 + random.integer(1_500));
  const amount = (most * share) / 1_000n / random.pick([1n, 1n, 10n, 1_000n, 100_000n]);
  return {
    tokenIn,
    tokenOut,
    kind,
    amount: amount < 1n ? 1n : amount,
    maxHops: 1 + random.integer(4),
  };
}

/** How much of the oracle's answer is missing; a unit or two is rounding, not a shortfall. */
function shortfallOf(judge: SplitJudge, request: SplitRequest, oracle: bigint): number {
  const quote = judge.quote(request);
  if (!quote.found) return 1;
  const missing = request.kind === "exactIn" ? oracle - quote.amountOut : quote.amountIn - oracle;
  return missing <= 2n ? 0 : Number(missing) / Number(oracle);
}

function describeRequest(request: SplitRequest): string {
  return JSON.stringify(request, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

import type { OpenMarket, Quote } from "@millrace/core";
import { type Law, law, type RandomSource, surely, surelyBelow } from "@millrace/testing";
import {
  type ExactSwap,
  engineMarket,
  exactSwap,
  limitsOf,
  type PlainMarket,
  type PlainPool,
  readMarket,
  tinyMarket,
} from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generatedPlainMarket } from "../markets/generatedMarket.ts";

const TINY_REQUESTS = 8;

/** A request for one path of exact output, by addresses. */
interface OutputRequest {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountOut: bigint;
  readonly maxHops: number;
}

/**
 * The outcomes of a market's cases: how many had a path, and how many paths their pools refused.
 */
class Tally {
  found = 0;
  refused = 0;
  readonly faults: string[] = [];
}

/** Compares exact output on one market with exact input, which is tested against the chain. */
class Inverse {
  private readonly open: OpenMarket;
  private readonly pools: ReadonlyMap<string, PlainPool>;
  private readonly swaps = new Map<string, ExactSwap>();
  private readonly limits = new Map<string, bigint>();

  constructor(market: PlainMarket) {
    // The additional gas of an excess input is not tested here.
    this.open = engineMarket(market, { gasLimit: Number.POSITIVE_INFINITY });
    this.pools = new Map(market.pools.map((pool) => [pool.address, pool]));
  }

  /** Any amount that a pool can give: of any width, a power of ten, or a part of all of it. */
  request(random: RandomSource): OutputRequest | undefined {
    const pool = random.pick([...this.pools.values()]);
    const zeroForOne = random.integer(2) === 0;
    const [from, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
    const { token0, token1 } = random.pick([...this.pools.values()]);
    const tokenIn = random.pick([from, from, token0, token1]);
    const limit = this.limit(pool, zeroForOne);
    if (limit < 1n || tokenIn === tokenOut) return undefined;
    const amount = random.pick([
      1n + random.bigint(1n << BigInt(1 + random.integer(limit.toString(2).length))),
      1n + random.bigint(1n << BigInt(1 + random.integer(limit.toString(2).length))),
      10n ** BigInt(random.integer(limit.toString().length)),
      limit / BigInt(1 + random.integer(50)),
    ]);
    const amountOut = amount > limit ? limit : amount < 1n ? 1n : amount;
    return { tokenIn, tokenOut, amountOut, maxHops: 1 + random.integer(4) };
  }

  judge(request: OutputRequest, tally: Tally): void {
    const quote = this.best("exactOut", request, request.amountOut);
    if (quote === undefined) return;
    tally.found++;
    const fail = (fault: string) => tally.faults.push(`${describeCase(request, quote)}: ${fault}`);
    if (quote.amountOut !== request.amountOut) fail("gives another amount");
    const given = this.along(quote, quote.amountIn);
    const best = this.best("exactIn", request, quote.amountIn)?.amountOut ?? 0n;
    if (given === undefined) {
      // A unit of a coarse token may be worth more than was asked for, and the next pool may be
      // full.
      tally.refused++;
      if (quote.steps.length === 1) fail("its own pool refuses the input");
    } else if (given < request.amountOut) fail(`gives ${given} on its own path`);
    else if (best < given) fail(`gives ${best} on the best path for it`);
    if (quote.amountIn === 1n) return;
    const less = this.along(quote, quote.amountIn - 1n) ?? 0n;
    const bestLess = this.best("exactIn", request, quote.amountIn - 1n)?.amountOut ?? 0n;
    if (less >= request.amountOut) fail("one unit less does too");
    else if (bestLess >= request.amountOut) fail("one unit less does too, on another path");
  }

  private best(kind: "exactIn" | "exactOut", request: OutputRequest, amount: bigint) {
    const { graph, router } = this.open;
    const tokenIn = graph.findToken(request.tokenIn)!;
    const tokenOut = graph.findToken(request.tokenOut)!;
    const { maxHops } = request;
    const result = router.quote({ tokenIn, tokenOut, kind, amount, maxHops });
    return result.found ? result : undefined;
  }

  /** The output of an input on the path of a quote; undefined where a pool refuses. */
  private along({ steps }: Quote, amountIn: bigint): bigint | undefined {
    const { graph } = this.open;
    let amount: bigint | undefined = amountIn;
    for (const { pool, tokenIn } of steps) {
      if (amount === undefined || amount === 0n) return amount;
      const plain = this.pools.get(graph.poolAddress(pool))!;
      amount = this.swap(plain, graph.tokenAddress(tokenIn) === plain.token0)(
        "exactIn",
        amount,
      )?.out;
    }
    return amount;
  }

  private swap(pool: PlainPool, zeroForOne: boolean): ExactSwap {
    const key = `${pool.address} ${zeroForOne}`;
    const swap = this.swaps.get(key) ?? exactSwap(pool, zeroForOne);
    this.swaps.set(key, swap);
    return swap;
  }

  private limit(pool: PlainPool, zeroForOne: boolean): bigint {
    const key = `${pool.address} ${zeroForOne}`;
    const limit = this.limits.get(key) ?? limitsOf(pool, zeroForOne)[1]!;
    this.limits.set(key, limit);
    return limit;
  }
}

function describeCase({ amountOut, maxHops }: OutputRequest, { amountIn, steps }: Quote): string {
  const path = steps.map((step) => `${step.pool}: ${step.amountIn} → ${step.amountOut}`);
  return `${amountIn} for ${amountOut}, ≤ ${maxHops} hops (${path.join(", ")})`;
}

function judged(inverse: Inverse, count: number, random: RandomSource): Tally {
  const tally = new Tally();
  for (let done = 0; done < count; ) {
    const request = inverse.request(random);
    if (request === undefined) continue;
    inverse.judge(request, tally);
    done++;
  }
  return tally;
}

describe("the input quoted for an output gives at least that, and one unit less does not", () => {
  it.each([
    ["universe a", () => readMarket("ethereum-2026-03/universe-a.json"), 1_000],
    ["universe b", () => readMarket("ethereum-2026-03/universe-b.json"), 1_000],
    [
      "a generated Ethereum",
      ({ seed }: Law) => generatedPlainMarket({ seed, poolCount: 400 }),
      1_000,
    ],
    [
      "a generated Base, with pools that take the fee first",
      ({ seed }: Law) => generatedPlainMarket({ seed, poolCount: 400, chainId: 8453 }),
      1_000,
    ],
  ] as const)("on %s", (name, market, count) => {
    const requests = law(`exact output is the least: ${name}`, count);
    const inverse = new Inverse(market(requests));
    const { faults, found, refused } = judged(inverse, requests.cases, requests.random());
    expect(found).toBeGreaterThanOrEqual(surely(0.8 * requests.cases));
    expect(refused).toBeLessThanOrEqual(surelyBelow(0.001 * found));
    expect(faults).toEqual([]);
  });

  it("on tiny markets at the edges of the arithmetic", () => {
    const markets = law("exact output is the least: tiny markets", 80);
    const random = markets.random();
    const tallies = fc
      .sample(tinyMarket, markets.options)
      .filter((pools) => pools.some((pool) => limitsOf(pool, true)[1]! > 0n))
      .map((pools) => judged(new Inverse({ chainId: 1, block: 1, pools }), TINY_REQUESTS, random));
    const found = tallies.reduce((sum, tally) => sum + tally.found, 0);
    expect(found).toBeGreaterThanOrEqual(surely(5 * markets.cases));
    const refused = tallies.reduce((sum, tally) => sum + tally.refused, 0);
    expect(refused).toBeLessThanOrEqual(surelyBelow(0.03 * found));
    expect(tallies.flatMap(({ faults }) => faults)).toEqual([]);
  });
});

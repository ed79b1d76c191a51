import {
  type Address,
  type Certificate,
  netOf,
  type OpenMarket,
  openMarket,
  pathsOf,
  type Quote,
  type QuoteKind,
  type QuoteRequest,
  type QuoteResult,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { marketFile } from "@millrace/replay";
import { law, type RandomSource, readData, sharedDataPath, surely } from "@millrace/testing";
import type { PlainPool } from "@millrace/testing/reference";
import { Effect, Stream } from "effect";
import { describe, expect, it } from "vitest";
import {
  anyRequest,
  manyTokenMarket,
  sensiblePools,
  sensibleStablePools,
} from "../markets/manyTokenMarket.ts";
import { mixedMarket, mixedRequest } from "../markets/mixedMarket.ts";
import { sensibleMarket, sensibleRequest } from "../markets/sensibleMarkets.ts";
import { NO_GAS_LIMIT, SplitJudge } from "../reference/SplitJudge.ts";
import { oracleSplit } from "../reference/splitOracle.ts";

/** Numbers of paths of certified routes: the bound must hold however far they are from the best. */
const SPLITS = [1, 2, 8, Number.POSITIVE_INFINITY];
const REQUESTS = 4;

const sensibleStableAndWeighted = (random: RandomSource, tokenCount: number) =>
  sensibleStablePools(random, tokenCount, true);

/** A query of a market of `../shared/data`, with the most that any routing could give. */
interface FixedQuery {
  readonly part: number;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: string;
  readonly ceiling: number;
}

type Certified = Quote & { readonly certificate: Certificate };

/** The answers to a request with several numbers of paths. */
function answersTo({ router }: OpenMarket, request: QuoteRequest): Quote[] {
  return SPLITS.flatMap((maxSplits) => {
    const quote = router.quote({ ...request, maxSplits, certify: true });
    return quote.found ? [quote] : [];
  });
}

const isCertified = (quote: Quote): quote is Certified => quote.certificate !== undefined;

/** The faults of certificates of answers to one request, each compared with all answers. */
function faultsOf(request: QuoteRequest, quotes: ReadonlyArray<Quote>): string[] {
  const certified = quotes.filter(isCertified);
  return certified.flatMap(({ certificate: { bound, gapBps, hops } }) => {
    const worth = request.kind === "exactIn" ? bound : -bound;
    const beyond = quotes.filter((quote) => netOf(request, quote) > worth);
    const faults = beyond.map((quote) => `${netOf(request, quote)} beyond ${worth}`);
    if (!(gapBps >= 0) || hops !== request.maxHops) faults.push(`a gap of ${gapBps}, ${hops} hops`);
    return faults;
  });
}

describe("no answer is better than the bound of a certificate", () => {
  it("in tiny markets of all curves, at prices of gas and among sets of DEXes, whatever is certified", () => {
    const markets = law("certificates in mixed markets", 20);
    let certificates = 0;
    for (const [index, random] of markets.sources()) {
      const market = mixedMarket(random, NO_GAS_LIMIT);
      for (let count = 0; count < REQUESTS; count++) {
        const filter = random.pick([undefined, { dexSets: [[0, 1], [2]] }, { withoutDexes: [1] }]);
        const request = { ...mixedRequest(random, market), filter };
        const quotes = answersTo(market, request);
        expect(faultsOf(request, quotes), `market ${index}, request ${count}`).toEqual([]);
        certificates += quotes.filter(isCertified).length;
      }
    }
    expect(certificates).toBeGreaterThanOrEqual(surely(markets.cases));
  });

  it.each([
    ["weighted pools", sensiblePools],
    ["stable and weighted pools", sensibleStableAndWeighted],
  ])("with pools of many tokens whose prices agree: %s", (name, draw) => {
    const markets = law(`certificates with ${name} of many tokens`, 10);
    for (const [index, random] of markets.sources()) {
      const tokenCount = random.between(3, 8);
      const market = manyTokenMarket(tokenCount, draw(random, tokenCount), NO_GAS_LIMIT);
      for (let count = 0; count < REQUESTS; count++) {
        const request = anyRequest(random, tokenCount, random.between(1, 4));
        const quotes = answersTo(market, request);
        expect(faultsOf(request, quotes), `market ${index}, request ${count}`).toEqual([]);
        expect(quotes.every(isCertified), `market ${index}, request ${count}`).toBe(true);
      }
    }
  });
});

describe("a request for a gap", () => {
  it("is met where all paths that there are come so close, and never by more paths than it may", () => {
    const markets = law("gaps in sensible markets", 40);
    let met = 0;
    for (const [index, random] of markets.sources()) {
      const pools = sensibleMarket(random);
      const judge = new SplitJudge({ chainId: 1, block: 1, pools }, NO_GAS_LIMIT);
      const kind = random.pick(["exactIn", "exactOut"] as const);
      const asked = judge.requestOf({
        ...sensibleRequest(pools, kind, random),
        maxSplits: Number.POSITIVE_INFINITY,
      });
      const most = judge.open.router.quote({ ...asked, certify: true });
      if (!most.found) continue;
      const gapBps = random.pick([0.01, 1, 30, 1_000]);
      const maxSplits = random.pick([undefined, 1, 2, 64]);
      const quote = judge.open.router.quote({ ...asked, maxSplits, gapBps });
      const context = `market ${index}: ${gapBps} bps, ${maxSplits} paths`;
      if (!quote.found) {
        // So few paths may not be able to take the amount, whatever the gap.
        expect(maxSplits, context).toBeDefined();
        expect(judge.open.router.quote({ ...asked, maxSplits }).found, context).toBe(false);
        continue;
      }
      const { certificate } = quote as Certified;
      expect(faultsOf(asked, [most, quote]), context).toEqual([]);
      expect(pathsOf(quote).length, context).toBeLessThanOrEqual(maxSplits ?? Infinity);
      const known = closer(kind, certificate.bound, most.certificate!.bound);
      const isClose = (one: Quote) => gapFrom(asked, one, known) <= gapBps;
      if (certificate.gapBps <= gapBps) met++;
      else if (maxSplits === undefined)
        expect(isClose(most) && !isClose(quote), context).toBe(false);
    }
    expect(met).toBeGreaterThanOrEqual(surely(0.5 * markets.cases));
  });
});

describe("among 4,000 pools of constant products", () => {
  it("any number of paths comes as close to the best routing as it proves, also for large trades", async () => {
    const file = "splits/cp-4000.json";
    const { queries } = readData<{ readonly queries: ReadonlyArray<FixedQuery> }>(file);
    const { blocks } = await Effect.runPromise(marketFile(sharedDataPath(file)));
    const { graph, router, writer } = openMarket(1, curves, NO_GAS_LIMIT);
    await Effect.runPromise(
      Stream.runForEach(blocks, (block) => Effect.sync(() => writer.applyBlock(block))),
    );
    const gaps = queries
      .filter(({ part }, index) => part === 0.1 && index % 2 === 0)
      .flatMap(({ tokenIn, tokenOut, amountIn, ceiling }) => {
        const request = {
          tokenIn: graph.findToken(tokenIn)!,
          tokenOut: graph.findToken(tokenOut)!,
          ...{ maxHops: 4, maxSplits: Number.POSITIVE_INFINITY, certify: true },
        };
        const most = router.quote({ ...request, kind: "exactIn", amount: BigInt(amountIn) });
        if (!most.found) throw new Error(most.reason);
        const { amountOut } = most;
        expect(Number(amountOut) / ceiling).toBeGreaterThan(1 - 5e-4);
        const least = router.quote({ ...request, kind: "exactOut", amount: amountOut });
        if (!least.found) throw new Error(least.reason);
        return [most, least].map((quote) => quote.certificate!.gapBps);
      });
    expect(gaps.length).toBe(12);
    expect(Math.max(...gaps)).toBeLessThan(10);
    expect(gaps.reduce((sum, gap) => sum + gap) / gaps.length).toBeLessThan(4);
  });
});

describe("a quote that fills a pool", () => {
  it("has a certificate, of which nothing is left to be gained", () => {
    for (let nth = 1n; nth <= 20n; nth++) {
      const quoteOf = quotesOfOnePool(nth * 3_141_592_653_589_793_238_463n);
      let [taken, refused] = [1n, 10n ** 24n];
      while (refused - taken > 1n) {
        const middle = (taken + refused) / 2n;
        if (quoteOf(middle).found) taken = middle;
        else refused = middle;
      }
      const quote = quoteOf(taken) as Certified;
      expect(quote.certificate.bound).toBeGreaterThanOrEqual(quote.amountOut);
      expect(quote.certificate.gapBps).toBeLessThan(0.01);
    }
  });
});

/** Certified quotes of a market of one pool, which has liquidity only around its price. */
function quotesOfOnePool(liquidity: bigint): (amount: bigint) => QuoteResult {
  const [token0, token1] = [numbered(0), numbered(1)];
  const pool: PlainPool = {
    ...{ address: numbered(9), token0, token1, feePips: 3_000, dexId: "CONCENTRATED" },
    ...{ family: "concentratedLiquidity", tickSpacing: 60, sqrtPriceX96: 1n << 96n, tick: 0 },
    ...{
      liquidity,
      ticks: new Map([-600, 600].map((tick) => [tick, tick < 0 ? liquidity : -liquidity])),
    },
  };
  const judge = new SplitJudge({ chainId: 1, block: 1, pools: [pool] }, NO_GAS_LIMIT);
  return (amount) => {
    const asked = { kind: "exactIn", amount, tokenIn: token0, tokenOut: token1 } as const;
    const request = judge.requestOf({ ...asked, maxHops: 1, maxSplits: 2 });
    return judge.open.router.quote({ ...request, certify: true });
  };
}

const numbered = (number: number): Address => `0x${String(number).padStart(40, "0")}`;

const closer = (kind: QuoteKind, one: bigint, other: bigint): bigint =>
  (kind === "exactIn") === one < other ? one : other;

/** In basis points. */
function gapFrom(request: QuoteRequest, quote: Quote, bound: bigint): number {
  const isIn = request.kind === "exactIn";
  const missed = isIn ? bound - quote.amountOut : quote.amountIn - bound;
  return (10_000 * Number(missed)) / Number(isIn ? quote.amountOut : quote.amountIn);
}

describe("in tiny markets that could be", () => {
  it.each(["exactIn", "exactOut"] as const)(
    "%s: no plain search goes beyond the bound, which the best split all but reaches",
    (kind) => {
      const markets = law(`certificates in sensible markets, ${kind}`, 40);
      const gaps: number[] = [];
      for (const [index, random] of markets.sources()) {
        const pools = sensibleMarket(random);
        const judge = new SplitJudge({ chainId: 1, block: 1, pools }, NO_GAS_LIMIT);
        const asked = sensibleRequest(pools, kind, random);
        const request = { ...asked, maxSplits: Number.POSITIVE_INFINITY };
        const quote = judge.open.router.quote({ ...judge.requestOf(request), certify: true });
        const oracle = oracleSplit(pools, asked, 64);
        if (!quote.found || oracle === undefined) continue;
        const { bound, gapBps } = quote.certificate!;
        const [beyond, limit] =
          kind === "exactIn" ? [oracle.amount, bound] : [-oracle.amount, -bound];
        expect(beyond <= limit, `market ${index}: ${beyond} beyond ${limit}`).toBe(true);
        gaps.push(gapBps);
      }
      gaps.sort((a, b) => a - b);
      expect(gaps.length).toBeGreaterThanOrEqual(surely(0.5 * markets.cases));
      expect(gaps[Math.floor(gaps.length / 2)]).toBeLessThan(1);
    },
  );
});

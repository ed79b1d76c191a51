import {
  type Explanation,
  explainQuote,
  HOPS_MAX,
  type OpenMarket,
  openMarket,
  pathsOf,
  type Quote,
  type QuoteRequest,
  type RouteExplanation,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { law, MEETS_EVERY_KIND, type RandomSource, surely } from "@millrace/testing";
import {
  type BruteRequest,
  engineMarket,
  type PlainPool,
  type PlainRequest,
  readMarket,
  requestsOn,
  StepCache,
  tinyMarket,
} from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generatedPlainMarket } from "../markets/generatedMarket.ts";
import { tradesOf } from "../markets/recordedTrades.ts";
import { BruteForce } from "../reference/bruteForce.ts";

const REQUESTS = 8;
/** Tolerance of sums of basis points, relative to the largest summand. */
const SUM_TOLERANCE = 1e-9;
/** Basis points that a step may gain by the rounding of floats. */
const GAIN_TOLERANCE = 1e-6;

const universeA = readMarket("ethereum-2026-03/universe-a.json");
const openA = engineMarket(universeA);

describe("the parts of the way from the mid price to the answer", () => {
  it("add up on tiny markets at the edges of the arithmetic", () => {
    fc.assert(
      fc.property(marketWithRequests, ([pools, requests]) => {
        const market = engineMarket({ chainId: 1, block: 1, pools });
        for (const request of requests) {
          const { quote, explanation } = answered(market, engineRequest(market, request));
          if (quote !== undefined) {
            expect(faultOfParts(market, pools, quote, explanation as RouteExplanation)).toBe(
              undefined,
            );
          }
        }
      }),
      law("explanations: parts add up on tiny markets", 30).options,
    );
  });

  it("add up for real trades, both ways, by one path and by several", () => {
    const asked = law("explanations: parts add up for real trades", 40);
    let split = 0;
    for (const [place, [tokenIn, tokenOut, amountIn, amountOut]] of tradesOf(asked).entries()) {
      const kind = place % 2 === 0 ? "exactIn" : "exactOut";
      const amount = BigInt(kind === "exactIn" ? amountIn : amountOut);
      const plain = { tokenIn, tokenOut, kind, amount, maxHops: 3 } as const;
      const request = { ...engineRequest(openA, plain), maxSplits: 1 + (place % 3) };
      const { quote, explanation } = answered(openA, request);
      if (quote === undefined) continue;
      if (pathsOf(quote).length > 1) split++;
      const explained = explanation as RouteExplanation;
      expect(faultOfParts(openA, universeA.pools, quote, explained)).toBe(undefined);
    }
    if (MEETS_EVERY_KIND) expect(split).toBeGreaterThan(0);
  });
});

describe("the runner-up of one path", () => {
  const expectBest = (
    open: OpenMarket,
    pools: ReadonlyArray<PlainPool>,
    requests: ReadonlyArray<BruteRequest>,
  ) => {
    let found = 0;
    for (const plain of requests) {
      const { quote, explanation } = answered(open, engineRequest(open, plain));
      if (quote === undefined) continue;
      const { runnerUp } = explanation as RouteExplanation;
      const others = quote.steps.map(({ pool }) => {
        const address = open.graph.poolAddress(pool);
        return new BruteForce({ pools: pools.filter((other) => other.address !== address) });
      });
      const amounts = others.flatMap((brute) => brute.best(plain).best?.amount ?? []);
      const best = amounts.reduce<bigint | undefined>((a, b) => better(plain, a, b), undefined);
      if (best !== undefined) found++;
      expect(runnerUp && amountOf(plain, runnerUp)).toBe(best);
    }
    expect(found).toBeGreaterThanOrEqual(surely(requests.length / 4));
  };

  it("is the best that brute force finds without one of the pools, on universe a", () => {
    const asked = tradesOf(law("explanations: the runner-up on universe a", 8));
    const requests = asked.map(([tokenIn, tokenOut, amountIn, amountOut], place) => {
      const kind = place % 2 === 0 ? "exactIn" : "exactOut";
      const amount = BigInt(kind === "exactIn" ? amountIn : amountOut);
      return { tokenIn, tokenOut, kind, amount, maxHops: 2 + (place % 2) } as const;
    });
    expectBest(openA, universeA.pools, requests);
  });

  it("is so too on a generated market with pools that take their fee first", () => {
    const asked = law("explanations: the runner-up on a generated market", 30);
    const random = asked.random();
    const market = generatedPlainMarket({ seed: asked.seed, poolCount: 60, chainId: 8453 });
    // Tokens with at least two pools: from others there is only one way.
    const ends = market.pools.flatMap(({ token0, token1 }) => [token0, token1]);
    const tokens = [...new Set(ends.filter((token, place) => ends.indexOf(token) < place))];
    const requests = Array.from({ length: asked.cases }, (_, place) => {
      const tokenIn = random.pick(tokens);
      const tokenOut = random.pick(tokens.filter((token) => token !== tokenIn));
      const kind = place % 3 === 0 ? "exactOut" : "exactIn";
      const amount = 10n ** BigInt(3 + random.integer(18));
      return { tokenIn, tokenOut, kind, amount, maxHops: 1 + random.integer(4) } as const;
    });
    expectBest(engineMarket(market), market.pools, requests);
  });
});

describe("the limit of a refusal", () => {
  it("is true on tiny markets at the edges of the arithmetic: what it says succeeds", () => {
    const { cases, options } = law("explanations: limits on tiny markets", 80);
    const kinds = new Set<string>();
    fc.assert(
      fc.property(marketWithRequests, ([pools, requests]) => {
        const market = engineMarket({ chainId: 1, block: 1, pools });
        for (const request of requests) {
          const asked = engineRequest(market, request);
          const { explanation } = answered(market, asked);
          if (explanation.kind !== "refusal") continue;
          kinds.add(explanation.limit.kind);
          expect(faultOfLimit(market, asked, explanation)).toBe(undefined);
        }
      }),
      options,
    );
    // A refusal because of gas alone is rare.
    if (cases < 2_000) kinds.add("gas");
    if (!MEETS_EVERY_KIND) return;
    expect([...kinds].sort()).toEqual(["capacity", "filter", "gas", "hops", "leastAmount"]);
  });

  it("is true for dust and for far too much, on universe a and on a generated market", () => {
    const asked = law("explanations: limits of absurd requests", 100);
    const { seed } = asked;
    const generated = openMarket(8453, curves);
    generated.writer.applyBlock(generateMarketBlock({ seed, poolCount: 400, chainId: 8453 }));
    const kinds = new Set<string>();
    for (const market of [openA, generated]) {
      const random = asked.random();
      for (let count = 0; count < asked.cases; count++) {
        const request = absurdRequest(market, random);
        const { explanation } = answered(market, request);
        if (explanation.kind !== "refusal") continue;
        kinds.add(explanation.limit.kind);
        expect(faultOfLimit(market, request, explanation)).toBe(undefined);
      }
    }
    if (!MEETS_EVERY_KIND) return;
    expect([...kinds].sort()).toEqual(["capacity", "filter", "hops", "leastAmount"]);
  });

  it("is found within a bounded number of quotes, however absurd the request", () => {
    let quotes = 0;
    const { router } = openA;
    const counting = {
      ...openA,
      router: {
        quote: (request: QuoteRequest) => {
          quotes++;
          return router.quote(request);
        },
      },
    } as OpenMarket;
    for (const [, random] of law("explanations: quotes a limit costs", 120).sources()) {
      const request = absurdRequest(openA, random);
      const result = router.quote(request);
      quotes = 0;
      explainQuote(counting, request, result);
      expect(quotes).toBeLessThan(100);
    }
  });
});

const marketWithRequests = tinyMarket.chain((pools) =>
  fc.tuple(fc.constant(pools), requestsOn(pools, REQUESTS)),
);

/** The fault of the parts of a quote, or undefined. */
function faultOfParts(
  { graph }: OpenMarket,
  pools: ReadonlyArray<PlainPool>,
  quote: Quote,
  explained: RouteExplanation,
): string | undefined {
  const { steps, feesBps, curveBps, totalBps, midPrice } = explained;
  const paths = pathsOf(quote);
  const priceOf = ({ pool, tokenIn }: Quote["steps"][number]) => {
    const plain = pools.find(({ address }) => address === graph.poolAddress(pool))!;
    return spotPrice(plain, graph.tokenAddress(tokenIn) === plain.token0);
  };
  const weights = paths.map((path) =>
    path.reduce((worth, step) => worth * priceOf(step), Number(path[0]!.amountIn)),
  );
  const atMid = weights.reduce((a, b) => a + b, 0);
  const scale = Math.max(1, feesBps, Math.abs(curveBps));
  const isNear = (a: number, b: number) => Math.abs(a - b) <= SUM_TOLERANCE * scale;
  const sum = (part: "feeBps" | "curveBps") => steps.reduce((total, step) => total + step[part], 0);
  if (Math.abs(midPrice / (atMid / Number(quote.amountIn)) - 1) > SUM_TOLERANCE) {
    return `a mid price of ${midPrice}, not ${atMid / Number(quote.amountIn)}`;
  }
  if (!isNear(totalBps, 10_000 * (1 - Number(quote.amountOut) / atMid))) return "another total";
  if (!isNear(feesBps + curveBps, totalBps)) return "fees and curve are not the total";
  if (!isNear(sum("feeBps"), feesBps) || !isNear(sum("curveBps"), curveBps)) return "other steps";
  if (steps.some(({ pool }, place) => pool !== quote.steps[place]!.pool)) return "other pools";
  // With several paths, an earlier path may have moved a pool's price.
  if (paths.length > 1) return undefined;
  for (const [place, step] of steps.entries()) {
    const { amountIn } = quote.steps[place]!;
    // A fee that is taken first is rounded down: up to a unit of it vanishes.
    const rounding = step.feeBps / Number(amountIn) / (graph.poolFeePips[step.pool]! / 1e6 || 1);
    if (step.feeBps < 0) return `step ${place} has a fee of ${step.feeBps}`;
    if (step.curveBps < -GAIN_TOLERANCE - rounding) return `step ${place} gains ${step.curveBps}`;
  }
  return undefined;
}

/** The price of an infinitely small trade, fee apart. */
function spotPrice(pool: PlainPool, zeroForOne: boolean): number {
  const price =
    pool.family === "constantProduct"
      ? Number(pool.reserve1) / Number(pool.reserve0)
      : (Number(new StepCache(pool, zeroForOne).firstPriceX96()) / 2 ** 96) ** 2;
  return zeroForOne ? price : 1 / price;
}

/** The fault of a refusal's limit, or undefined: asks for the limit, and for a little less. */
function faultOfLimit(
  market: OpenMarket,
  request: QuoteRequest,
  { limit, reason }: Extract<Explanation, { kind: "refusal" }>,
): string | undefined {
  const { router } = market;
  const finds = (amount: bigint) => router.quote({ ...request, amount }).found;
  const isLinked = (maxHops: number, filter: QuoteRequest["filter"]) => {
    const result = router.quote({ ...request, maxHops, ...(filter && { filter }) });
    return result.found || result.reason !== "NoRoute";
  };
  const story = () =>
    `${reason} by ${limit.kind} ${JSON.stringify(limit, text)} of ${request.amount}`;
  switch (limit.kind) {
    case "hops": {
      const { neededHops = HOPS_MAX + 1 } = limit;
      if (neededHops <= request.maxHops) return `${story()}: asked for already`;
      if (neededHops <= HOPS_MAX && !isLinked(neededHops, request.filter)) return `${story()}: no`;
      if (isLinked(Math.min(neededHops - 1, HOPS_MAX), request.filter))
        return `${story()}: less does`;
      return undefined;
    }
    case "filter": {
      const { filter: _, ...free } = request;
      const hops = Math.min(limit.neededHops, HOPS_MAX);
      const result = router.quote({ ...free, maxHops: hops });
      const links = result.found || result.reason !== "NoRoute";
      if (limit.neededHops <= HOPS_MAX && !links) return `${story()}: not without it`;
      return isLinked(HOPS_MAX, request.filter) ? `${story()}: not by the filter` : undefined;
    }
    case "leastAmount":
      if (limit.amount <= request.amount) return `${story()}: not more than asked`;
      if (!finds(limit.amount)) return `${story()}: gives nothing`;
      return finds(limit.amount - 1n) ? `${story()}: less does` : undefined;
    case "capacity":
    case "gas": {
      const { amount } = limit;
      const more = amount + (amount >> 10n) + 1n;
      if (amount >= request.amount) return `${story()}: not less than asked`;
      if (amount > 0n && !finds(amount)) return `${story()}: is refused`;
      return more < request.amount && finds(more) ? `${story()}: more does` : undefined;
    }
  }
}

const text = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);

function answered(market: OpenMarket, request: QuoteRequest) {
  const result = market.router.quote(request);
  const explanation = explainQuote(market, request, result);
  expect(explanation.kind).toBe(result.found ? "route" : "refusal");
  return { quote: result.found ? result : undefined, explanation };
}

function engineRequest({ graph }: OpenMarket, plain: PlainRequest): QuoteRequest {
  const { onlyDexes, withoutDexes, withoutPools, tokenIn, tokenOut, ...request } = plain;
  const dexIndex = (id: string) => graph.dexes.findIndex((dex) => dex.id === id);
  const filter = {
    ...(onlyDexes && { onlyDexes: onlyDexes.map(dexIndex) }),
    ...(withoutDexes && { withoutDexes: withoutDexes.map(dexIndex) }),
    ...(withoutPools && { withoutPools: withoutPools.map((pool) => graph.findPool(pool)!) }),
  };
  return {
    ...request,
    tokenIn: graph.findToken(tokenIn)!,
    tokenOut: graph.findToken(tokenOut)!,
    ...(Object.keys(filter).length > 0 && { filter }),
  };
}

/** Any two tokens, a power of two of any width, and sometimes one venue alone. */
function absurdRequest({ graph }: OpenMarket, random: RandomSource): QuoteRequest {
  const tokenIn = random.integer(graph.tokenCount);
  const tokenOut = (tokenIn + 1 + random.integer(graph.tokenCount - 1)) % graph.tokenCount;
  const width = random.pick([random.integer(20), random.integer(256)]);
  return {
    tokenIn: tokenIn as QuoteRequest["tokenIn"],
    tokenOut: tokenOut as QuoteRequest["tokenOut"],
    kind: random.pick(["exactIn", "exactOut"]),
    amount: 1n << BigInt(width),
    maxHops: 1 + random.integer(HOPS_MAX),
    ...(random.integer(3) === 0 && {
      filter: { onlyDexes: [random.integer(graph.dexes.length)] },
    }),
  };
}

function amountOf({ kind }: BruteRequest, quote: Quote): bigint {
  return kind === "exactIn" ? quote.amountOut : quote.amountIn;
}

function better({ kind }: BruteRequest, a: bigint | undefined, b: bigint): bigint {
  if (a === undefined) return b;
  return (kind === "exactIn") === a > b ? a : b;
}

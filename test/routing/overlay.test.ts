import {
  type Assumption,
  NO_HASH,
  type OpenMarket,
  type Overlay,
  openOverlay,
  openSnapshot,
  type PoolIndex,
  type PoolListing,
  type QuoteRequest,
  recomputeRoute,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { law, type RandomSource, surely } from "@millrace/testing";
import { engineMarket, type PlainMarket, readMarket } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import {
  randomAssumptions,
  randomRequest,
  randomState,
  swappedBy,
} from "../markets/arbitraryAssumptions.ts";
import {
  type Addressed,
  addressed,
  answerOf,
  changedMarket,
  livePools,
  plainAnswer,
  write,
} from "../markets/changedMarket.ts";
import { generatedPlainMarket } from "../markets/generatedMarket.ts";

/** Opened from a snapshot, as `changedMarket` is, so that ties are broken alike. */
function open(market: PlainMarket): OpenMarket {
  return openSnapshot(engineMarket(market).snapshot(), curves);
}

const universe = () => readMarket("ethereum-2026-03/universe-a.json");
const generated = (seed: number, poolCount: number) =>
  generatedPlainMarket({ seed, poolCount, chainId: 8453 });

interface Case {
  readonly request: QuoteRequest;
  readonly assumptions: ReadonlyArray<Addressed>;
  readonly overlay: Overlay;
}

/** Overlays that could be opened, and the problems of those that could not. */
function randomCases(market: OpenMarket, count: number, random: RandomSource) {
  const cases: Case[] = [];
  const faults: string[] = [];
  let refused = 0;
  for (let index = 0; index < count; index++) {
    const request = randomRequest(market, random);
    const assumptions = randomAssumptions(market, request, random);
    const overlay = openOverlay(market, assumptions);
    if (!overlay.refused) {
      cases.push({ request, assumptions: addressed(market, assumptions), overlay });
      continue;
    }
    refused++;
    const truth = changedMarket(market, addressed(market, assumptions));
    if (truth !== overlay.index) faults.push(`${index}: ${overlay.index} ${overlay.reason}`);
  }
  expect(faults).toEqual([]);
  return { cases, refused };
}

/**
 * Opens the market that an overlay assumes; undefined where it is impossible, as the overlay
 * reports.
 */
function truthOf(market: OpenMarket, { assumptions, overlay }: Case): OpenMarket | undefined {
  const truth = changedMarket(market, assumptions);
  const isRefused = typeof truth === "number";
  expect(overlay.refusal()?.index).toBe(isRefused ? truth : undefined);
  return isRefused ? undefined : truth;
}

/** Checks that market and overlay agree; gives whether there is a route. */
function agree(
  market: OpenMarket,
  overlay: Overlay,
  truth: OpenMarket,
  request: QuoteRequest,
): boolean {
  const result = plainAnswer(market, overlay.quoteUnsafe(request));
  const expected = plainAnswer(truth, answerOf(market, truth, request));
  if (!isEqualPath(truth, request, result, expected)) expect(result).toEqual(expected);
  return result.found;
}

/**
 * Whether an answer is another path that gives as much in a market that really is so. Of equal
 * paths the first one stays, and their order hangs on bounds, which need not be as tight.
 */
function isEqualPath(
  truth: OpenMarket,
  { kind, gasPrice }: QuoteRequest,
  result: ReturnType<typeof plainAnswer>,
  expected: ReturnType<typeof plainAnswer>,
): boolean {
  if (!result.found || !expected.found || gasPrice !== undefined) return false;
  const { steps, amountIn, amountOut, gas, stamp } = result;
  const isOther = steps.some(({ pool }, index) => pool !== expected.steps[index]?.pool);
  const [first, last] = [steps[0]!, steps.at(-1)!];
  const sameEnds =
    first.tokenIn === expected.steps[0]!.tokenIn &&
    last.tokenOut === expected.steps.at(-1)!.tokenOut;
  if (!isOther || !sameEnds || steps.length !== expected.steps.length) return false;
  if (amountIn !== expected.amountIn || amountOut !== expected.amountOut) return false;
  const hops = steps.map(({ pool, tokenIn, tokenOut }) => ({
    pool: truth.graph.findPool(pool)!,
    tokenIn: truth.graph.findToken(tokenIn)!,
    tokenOut: truth.graph.findToken(tokenOut)!,
  }));
  const amount = kind === "exactIn" ? amountIn : amountOut;
  const real = recomputeRoute(truth, { kind, paths: [{ amount, hops }] });
  expect(real).toMatchObject({ filled: true, amountIn, amountOut, gas, stamp });
  return true;
}

/** Every array of a graph, as bytes. */
function bytesOf({ graph }: Pick<OpenMarket, "graph">): Map<string, Buffer> {
  const arrays = Object.entries(graph).filter(([, value]) => ArrayBuffer.isView(value));
  return new Map(
    arrays.map(([name, { buffer, byteOffset, byteLength }]) => [
      name,
      Buffer.from(Buffer.from(buffer, byteOffset, byteLength)),
    ]),
  );
}

function checkCases(market: OpenMarket, count: number, requestsEach: number, random: RandomSource) {
  const before = bytesOf(market);
  const snapshot = market.snapshot();
  const untouched = openSnapshot(snapshot, curves);
  const { cases, refused } = randomCases(market, count, random);
  expect(refused).toBeGreaterThanOrEqual(surely(count / 8));
  const truths = cases.map((one) => truthOf(market, one)!);
  let found = 0;
  // In turns: between two requests to one overlay come other overlays and the market itself.
  for (let round = 0; round < requestsEach; round++) {
    for (const [index, { overlay, request: first }] of cases.entries()) {
      const request = round === 0 ? first : randomRequest(market, random);
      if (agree(market, overlay, truths[index]!, request)) found++;
      expect(market.router.quote(request)).toEqual(untouched.router.quote(request));
    }
  }
  expect(found).toBeGreaterThanOrEqual(surely((cases.length * requestsEach) / 4));
  expect(Buffer.compare(market.snapshot(), snapshot)).toBe(0);
  expect(bytesOf(market)).toEqual(before);
  expectNoTrace(market);
}

/**
 * Checks that the work of overlays is undone: bounds that stay too loose would only be slow, which
 * no answer shows.
 */
function expectNoTrace(market: OpenMarket): void {
  const overlay = openOverlay(market, []);
  if (overlay.refused) throw new Error(overlay.reason);
  const { graph } = overlay;
  expect(graph.outlierCount).toBe(market.graph.outlierCount);
  const [own, expected] = [bytesOf({ graph }), bytesOf(market)];
  // The twin counts its own versions, and outliers beyond their count do not matter.
  for (const name of ["poolVersion", "outliers"])
    for (const all of [own, expected]) all.delete(name);
  expect(own).toEqual(expected);
}

describe("an overlay answers as a market that really is so, and leaves the market alone", () => {
  it("with recorded pools", () => {
    const some = law("overlays: recorded pools", 20);
    checkCases(open(universe()), some.cases, 6, some.random());
  });

  it("with a generated market", () => {
    const some = law("overlays: a generated market", 24);
    checkCases(open(generated(some.seed, 400)), some.cases, 6, some.random());
  });

  it("with small markets, where every pool matters", () => {
    const markets = law("overlays: small markets", 3);
    for (const [index, random] of markets.sources())
      checkCases(open(generated(markets.seed + index, 24)), 40, 6, random);
  });
});

describe("an overlay follows its market", () => {
  /** Changes states, and sometimes removes, adds or restores a pool. */
  function nextBlock(market: OpenMarket, gone: PoolListing[], random: RandomSource): void {
    const { graph } = market;
    const pools = livePools(market);
    const states = Array.from({ length: 3 }, () => random.pick(pools)).map((pool) => ({
      pool: graph.poolAddress(pool),
      state: randomState(market, pool, random),
    }));
    const number = graph.stamp.number + 1;
    const stamp = { number, hash: NO_HASH, timestampMs: 12_000 * number };
    const back = gone.length > 2 || random.integer(3) === 0 ? gone.splice(0, 1) : [];
    const leaving = random.integer(3) === 0 ? [random.pick(pools)] : [];
    const taken = leaving.map((pool) => listingOf(market, pool));
    gone.push(...taken);
    const removedPools = taken.map(({ address }) => address);
    const pool = back[0]?.address;
    const fresh =
      pool === undefined ? [] : [{ pool, state: randomState(market, pools[0]!, random) }];
    write(market, { stamp, pools: back, removedPools, states: [...states, ...fresh] });
  }

  function listingOf({ graph }: OpenMarket, pool: PoolIndex): PoolListing {
    return {
      address: graph.poolAddress(pool),
      dexId: graph.dexes[graph.poolDex[pool]!]!.id,
      tokens: [0, 1].map((position) => graph.tokenAddress(graph.poolToken(pool, position))),
      feePips: graph.poolFeePips[pool]!,
      parameter: graph.poolParameter[pool]!,
    };
  }

  it("through blocks that change states, and pools that come and go", () => {
    let refusals = 0;
    let answers = 0;
    const markets = law("overlays: follow their market", 3);
    for (const [index, random] of markets.sources()) {
      const market = open(generated(markets.seed + index, 40));
      const { cases } = randomCases(market, 12, random);
      const gone: PoolListing[] = [];
      for (let block = 0; block < 12; block++) {
        nextBlock(market, gone, random);
        for (const one of cases) {
          const truth = truthOf(market, one);
          if (truth === undefined) refusals++;
          else {
            for (let count = 0; count < 3; count++) {
              const request = count === 0 ? one.request : randomRequest(market, random);
              if (agree(market, one.overlay, truth, request)) answers++;
            }
          }
        }
      }
    }
    // One lost pool refuses many.
    expect(refusals).toBeGreaterThanOrEqual(surely(4 * markets.cases));
    expect(answers).toBeGreaterThanOrEqual(surely(75 * markets.cases));
  });
});

describe("a chain of quotes, each on top of those before it", () => {
  it("gives what the same swaps give when the market fills them", () => {
    const market = open(universe());
    const filled = openSnapshot(market.snapshot(), curves);
    const swaps = law("overlays: a chain of quotes", 20);
    const random = swaps.random();
    const assumptions: Assumption[] = [];
    let steps = 0;
    while (assumptions.length < swaps.cases) {
      const overlay = openOverlay(market, assumptions);
      if (overlay.refused) throw new Error(overlay.reason);
      const request = { ...randomRequest(market, random), maxSplits: 4 };
      const result = overlay.quoteUnsafe(request);
      expect(result).toEqual(filled.router.quote(request));
      if (!result.found) continue;
      // The input of an exact output may give more: what a pool gives to one path of a split, it
      // lacks for the next. Together, its swaps give no less.
      const more = new Map<PoolIndex, bigint>();
      for (const { pool, tokenIn, tokenOut, amountIn, amountOut } of result.steps) {
        const { graph, families } = filled;
        const [from, to] = [graph.poolPosition(pool, tokenIn), graph.poolPosition(pool, tokenOut)];
        const family = families[graph.poolCurve[pool]!]!;
        const swap = family.swapExactIn(pool, from, to, amountIn);
        more.set(pool, (more.get(pool) ?? 0n) + swap!.amountOut - amountOut);
        expect(more.get(pool)).toBeGreaterThanOrEqual(0n);
        filled.writer.applySwap(swap!);
        assumptions.push(swappedBy({ pool, tokenIn, tokenOut, amountIn }));
        steps++;
      }
    }
    expect(steps).toBeGreaterThanOrEqual(swaps.cases);
  });
});

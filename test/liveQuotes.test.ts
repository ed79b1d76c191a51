import { env } from "node:process";
import type { QuoteResult } from "@millrace/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChainQuotes } from "./live/ChainQuotes.ts";
import { Crowd } from "./live/Crowd.ts";
import { edgeRequests } from "./live/edges.ts";
import { type LiveMarket, openLiveMarket } from "./live/LiveMarket.ts";
import {
  type PathRequest,
  pickAmount,
  pickPath,
  quotePath,
  type VenuePool,
  withVenues,
} from "./live/paths.ts";
import { readPools } from "./live/readPools.ts";
import { seededRandom } from "./reference/random.ts";
import { getTickAtSqrtRatio } from "./reference/tickMath.ts";

// The engine's quotes are held against QuoterV2, the Router02s and the pairs, to the wei.

/** Markets, each some blocks after the one before, that are quoted in. */
const ROUNDS = Number(env["MILLRACE_LIVE_QUOTE_ROUNDS"] ?? 5);
const SEED = 20_261_121;

describe("quotes of a followed chain", () => {
  const random = seededRandom(SEED);
  let live: LiveMarket;
  let crowd: Crowd;
  let contracts: ChainQuotes;
  beforeAll(async () => {
    live = await openLiveMarket("ETH", SEED, async () => ({ auditedPools: 0 }));
    crowd = new Crowd(live.chain, live.devnet, SEED);
    contracts = new ChainQuotes(live.chain, live.devnet);
  });
  afterAll(() => live?.close());

  /** Moves the market on, and gives its pools as they stand then. */
  async function nextMarket(): Promise<ReadonlyArray<VenuePool>> {
    await crowd.blocks(2, 120);
    await live.run(live.devnet.traffic.block(20));
    await live.caughtUp();
    return withVenues(await readPools(live.chain, live.devnet), live.engine, live.devnet);
  }

  it("are those of the contracts, or refusals where a contract reverts or fills a part", async () => {
    const tally: Tally = { requests: 0, refusals: 0, dust: 0, wordEnds: 0, ticks: 0, multiHop: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const pools = await nextMarket();
      const concentrated = pools.filter(({ venue }) => venue === "v3");
      const pairs = pools.filter(({ venue }) => venue === "v2");
      const sisters = pools.filter(({ venue }) => venue === "v2Sister");
      const forks = pools.filter(({ venue }) => venue === "v2Fork");
      const edges = concentrated.flatMap((pool) => edgeRequests(live.engine, pool));
      const whole = [
        ...draw(concentrated, 1, 400),
        ...Array.from({ length: 250 }, () => random.pick(edges)),
        ...draw(concentrated, 3, 120),
        ...draw(pairs, 1, 120),
        ...draw(pairs, 3, 80),
        ...draw(sisters, 2, 80),
      ];
      check(pools, whole, await contracts.ofPaths(whole), tally);
      const mixed = [...draw(pools, 3, 150), ...draw(forks, 1, 120)];
      check(pools, mixed, await contracts.hopByHop(mixed), tally);
    }
    expect(tally.requests).toBeGreaterThanOrEqual(1_000 * ROUNDS);
    expect(tally.refusals).toBeGreaterThan(100 * ROUNDS);
    expect(tally.dust).toBeGreaterThan(100 * ROUNDS);
    expect(tally.wordEnds).toBeGreaterThan(100 * ROUNDS);
    expect(tally.multiHop).toBeGreaterThan(100 * ROUNDS);
    console.log(tally);
  });

  function draw(pools: ReadonlyArray<VenuePool>, maxHops: number, count: number): PathRequest[] {
    if (pools.length === 0) return [];
    return Array.from({ length: count }, () => {
      const hops = pickPath(pools, maxHops === 1 ? 1 : 2 + random.integer(maxHops - 1), random);
      const kind = random.integer(2) === 0 ? "exactIn" : "exactOut";
      return { hops, kind, amount: pickAmount(hops, kind, random) };
    });
  }

  function check(
    _pools: ReadonlyArray<VenuePool>,
    requests: ReadonlyArray<PathRequest>,
    answers: Awaited<ReturnType<ChainQuotes["ofPaths"]>>,
    tally: Tally,
  ): void {
    for (const [index, request] of requests.entries()) {
      const { amount, sqrtPricesX96After, isExecutable } = answers[index]!;
      const ours = quotePath(live.engine, request);
      const expected = amount === 0n ? undefined : amount;
      if (!isExecutable && !ours.found) continue;
      expect(otherAmount(ours, request), describeRequest(request, ours)).toBe(expected);
      if (!ours.found && request.hops.every(({ pool }) => pool.head[0]! > 0n))
        expect(ours.reason).not.toBe("NoRoute");
      tally.requests++;
      if (expected === undefined) tally.refusals++;
      if (request.amount < 10n) tally.dust++;
      if (request.hops.length > 1) tally.multiHop++;
      const [{ pool }] = request.hops as [PathRequest["hops"][number]];
      const [after] = sqrtPricesX96After;
      if (expected === undefined || after === undefined || request.hops.length > 1) continue;
      const word = (tick: number) => Math.floor(tick / pool.parameter / 256);
      const [from, to] = [Number(pool.head[1]), getTickAtSqrtRatio(after)];
      if (word(from) !== word(to)) tally.wordEnds++;
      if (from !== to) tally.ticks++;
    }
  }
});

interface Tally {
  requests: number;
  refusals: number;
  dust: number;
  wordEnds: number;
  ticks: number;
  multiHop: number;
}

function otherAmount(quote: QuoteResult, { kind, amount }: PathRequest): bigint | undefined {
  if (!quote.found) return undefined;
  expect(kind === "exactIn" ? quote.amountIn : quote.amountOut).toBe(amount);
  return kind === "exactIn" ? quote.amountOut : quote.amountIn;
}

function describeRequest({ hops, kind, amount }: PathRequest, ours: QuoteResult): string {
  const path = hops.map(({ pool, inPlace }) => `${pool.venue} ${pool.address} ${inPlace}`);
  return `${kind} ${amount} over ${path.join(", ")}${ours.found ? "" : ` (${ours.reason})`}`;
}

import type { Quote, QuoteResult } from "@millrace/core";
import { law, RandomSource, TEST_SEED } from "@millrace/testing";
import { getTickAtSqrtRatio } from "@millrace/testing/reference";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainQuote, ChainQuotes, isExecutable } from "../live/ChainQuotes.ts";
import { edgeRequests } from "../live/edges.ts";
import { type Execution, executeQuotes } from "../live/executeQuotes.ts";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";
import {
  amountBeyondGas,
  type DeployedPool,
  hopsOf,
  type PathRequest,
  pickAmount,
  pickPath,
  quotePath,
  withDeployment,
} from "../live/paths.ts";
import { RandomTraders } from "../live/RandomTraders.ts";
import { readPools } from "../live/readPools.ts";

// The engine's quotes are compared with QuoterV2, the Router02s and the pairs, to the wei. For an
// output, the engine takes the least input that gives it. Where a contract's formula asks for more,
// the contract must give the output for the engine's input, but not for one unit less.

const PATIENCE_MS = 600_000;
const RESERVE_MAX = 2n ** 112n - 1n;

describe("quotes of a followed chain", { timeout: PATIENCE_MS }, () => {
  const random = new RandomSource(TEST_SEED);
  let live: LiveMarket;
  let crowd: RandomTraders;
  let contracts: ChainQuotes;
  let pools: ReadonlyArray<DeployedPool>;
  beforeAll(async () => {
    live = await openLiveMarket("ETH", TEST_SEED, async () => ({ auditedPools: 0 }));
    crowd = new RandomTraders(live.chain, live.devnet, TEST_SEED);
    contracts = new ChainQuotes(live.chain, live.devnet);
    await nextMarket();
  });
  afterAll(() => live?.close());

  /** Moves the market on, and reads `pools` anew. */
  async function nextMarket(): Promise<void> {
    await crowd.blocks(2, 120);
    for (let block = 0; block < 5; block++) await live.run(live.devnet.traffic.block(4));
    await live.caughtUp();
    const readings = await readPools(live.chain, live.devnet);
    pools = [...readings.values()].map((pool) => withDeployment(pool, live.devnet));
  }

  const of = (...venues: ReadonlyArray<string>) =>
    pools.filter(({ deployment }) => venues.includes(deployment));

  /** Random requests over one pool, or over two to `maxHops`. */
  const draw = (from: ReadonlyArray<DeployedPool>, maxHops: number, count: number) =>
    Array.from({ length: count }, (): PathRequest => {
      const hops = pickPath(from, maxHops === 1 ? 1 : 2 + random.integer(maxHops - 1), random);
      const kind = random.integer(2) === 0 ? "exactIn" : "exactOut";
      return { hops, kind, amount: pickAmount(hops, kind, random) };
    });

  it("are those of the contracts, or refusals where a contract reverts or fills a part", async () => {
    const tally = new Tally();
    const { cases: rounds } = law("quotes are those of the contracts, market after market", 1);
    for (let round = 0; round < rounds; round++) {
      await nextMarket();
      const edges = of("v3").flatMap((pool) => edgeRequests(live.engine, pool));
      const asked = [
        ...draw(of("v3"), 1, 400),
        ...Array.from({ length: 250 }, () => random.pick(edges)),
        ...draw(of("v3"), 3, 120),
        ...draw(of("v2"), 1, 120),
        ...draw(of("v2"), 3, 80),
        ...draw(of("v2Sister"), 2, 80),
      ];
      const cheaper = compare(live, asked, await contracts.ofPaths(asked), tally);
      await areLeast(cheaper, (requests) => contracts.ofPaths(requests));
      const mixed = [...draw(pools, 4, 150), ...draw(of("v2Fork"), 1, 120)];
      const cheaperMixed = compare(live, mixed, await contracts.hopByHop(mixed), tally);
      await areLeast(cheaperMixed, (requests) => contracts.hopByHop(requests));
    }
    expect(tally.requests).toBeGreaterThan(1_200 * rounds);
    expect(tally.refusals).toBeGreaterThan(200 * rounds);
    expect(tally.dust).toBeGreaterThan(150 * rounds);
    expect(tally.wordEnds).toBeGreaterThan(100 * rounds);
    expect(tally.multiHop).toBeGreaterThan(250 * rounds);
    expect(tally.cheaper).toBeGreaterThan(40 * rounds);
  });

  it("of pairs are what `swap` itself accepts, and the next wei is refused", async () => {
    const requests = draw(of("v2", "v2Sister", "v2Fork"), 1, 400);
    const quotes = requests.map((request) => quotePath(live.engine, request));
    const claims = requests.flatMap(({ hops, kind, amount }, index) => {
      const [{ pool, positionIn }] = hops as [PathRequest["hops"][number]];
      const quote = quotes[index]!;
      const swap = (amountIn: bigint, amountOut: bigint, passes: boolean) => ({
        ...{ pool, positionIn, amountIn, amountOut, passes },
      });
      const most = RESERVE_MAX - pool.head[positionIn]!;
      if (!quote.found)
        return [kind === "exactIn" ? swap(amount, 1n, false) : swap(most, amount, false)];
      const { amountIn, amountOut } = quote;
      const worse =
        kind === "exactIn"
          ? swap(amountIn, amountOut + 1n, false)
          : swap(amountIn - 1n, amountOut, false);
      return [swap(amountIn, amountOut, true), worse];
    });
    const passes = await contracts.swapsPass(claims);
    expect(passes).toEqual(claims.map((claim) => claim.passes));
    expect(claims.filter((claim) => claim.passes).length).toBeGreaterThan(150);
    expect(quotes.filter(({ found }) => !found).length).toBeGreaterThan(50);
  });

  it("of the best route say for each step what its contract says", async () => {
    const routes = bestRoutes(600);
    const steps = routes.flatMap(stepsOf);
    const answers = await contracts.hopByHop(steps.map(({ request }) => request));
    const cheaper: Cheaper[] = [];
    for (const [index, { request, other }] of steps.entries()) {
      const { hops, kind, amount } = request;
      const answer = answers[index]!;
      if (kind === "exactOut" && isLess(other, answer))
        cheaper.push({ hops, amountIn: other, amountOut: amount });
      else expect(other, `${kind} ${amount} of ${hops[0]!.pool.address}`).toBe(answer.amount);
    }
    await areLeast(cheaper, (requests) => contracts.hopByHop(requests));
    expect(cheaper.length).toBeLessThan(steps.length / 20);
    expect(routes.length).toBeGreaterThan(300);
    expect(steps.length).toBeGreaterThan(routes.length * 1.5);
  });

  it("are what a trader gets who sends the best route through the routers", async () => {
    const { cases } = law("best routes give what was quoted when they are sent", 50);
    const affordable = bestRoutes(3 * cases).filter(({ quote, hops }) => isAffordable(quote, hops));
    const steps = affordable.flatMap((route) => stepsOf(route).map((step) => ({ route, ...step })));
    const answers = await contracts.hopByHop(steps.map(({ request }) => request));
    // The router uses exact outputs, for which some pools need more than the least input.
    const dearer = new Set(
      steps
        .filter(
          ({ request, other }, at) => request.kind === "exactOut" && isLess(other, answers[at]!),
        )
        .map(({ route }) => route),
    );
    const routes = affordable.filter((route) => !dearer.has(route)).slice(0, cases);
    const outcomes = await executeQuotes(live.chain, live.devnet, routes);
    const promised = routes.map(({ quote: { amountIn, amountOut, steps } }) => [
      -amountIn,
      ...Array.from({ length: steps.length - 1 }, () => 0n),
      amountOut,
    ]);
    expect(outcomes).toEqual(promised);
    expect(routes.length).toBe(cases);
    expect(routes.filter(({ hops }) => hops.length > 1).length).toBeGreaterThan(cases / 4);
    // Each swap was mined in a block that was then reverted.
    await live.run(live.devnet.traffic.block(5));
    await live.caughtUp();
    expect(await live.run(live.source.verify(live.engine.snapshot()))).toMatchObject({
      equal: true,
      differences: [],
    });
  });

  /** Best routes between random tokens, over all venues or over one. */
  function bestRoutes(requests: number): Execution[] {
    const { graph, quoteUnsafe } = live.engine;
    return draw(pools, 4, requests).flatMap(({ hops, kind, amount }, index) => {
      const tokens = [hops[0]!, hops.at(-1)!].map(({ pool, positionIn }, end) =>
        graph.findToken(pool.tokens[end === 0 ? positionIn : 1 - positionIn]!),
      );
      const only = { filter: { onlyDexes: [random.integer(graph.dexes.length)] } };
      const quote = quoteUnsafe({
        ...{ tokenIn: tokens[0]!, tokenOut: tokens[1]!, kind, amount, maxHops: 4 },
        ...(index % 2 === 0 ? {} : only),
      });
      return quote.found ? [{ quote, kind, hops: hopsOf(live.engine, quote, pools) }] : [];
    });
  }

  /** Whether a trader holds the input. */
  function isAffordable({ amountIn }: Quote, hops: Execution["hops"]): boolean {
    const [{ pool, positionIn }] = hops as [Execution["hops"][number]];
    const token = live.devnet.tokens.find(({ address }) => address === pool.tokens[positionIn])!;
    return amountIn < 10n ** BigInt(token.decimals + 4);
  }
});

/** The steps of a route, each as a request of its own, and the amount that its quote says. */
const stepsOf = ({ quote, kind, hops }: Execution) =>
  hops.map((hop, place) => {
    const { amountIn, amountOut } = quote.steps[place]!;
    const [amount, other] = kind === "exactIn" ? [amountIn, amountOut] : [amountOut, amountIn];
    return { request: { hops: [hop], kind, amount } satisfies PathRequest, other };
  });

class Tally {
  requests = 0;
  refusals = 0;
  dust = 0;
  wordEnds = 0;
  multiHop = 0;
  cheaper = 0;

  add({ hops, amount }: PathRequest, { amount: other, sqrtPricesX96After }: ChainQuote): void {
    this.requests++;
    if (!other) this.refusals++;
    if (amount < 10n) this.dust++;
    if (hops.length > 1) this.multiHop++;
    const [after] = sqrtPricesX96After;
    if (hops.length > 1 || after === undefined || !other) return;
    const [{ pool }] = hops as [PathRequest["hops"][number]];
    const word = (tick: number) => Math.floor(tick / pool.parameter / 256);
    if (word(Number(pool.head[1])) !== word(getTickAtSqrtRatio(after))) this.wordEnds++;
  }
}

/** An output for which the engine asks for less input than the contract's formula does. */
interface Cheaper {
  readonly hops: PathRequest["hops"];
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** Whether an input is less than a contract asks for, which happens to be more than the least. */
function isLess(amountIn: bigint, { amount, asksMore }: ChainQuote): boolean {
  return asksMore && amount !== undefined && amountIn < amount;
}

/** Checks that the contracts give the outputs for these inputs, and not for one unit less. */
async function areLeast(
  cheaper: ReadonlyArray<Cheaper>,
  ask: (requests: ReadonlyArray<PathRequest>) => Promise<ReadonlyArray<ChainQuote>>,
): Promise<void> {
  if (cheaper.length === 0) return;
  const asked = (less: bigint) =>
    ask(cheaper.map(({ hops, amountIn }) => ({ hops, kind: "exactIn", amount: amountIn - less })));
  const [given, withLess] = [await asked(0n), await asked(1n)];
  for (const [index, { hops, amountIn, amountOut }] of cheaper.entries()) {
    const told = `${amountIn} for ${amountOut} of ${hops.map(({ pool }) => pool.address)}`;
    expect(given[index]!.amount, told).toBeGreaterThanOrEqual(amountOut);
    expect(withLess[index]!.amount ?? 0n, told).toBeLessThan(amountOut);
  }
}

/** Checks that answers are equal; gives the outputs for which the engine needs less input. */
function compare(
  { engine }: LiveMarket,
  requests: ReadonlyArray<PathRequest>,
  answers: ReadonlyArray<ChainQuote>,
  tally: Tally,
): ReadonlyArray<Cheaper> {
  const cheaper: Cheaper[] = [];
  for (const [index, request] of requests.entries()) {
    const answer = answers[index]!;
    const ours = quotePath(engine, request);
    if (!isExecutable(answer) && !ours.found) continue;
    const told = describeRequest(request, ours);
    const { hops, kind, amount } = request;
    const other = otherAmount(ours, request) ?? amountBeyondGas(engine, request);
    if (kind === "exactOut" && other !== undefined && isLess(other, answer)) {
      cheaper.push({ hops, amountIn: other, amountOut: amount });
    } else {
      // An output of nothing is no quote.
      expect(other, told).toBe(answer.amount || undefined);
    }
    if (!ours.found && request.hops.every(({ pool }) => pool.head[0]! > 0n))
      expect(ours.reason, told).not.toBe("NoRoute");
    tally.add(request, answer);
  }
  tally.cheaper += cheaper.length;
  return cheaper;
}

function otherAmount(quote: QuoteResult, { kind, amount }: PathRequest): bigint | undefined {
  if (!quote.found) return undefined;
  expect(kind === "exactIn" ? quote.amountIn : quote.amountOut).toBe(amount);
  return kind === "exactIn" ? quote.amountOut : quote.amountIn;
}

function describeRequest({ hops, kind, amount }: PathRequest, ours: QuoteResult): string {
  const path = hops.map(
    ({ pool, positionIn }) => `${pool.deployment} ${pool.address} ${positionIn}`,
  );
  return `${kind} ${amount} over ${path.join(", ")}${ours.found ? "" : ` (${ours.reason})`}`;
}

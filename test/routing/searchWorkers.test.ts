import { assert, describe, it } from "@effect/vitest";
import {
  type MarketBlock,
  type OpenMarket,
  openMarket,
  openSearchWorkers,
  openSnapshot,
  type QuoteRequest,
  type QuoteResult,
  type SearchWorkers,
  type TokenIndex,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { generateMarketBlock } from "@millrace/replay";
import { type Law, law, RandomSource, surely } from "@millrace/testing";
import { Effect, Fiber } from "effect";
import { blockStorm } from "../markets/blockStorm.ts";

// Threads search a market of all families while it is written: each answer must be exactly that of
// the market at one block.

const curvesModule = new URL(import.meta.resolve("@millrace/protocols/curves"));
const FIRST = generateMarketBlock({ seed: 41, poolCount: 4_000 });

/** The storm lasts until there are this many answers and torn searches. */
const ANSWERS = 50;
const TORN = 8;
const BLOCKS_MAX = 600;
const STATES_A_BLOCK = 60;
const CALLERS = 6;
/** Blocks between two comparisons with a market that is opened from the snapshot. */
const SNAPSHOT_EVERY = 6;
const ASKED_AT_SNAPSHOT = 4;

function generated(): OpenMarket {
  const market = openMarket(1, curves);
  market.writer.applyBlock(FIRST);
  return market;
}

/** A trade between any two tokens, or of a hub token, of a thousandth to a half of a pool. */
function randomRequest({ graph, families }: OpenMarket, random: RandomSource): QuoteRequest {
  const token = () => random.integer(random.integer(3) === 0 ? 5 : graph.tokenCount) as TokenIndex;
  const tokenIn = token();
  let tokenOut = token();
  while (tokenOut === tokenIn) tokenOut = token();
  const kind = random.pick(["exactIn", "exactIn", "exactOut"] as const);
  const known = kind === "exactIn" ? tokenIn : tokenOut;
  const slot = graph.slotStart[known]!;
  const pool = graph.slotPool[slot]! as never;
  const held = families[graph.poolCurve[pool]!]!.tokenAmounts(pool);
  const most = held[graph.slotPositions[slot]! >> 3] ?? 0n;
  return {
    tokenIn,
    tokenOut,
    kind,
    amount: 1n + most / random.pick([2n, 30n, 1_000n]),
    maxHops: random.pick([3, 4, 4]),
    maxSplits: random.pick([1, 1, 4, 12]),
    ...(random.integer(5) === 0 && { filter: { withoutDexes: [random.integer(3)] } }),
  };
}

describe("worker threads on a market of all families", () => {
  it.live("answer bit for bit as the caller's thread does", () =>
    Effect.gen(function* () {
      const market = generated();
      const some = law("search threads: as the caller's thread", 50);
      const random = some.random();
      const workers = yield* openSearchWorkers(market, { count: 2, curvesModule });
      yield* workers.ready;
      const requests = Array.from({ length: some.cases }, () => randomRequest(market, random));
      const answers = yield* Effect.forEach(requests, workers.quote, { concurrency: 8 });
      for (const [place, request] of requests.entries()) {
        assert.deepStrictEqual(answers[place], market.router.quote(request));
      }
      assert.isAtLeast(answers.filter(({ found }) => found).length, surely(0.6 * some.cases));
      assert.deepInclude(workers.counts(), { answered: requests.length, searchedHere: 0 });
    }),
  );

  it.live("answer, in a storm of blocks, for exactly the block they name", () =>
    Effect.gen(function* () {
      const storm = law("search threads: answers in a storm of blocks", ANSWERS);
      const market = generated();
      const workers = yield* openSearchWorkers(market, { count: 2, curvesModule });
      yield* workers.ready;
      const { answers, blocks, snapshots } = yield* weather(market, workers, storm);
      const { answered, torn } = workers.counts();
      // The threads have really read the market during writes.
      assert.isAtLeast(torn, TORN);
      assert.isAtLeast(answered, storm.cases);
      for (const { number, result } of answers) {
        if (result.found) assert.strictEqual(result.stamp.number, number);
      }
      assert.isAbove(answers.filter(({ result }) => result.found).length, storm.cases / 2);
      compareWithReplay(blocks, answers);
      compareWithSnapshots(market, snapshots, answers);
    }),
  );
});

interface StormAnswer {
  readonly request: QuoteRequest;
  readonly result: QuoteResult;
  /** Number of the newest block when the answer came. */
  readonly number: number;
}

/** Applies blocks, one every few ms, and asks all the while. */
const weather = Effect.fnUntraced(function* (
  market: OpenMarket,
  { counts, quote }: SearchWorkers,
  { cases, seed }: Law,
) {
  const storm = blockStorm(market, new RandomSource(seed));
  const blocks: MarketBlock[] = [];
  const snapshots = new Map<number, Uint8Array>();
  const answers: StormAnswer[] = [];
  const caller = (number: number) =>
    Effect.gen(function* () {
      const random = new RandomSource(seed + number);
      while (true) {
        const request = randomRequest(market, random);
        const result = yield* quote(request);
        answers.push({ request, result, number: market.graph.stamp.number });
      }
    });
  const callers = yield* Effect.forEach(
    Array.from({ length: CALLERS }, (_, index) => 1 + index),
    (number) => Effect.forkChild(caller(number)),
  );
  const random = new RandomSource(seed);
  const isOver = () => counts().answered >= cases && counts().torn >= TORN;
  for (let number = 2; number < BLOCKS_MAX && !isOver(); number++) {
    const block = storm(number, STATES_A_BLOCK);
    const { rejected } = market.writer.applyBlock(block);
    assert.deepStrictEqual(rejected, []);
    blocks.push(block);
    if (number % SNAPSHOT_EVERY === 2) {
      snapshots.set(number, market.snapshot());
      // However slow the machine is, some answers are of this block.
      for (let asked = 0; asked < ASKED_AT_SNAPSHOT; asked++) {
        const { filter: _, ...request } = randomRequest(market, random);
        answers.push({ request, result: yield* quote(request), number });
      }
    }
    yield* Effect.sleep(number % 8);
  }
  yield* Effect.forEach(callers, Fiber.interrupt);
  return { answers, blocks, snapshots };
});

/** Checks that another market gives the same answers after each of the blocks. */
function compareWithReplay(
  blocks: ReadonlyArray<MarketBlock>,
  answers: ReadonlyArray<StormAnswer>,
): void {
  const market = generated();
  for (const block of [undefined, ...blocks]) {
    if (block !== undefined) market.writer.applyBlock(block);
    const { stamp } = market.graph;
    for (const { number, request, result } of answers) {
      if (number !== stamp.number) continue;
      assert.deepStrictEqual(result, market.router.quote(request), JSON.stringify(stamp));
    }
  }
}

/** Checks the same of markets opened from snapshots, where tokens and pools have other indexes. */
function compareWithSnapshots(
  { graph }: OpenMarket,
  snapshots: ReadonlyMap<number, Uint8Array>,
  answers: ReadonlyArray<StormAnswer>,
): void {
  let compared = 0;
  const opened = new Map<number, OpenMarket>();
  for (const { number, request, result } of answers) {
    const bytes = snapshots.get(number);
    if (bytes === undefined || request.filter !== undefined) continue;
    const market = opened.get(number) ?? openSnapshot(bytes, curves);
    opened.set(number, market);
    const other = (token: TokenIndex) => market.graph.findToken(graph.tokenAddress(token));
    const [tokenIn, tokenOut] = [other(request.tokenIn), other(request.tokenOut)];
    if (tokenIn === undefined || tokenOut === undefined) continue; // in no live pool
    const expected = market.router.quote({ ...request, tokenIn, tokenOut });
    const amounts = (quote: QuoteResult) =>
      quote.found ? [quote.amountIn, quote.amountOut, quote.stamp.number] : quote.reason;
    assert.deepStrictEqual(amounts(result), amounts(expected));
    compared++;
  }
  assert.isAbove(compared, 0);
}

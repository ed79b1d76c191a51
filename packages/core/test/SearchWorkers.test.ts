import { assert, describe, it } from "@effect/vitest";
import { Cause, Effect, Exit, Fiber, Stream } from "effect";
import { Cycles } from "../src/cycles/Cycles.ts";
import { Engine } from "../src/Engine.ts";
import { quoteExplained } from "../src/explain/explainQuote.ts";
import type { MarketBlock } from "../src/graph/MarketBlock.ts";
import type { TokenIndex } from "../src/graph/PoolGraph.ts";
import { type OpenMarket, openMarket } from "../src/openMarket.ts";
import type { QuoteRequest } from "../src/search/quote.ts";
import { isHeavy } from "../src/workers/isHeavy.ts";
import {
  openSearchWorkers,
  type SearchWorkers,
  type SearchWorkersOptions,
} from "../src/workers/SearchWorkers.ts";
import { address, capacityState, emptyBlock, marketOf } from "./markets.ts";
import { curves, ENTERED, EXITS, SPINS, TEARS, THROWS, THROWS_TORN } from "./workerProtocols.ts";

const curvesModule = new URL("./workerProtocols.ts", import.meta.url);

/** Tokens 1 … 5 in a chain of pools, and what the pool of 1 and 2 takes. */
function chain(capacity = 1_000_000n): MarketBlock {
  return marketOf(5, [
    { tokens: [1, 2], rate: 2, capacity },
    { tokens: [2, 3], rate: 3 },
    { tokens: [3, 4], rate: 5 },
    { tokens: [4, 5], rate: 7 },
  ]);
}

function marketWith(block: MarketBlock) {
  const market = openMarket(1, curves);
  market.writer.applyBlock(block);
  return market;
}

function request(from: number, to: number): QuoteRequest {
  return {
    tokenIn: (from - 1) as TokenIndex,
    tokenOut: (to - 1) as TokenIndex,
    kind: "exactIn",
    amount: 10n,
    maxHops: 4,
  };
}

const readyWorkers = (market: OpenMarket, options: SearchWorkersOptions) =>
  Effect.tap(openSearchWorkers(market, options), ({ ready }) => ready);

const threadCount = () =>
  process.getActiveResourcesInfo().filter((resource) => resource === "MessagePort").length;

/** Waits until a thread searches the first pool, which keeps it. */
const entered = ({ graph }: OpenMarket) =>
  Effect.sleep(5).pipe(
    Effect.repeat({ until: () => Effect.sync(() => graph.poolUpdatedBlock[0] === ENTERED) }),
  );

describe("worker threads", () => {
  it.live("answer as the caller's thread does, block after block, whatever a block brings", () =>
    Effect.gen(function* () {
      const market = marketWith(chain());
      const workers = yield* readyWorkers(market, { count: 2, curvesModule });
      const requests = [request(1, 5), request(5, 1), request(2, 4)];
      const grown = marketOf(60, [
        ...chain().pools.map((_, n) => ({ tokens: [n + 1, n + 2] })),
        ...Array.from({ length: 40 }, (_, n) => ({ tokens: [1, n + 6], rate: n + 2 })),
        ...Array.from({ length: 40 }, (_, n) => ({ tokens: [n + 6, 5], rate: n + 1 })),
      ]);
      const venues = [{ id: "OTHER", name: "Other", protocol: "fixed-rate", factory: address(9) }];
      const blocks = [
        emptyBlock(2),
        { ...emptyBlock(3), states: [{ pool: address(100), state: capacityState(0n) }] },
        { ...grown, stamp: emptyBlock(4).stamp, dexes: venues },
        { ...emptyBlock(5), removedPools: [address(101), address(110)] },
      ];
      for (const block of blocks) {
        market.writer.applyBlock(block);
        for (const asked of requests) {
          assert.deepStrictEqual(yield* workers.quote(asked), market.router.quote(asked));
          assert.deepStrictEqual(yield* workers.explained(asked), quoteExplained(market, asked));
          // The second venue comes later.
          const withoutDexes = market.graph.dexes.length > 1 ? [1] : [];
          const filtered = { ...asked, filter: { withoutDexes, withoutPools: [] } };
          assert.deepStrictEqual(yield* workers.quote(filtered), market.router.quote(filtered));
        }
      }
      assert.deepStrictEqual(workers.counts(), {
        answered: 9 * blocks.length,
        torn: 0,
        searchedHere: 0,
        lost: 0,
      });
    }),
  );

  it.live("find cycles as the caller's thread does, and leave them where no thread searches", () =>
    Effect.gen(function* () {
      const pools = [2, 3, 4].map((rate) => ({ tokens: [1, 2], rate }));
      const market = marketWith(marketOf(2, [...pools, { tokens: [2, 1], rate: 1 }]));
      const workers = yield* openSearchWorkers(market, { count: 1, curvesModule });
      const token = 0 as TokenIndex;
      for (const number of [2, 3]) {
        const found = yield* workers.cycles(token, 2);
        assert.deepStrictEqual(found, new Cycles(market).find(token, 2));
        assert.isAbove(found!.length, 0);
        const states = [{ pool: address(100), state: capacityState(BigInt(number)) }];
        market.writer.applyBlock({ ...emptyBlock(number), states });
      }
      assert.deepInclude(workers.counts(), { answered: 2, searchedHere: 0 });
      const curvesNowhere = new URL("./nowhere.ts", import.meta.url);
      const none = yield* openSearchWorkers(market, { count: 1, curvesModule: curvesNowhere });
      assert.isUndefined(yield* none.cycles(token, 2));
      assert.deepInclude(none.counts(), { answered: 0, searchedHere: 0 });
    }),
  );

  it.live("end with their scope, even in the middle of a search that never ends", () =>
    Effect.gen(function* () {
      const before = threadCount();
      const market = marketWith(chain(SPINS));
      const answer = yield* Effect.scoped(
        Effect.gen(function* () {
          const workers = yield* readyWorkers(market, { count: 2, curvesModule });
          assert.strictEqual(threadCount(), before + 2);
          const asked = Effect.forkDetach(workers.quote(request(1, 2)), { startImmediately: true });
          return yield* Effect.tap(asked, entered(market));
        }),
      );
      assert.strictEqual(threadCount(), before);
      // Who waits for it gets it from the caller's thread.
      assert.deepStrictEqual(yield* Fiber.join(answer), market.router.quote(request(1, 2)));
    }),
  );

  it.live("are not waited for: until they are ready the caller's thread searches", () =>
    Effect.gen(function* () {
      const market = marketWith(chain());
      const workers = yield* openSearchWorkers(market, { count: 1, curvesModule });
      assert.deepStrictEqual(
        yield* workers.quote(request(1, 5)),
        market.router.quote(request(1, 5)),
      );
      assert.deepInclude(workers.counts(), { answered: 0, searchedHere: 1 });
      yield* workers.ready;
      assert.isTrue((yield* workers.quote(request(1, 5))).found);
      assert.deepInclude(workers.counts(), { answered: 1, searchedHere: 1 });
    }),
  );

  it.live("that cannot start are done without", () =>
    Effect.gen(function* () {
      const market = marketWith(chain());
      const nowhere = new URL("./nowhere.ts", import.meta.url);
      const workers = yield* openSearchWorkers(market, { count: 2, curvesModule: nowhere });
      assert.isTrue(Exit.isFailure(yield* Effect.exit(workers.ready)));
      assert.deepStrictEqual(
        yield* workers.quote(request(1, 5)),
        market.router.quote(request(1, 5)),
      );
      assert.deepInclude(workers.counts(), { answered: 0, searchedHere: 1, lost: 0 });
    }),
  );

  it.live("drop what is interrupted, waiting or not", () =>
    Effect.gen(function* () {
      const market = marketWith(chain(SPINS));
      const workers = yield* readyWorkers(market, { count: 1, curvesModule });
      const start = (asked: QuoteRequest) =>
        Effect.forkChild(workers.quote(asked), { startImmediately: true });
      const running = yield* start(request(1, 2));
      yield* entered(market);
      const waiting = yield* start(request(3, 4));
      const last = yield* start(request(4, 5));
      assert.strictEqual(workers.waitingCount(), 2);
      yield* Fiber.interrupt(waiting);
      yield* Fiber.interrupt(running);
      assert.strictEqual(workers.waitingCount(), 1);
      // Its thread is freed when the search is known to be in vain.
      market.writer.applyBlock(emptyBlock(2));
      assert.deepStrictEqual(yield* Fiber.join(last), market.router.quote(request(4, 5)));
      assert.strictEqual(workers.counts().lost, 1);
    }),
  );

  it.live("search again what they read while a block came, with nothing kept of it", () =>
    Effect.gen(function* () {
      for (const trial of [TEARS, THROWS_TORN]) {
        const market = marketWith(chain(trial));
        const workers = yield* readyWorkers(market, { count: 1, curvesModule });
        const answer = yield* Effect.forkChild(workers.quote(request(1, 2)), {
          startImmediately: true,
        });
        yield* entered(market);
        const states = [{ pool: address(100), state: capacityState(500n) }];
        market.writer.applyBlock({ ...emptyBlock(2), states });
        assert.deepStrictEqual(yield* Fiber.join(answer), market.router.quote(request(1, 2)));
        assert.deepStrictEqual(
          yield* workers.quote(request(1, 5)),
          market.router.quote(request(1, 5)),
        );
        const counts = { answered: 2, torn: 1, searchedHere: 0, lost: 0 };
        assert.deepStrictEqual(workers.counts(), counts);
      }
    }),
  );

  it.live("are ended when they search in vain, and the request is searched anew", () =>
    Effect.gen(function* () {
      const market = marketWith(chain(SPINS));
      const workers = yield* readyWorkers(market, { count: 2, curvesModule });
      const answer = yield* Effect.forkChild(workers.quote(request(1, 5)), {
        startImmediately: true,
      });
      yield* entered(market);
      const states = [{ pool: address(100), state: capacityState(500n) }];
      market.writer.applyBlock({ ...emptyBlock(2), states });
      assert.deepStrictEqual(yield* Fiber.join(answer), market.router.quote(request(1, 5)));
      assert.deepInclude(workers.counts(), { answered: 1, lost: 1 });
    }),
  );

  it.live("that die are replaced, and their request is answered all the same", () =>
    Effect.gen(function* () {
      const market = marketWith(chain(EXITS));
      const workers = yield* readyWorkers(market, { count: 2, curvesModule });
      const deadly = request(1, 2);
      assert.deepStrictEqual(yield* workers.quote(deadly), market.router.quote(deadly));
      assert.deepInclude(workers.counts(), { answered: 0, searchedHere: 1, lost: 2 });
      yield* askUntilAnswered(workers);
      assert.strictEqual(workers.counts().lost, 2);
    }),
  );

  it.live("pass on what a search dies of, and live on", () =>
    Effect.gen(function* () {
      const market = marketWith(chain(THROWS));
      const workers = yield* readyWorkers(market, { count: 1, curvesModule });
      const exit = yield* Effect.exit(workers.quote(request(1, 2)));
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause));
      assert.include(String(exit), "a pool that throws");
      assert.isTrue((yield* workers.quote(request(3, 4))).found);
      assert.deepInclude(workers.counts(), { answered: 1, lost: 0 });
    }),
  );

  it.live("need the market's families, and at least one thread", () =>
    Effect.gen(function* () {
      const before = threadCount();
      const market = marketWith(chain());
      const wrong = [
        { count: 0, curvesModule },
        { count: 1, curvesModule: new URL("./markets.ts", import.meta.url) },
        { count: 2, curvesModule: new URL("./nowhere.ts", import.meta.url) },
      ];
      for (const options of wrong) {
        const exit = yield* Effect.exit(readyWorkers(market, options));
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause));
      }
      assert.strictEqual(threadCount(), before);
    }),
  );
});

const askUntilAnswered = (workers: SearchWorkers) =>
  workers
    .quote(request(3, 4))
    .pipe(
      Effect.andThen(Effect.sleep(20)),
      Effect.repeat({ until: () => Effect.sync(() => workers.counts().answered > 0) }),
    );

describe("a request is heavy", () => {
  const small = { slotCount: 2_000 };
  const large = { slotCount: 100_000 };

  it("for one path only with four pools, on a large market", () => {
    assert.isFalse(isHeavy(small, { maxHops: 4 }));
    assert.isFalse(isHeavy(large, { maxHops: 3, maxSplits: 1 }));
    assert.isTrue(isHeavy(large, { maxHops: 4, maxSplits: 1 }));
  });

  it("for a split the sooner, the more paths and pools it may have", () => {
    assert.isFalse(isHeavy(small, { maxHops: 3, maxSplits: 8 }));
    assert.isTrue(isHeavy(small, { maxHops: 4, maxSplits: 8 }));
    assert.isTrue(isHeavy(small, { maxHops: 3, maxSplits: Number.POSITIVE_INFINITY }));
    assert.isTrue(isHeavy(large, { maxHops: 1, maxSplits: 2 }));
  });
});

describe("an engine", () => {
  // A star: every token has a pool with the first.
  const star = marketOf(
    1_001,
    Array.from({ length: 1_000 }, (_, n) => ({ tokens: [1, n + 2] })),
  );
  const source = { chainId: 1, blocks: Stream.make(star) };
  const light: QuoteRequest = { ...request(3, 4), maxHops: 3, maxSplits: 4 };
  const heavy: QuoteRequest = { ...light, maxSplits: 16 };

  it.live("has heavy requests searched by its worker threads, the others not", () =>
    Effect.gen(function* () {
      const engine = yield* Engine.make({
        source,
        curves,
        workers: { count: 1, curvesModule },
      });
      yield* engine.workers!.ready;
      assert.isTrue(engine.isHeavy(heavy));
      assert.isFalse(engine.isHeavy(light));
      assert.deepStrictEqual(yield* engine.quote(heavy), engine.quoteUnsafe(heavy) as never);
      assert.deepStrictEqual(yield* engine.quote(light), engine.quoteUnsafe(light) as never);
      assert.strictEqual(engine.workers?.counts().answered, 1);
      const refused = yield* Effect.flip(engine.quote({ ...heavy, amount: 10n ** 9n }));
      assert.include(refused, { reason: "InsufficientLiquidity" });
    }),
  );

  it.live("starts no thread where none is asked for, and searches all by itself", () =>
    Effect.gen(function* () {
      const before = threadCount();
      const engine = yield* Engine.make({ source, curves });
      assert.isTrue(isHeavy(engine.graph, heavy));
      assert.isFalse(engine.isHeavy(heavy));
      assert.isTrue((yield* engine.quote(heavy)).found);
      assert.isUndefined(engine.workers);
      assert.strictEqual(threadCount(), before);
    }),
  );
});

import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber, Queue, Stream } from "effect";
import { Engine, QuoteError } from "../src/Engine.ts";
import type { AppliedBlock } from "../src/graph/AppliedBlock.ts";
import type { MarketBlock } from "../src/graph/MarketBlock.ts";
import { MarketSourceError } from "../src/MarketSource.ts";
import { address, capacityState, emptyBlock, fixedRate, marketOf, token } from "./markets.ts";

const first = marketOf(3, [{ tokens: [1, 2], rate: 2 }, { tokens: [2, 3] }]);

function request(engine: Engine["Service"], amount: bigint) {
  return {
    tokenIn: token(engine, 1),
    tokenOut: token(engine, 3),
    kind: "exactIn",
    amount,
    maxHops: 3,
  } as const;
}

describe("Engine", () => {
  it.effect("is ready with the first block, quotes both ways of calling alike, and refuses", () =>
    Effect.gen(function* () {
      const engine = yield* Engine;
      const quote = yield* engine.quote(request(engine, 10n));
      assert.strictEqual(quote.amountOut, 20n);
      assert.deepStrictEqual(engine.quoteUnsafe(request(engine, 10n)), quote);
      assert.strictEqual(engine.tokenListing(token(engine, 2)).symbol, "T2");
      const error = yield* Effect.flip(engine.quote(request(engine, 10n ** 12n)));
      assert.deepStrictEqual(error, new QuoteError({ reason: "InsufficientLiquidity" }));
      const senseless = yield* Effect.flip(engine.quote(request(engine, 0n)));
      assert.strictEqual(senseless._tag, "QuoteRequestError");
      assert.throws(() => engine.quoteUnsafe(request(engine, -1n)), /amount/);
    }).pipe(
      Effect.provide(
        Engine.layer({
          source: { chainId: 1, blocks: Stream.make(first) },
          curves: [fixedRate],
        }),
      ),
    ),
  );

  it.effect("passes on what is told of the past, which changes nothing of the market", () =>
    Effect.gen(function* () {
      const blocks = yield* Queue.unbounded<MarketBlock>();
      yield* Queue.offer(blocks, first);
      const status = { sinceMs: 5_000, isComplete: false };
      const engine = yield* Engine.make({
        source: { chainId: 1, blocks: Stream.fromQueue(blocks), history: () => status },
        curves: [fixedRate],
      });
      assert.deepStrictEqual(engine.history(), status);
      const before = { bytes: engine.snapshot(), topology: engine.graph.topologyVersion };
      const parts = yield* Queue.unbounded<AppliedBlock>();
      engine.onPart((part) => Queue.offerUnsafe(parts, part));
      const history = [{ stamp: emptyBlock(0).stamp, swaps: [] }];
      yield* Queue.offer(blocks, { ...emptyBlock(first.stamp.number), history });
      const applied = yield* Queue.take(parts);
      assert.strictEqual(applied.block.history, history);
      assert.deepStrictEqual([applied.changedPools, applied.topologyChanged], [[], false]);
      assert.strictEqual(engine.graph.topologyVersion, before.topology);
      assert.deepStrictEqual(engine.snapshot(), before.bytes);
    }),
  );

  it.effect("tells of every block after it was applied", () =>
    Effect.gen(function* () {
      const blocks = yield* Queue.unbounded<MarketBlock>();
      yield* Queue.offer(blocks, first);
      const engine = yield* Engine.make({
        source: { chainId: 1, blocks: Stream.fromQueue(blocks) },
        curves: [fixedRate],
      });
      const heard: number[] = [];
      const unsubscribe = engine.onApplied(({ stamp }) => heard.push(stamp.number));
      const streamed = yield* engine.applied.pipe(
        Stream.take(2),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true }),
      );
      const states = [{ pool: address(100), state: capacityState(0n) }];
      yield* Queue.offer(blocks, { ...emptyBlock(2), states });
      yield* Queue.offer(blocks, {
        ...emptyBlock(3),
        supplies: [{ token: address(1), totalSupply: 5n }],
      });
      const applied = yield* Fiber.join(streamed);
      assert.deepStrictEqual(
        applied.map(({ stamp }) => stamp.number),
        [2, 3],
      );
      assert.deepStrictEqual(heard, [2, 3]);
      assert.strictEqual(engine.quoteUnsafe(request(engine, 10n)).found, false);
      assert.strictEqual(engine.totalSupply(token(engine, 1)), 5n);
      unsubscribe();
      yield* Queue.offer(blocks, emptyBlock(4));
      yield* Effect.yieldNow;
      assert.deepStrictEqual(heard, [2, 3]);
    }),
  );

  it.effect("tells of a block once, with what came late of the block before", () =>
    Effect.gen(function* () {
      const blocks = yield* Queue.unbounded<MarketBlock>();
      yield* Queue.offer(blocks, first);
      const engine = yield* Engine.make({
        source: { chainId: 1, blocks: Stream.fromQueue(blocks) },
        curves: [fixedRate],
      });
      const told: Array<readonly [number, number]> = [];
      const parts = yield* Queue.unbounded<AppliedBlock>();
      engine.onApplied(({ stamp, changedPools }) => told.push([stamp.number, changedPools.length]));
      engine.onPart((part) => Queue.offerUnsafe(parts, part));
      const changed = { states: [{ pool: address(100), state: capacityState(5n) }] };
      const history = [{ stamp: emptyBlock(0).stamp, swaps: [] }];
      const sent = [
        { ...emptyBlock(2), ...changed },
        { ...emptyBlock(2), history },
        { ...emptyBlock(2), ...changed },
        { ...emptyBlock(3), ...changed },
        emptyBlock(4),
      ];
      for (const block of sent) yield* Queue.offer(blocks, block);
      yield* Queue.takeN(parts, sent.length);
      assert.deepStrictEqual(told, [
        [2, 1],
        [3, 2],
        [4, 0],
      ]);
    }),
  );

  it.live("fails when no block comes in time, and says why", () =>
    Effect.gen(function* () {
      const source = {
        chainId: 7,
        blocks: Stream.never,
        obstacle: () => "starting",
        diagnosis: () => "endpoint 1: Unreachable",
      };
      const error = yield* Effect.flip(
        Engine.make({ source, curves: [fixedRate], openTimeoutMs: 20 }),
      );
      assert.strictEqual(error.reason, "TimedOut");
      assert.strictEqual(error.detail, "no block within 20 ms; starting; endpoint 1: Unreachable");
    }),
  );

  it.effect("fails when its source fails, before or after the first block", () =>
    Effect.gen(function* () {
      const error = new MarketSourceError({ source: "test", reason: "Unreadable", detail: "gone" });
      const make = (blocks: Stream.Stream<MarketBlock, MarketSourceError>) =>
        Engine.make({ source: { chainId: 1, blocks }, curves: [fixedRate] });
      assert.deepStrictEqual(yield* Effect.flip(make(Stream.fail(error))), error);
      assert.strictEqual((yield* Effect.flip(make(Stream.empty))).reason, "Malformed");
      const engine = yield* make(Stream.concat(Stream.make(first), Stream.fail(error)));
      assert.deepStrictEqual(yield* Effect.flip(engine.sourceFailure), error);
      assert.isTrue(engine.quoteUnsafe(request(engine, 10n)).found);
    }),
  );
});

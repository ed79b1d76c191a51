import { assert, describe, it } from "@effect/vitest";
import { Effect, Queue, Stream } from "effect";
import { Engine } from "../src/Engine.ts";
import type { MarketBlock, TokenSupply } from "../src/graph/MarketBlock.ts";
import { address, emptyBlock, fixedRate, marketOf, token } from "./markets.ts";

describe("supplies of tokens", () => {
  it.effect(
    "Engine tells of a token's supply what its source said last, or that nothing is known",
    () =>
      Effect.gen(function* () {
        const first = marketOf(2, [{ tokens: [1, 2] }]);
        const blocks = yield* Queue.unbounded<MarketBlock>();
        yield* Queue.offer(blocks, first);
        const engine = yield* Engine.make({
          source: { chainId: 1, blocks: Stream.fromQueue(blocks) },
          curves: [fixedRate],
        });
        const applied = yield* Queue.unbounded<void>();
        engine.onPart(() => Queue.offerUnsafe(applied, undefined));
        const known = Effect.fnUntraced(function* (supplies: ReadonlyArray<TokenSupply>) {
          yield* Queue.offer(blocks, { ...emptyBlock(first.stamp.number), supplies });
          yield* Queue.take(applied);
          return [1, 2].map((place) => engine.totalSupply(token(engine, place)));
        });
        const supplyOf = (place: number, totalSupply: bigint | undefined) => ({
          token: address(place),
          totalSupply,
        });
        assert.deepStrictEqual(yield* known([]), [undefined, undefined]);
        assert.deepStrictEqual(yield* known([supplyOf(1, 5n), supplyOf(2, 6n)]), [5n, 6n]);
        assert.deepStrictEqual(yield* known([supplyOf(2, 9n), supplyOf(7, 1n)]), [5n, 9n]);
        assert.deepStrictEqual(yield* known([supplyOf(2, 0n)]), [5n, 0n]);
        assert.deepStrictEqual(yield* known([supplyOf(1, undefined)]), [undefined, 0n]);
      }).pipe(Effect.scoped),
  );
});

import { assert, describe, it } from "@effect/vitest";
import { Effect, Stream } from "effect";
import { Cycles } from "../src/cycles/Cycles.ts";
import { Engine } from "../src/Engine.ts";
import { explainQuote } from "../src/explain/explainQuote.ts";
import type { MarketBlock } from "../src/graph/MarketBlock.ts";
import { sequenceOf } from "../src/graph/writeSequence.ts";
import { type OpenMarket, openMarket } from "../src/openMarket.ts";
import type { QuoteRequest } from "../src/search/quote.ts";
import { openOverlay } from "../src/whatIf/openOverlay.ts";
import { openSearchWorkers } from "../src/workers/SearchWorkers.ts";
import { address, capacityState, emptyBlock, fixedRate, marketOf, token } from "./markets.ts";
import { curves } from "./workerProtocols.ts";

/** From 1 to 4: through 2 at 5 × 1, through 3 at 2 × 1, directly at 1. */
const diamond = marketOf(4, [
  { tokens: [1, 2], rate: 5 },
  { tokens: [2, 4] },
  { tokens: [1, 3], rate: 2 },
  { tokens: [3, 4] },
  { tokens: [1, 4] },
]);

function open(block: MarketBlock = diamond): OpenMarket {
  const market = openMarket(1, [fixedRate]);
  assert.deepStrictEqual(market.writer.applyBlock(block).rejected, []);
  return market;
}

const excluded = (...tokens: ReadonlyArray<number>) => new Set(tokens.map(address));

function request(market: OpenMarket, from: number, to: number, maxHops = 4): QuoteRequest {
  const [tokenIn, tokenOut] = [token(market, from), token(market, to)];
  return { tokenIn, tokenOut, kind: "exactIn", amount: 100n, maxHops };
}

/** What 100 units of a token give, or why nothing. */
function gives(market: OpenMarket, from: number, to: number, maxHops?: number) {
  const result = market.router.quote(request(market, from, to, maxHops));
  return result.found ? result.amountOut : result.reason;
}

describe("a token excluded from transit", () => {
  it("stands in the middle of no route, and at both ends still", () => {
    const market = open();
    assert.strictEqual(gives(market, 1, 4), 500n);
    market.writer.excludeFromTransit(excluded(2));
    assert.strictEqual(gives(market, 1, 4), 200n);
    assert.strictEqual(gives(market, 1, 2), 500n);
    assert.strictEqual(gives(market, 3, 2), 1_000n); // by 1
    assert.strictEqual(gives(market, 2, 3), 1_000n); // by 1 at 5, then 2
    market.writer.excludeFromTransit(excluded(2, 3));
    assert.strictEqual(gives(market, 1, 4), 100n);
    market.writer.excludeFromTransit(excluded(3));
    assert.strictEqual(gives(market, 1, 4), 500n);
    market.writer.excludeFromTransit(excluded());
    assert.strictEqual(gives(market, 1, 4), 500n);
  });

  it("is one of those that were named last, in any market that comes of later blocks", () => {
    const market = open();
    market.writer.excludeFromTransit(excluded(2));
    market.writer.applyBlock({
      ...emptyBlock(2),
      states: [{ pool: address(100), state: capacityState(500n) }],
    });
    assert.strictEqual(gives(market, 1, 4), 200n);
    market.writer.applyBlock({ ...emptyBlock(3), removedPools: [address(103)] });
    assert.strictEqual(gives(market, 1, 4), 100n);
    market.writer.applyBlock({
      ...emptyBlock(4),
      pools: [{ ...diamond.pools[1]!, address: address(110), parameter: 9 }],
      states: [{ pool: address(110), state: capacityState(10_000n) }],
    });
    assert.strictEqual(gives(market, 1, 4), 100n);
    market.writer.excludeFromTransit(excluded());
    assert.strictEqual(gives(market, 1, 4), 4_500n);
  });

  it("may be unknown, and is excluded when it comes", () => {
    const market = openMarket(1, [fixedRate]);
    market.writer.excludeFromTransit(excluded(2, 77));
    market.writer.applyBlock(diamond);
    assert.strictEqual(gives(market, 1, 4), 200n);
    market.writer.applyBlock({
      ...emptyBlock(2),
      tokens: [{ address: address(77), decimals: 18, symbol: "", name: "" }],
      pools: [
        { ...diamond.pools[0]!, address: address(110), tokens: [address(1), address(77)] },
        { ...diamond.pools[0]!, address: address(111), tokens: [address(77), address(4)] },
      ],
      states: [110, 111].map((n) => ({ pool: address(n), state: capacityState(10_000n) })),
    });
    assert.strictEqual(gives(market, 1, 4), 200n);
    assert.strictEqual(gives(market, 1, 77), 1_000n); // by 3 and 4
    market.writer.excludeFromTransit(excluded(2));
    assert.strictEqual(gives(market, 1, 4), 2_500n);
  });

  it("leaves a request without a route where the only one passes it, and says how far the next is", () => {
    const market = open(
      marketOf(5, [
        { tokens: [1, 2] },
        { tokens: [2, 3] },
        { tokens: [1, 4] },
        { tokens: [4, 5] },
        { tokens: [5, 3] },
      ]),
    );
    market.writer.excludeFromTransit(excluded(2));
    const asked = request(market, 1, 3, 2);
    const result = market.router.quote(asked);
    assert.deepInclude(result, { found: false, reason: "NoRoute" });
    assert.deepInclude(explainQuote(market, asked, result), {
      limit: { kind: "hops", maxHops: 2, neededHops: 3 },
    });
    assert.strictEqual(gives(market, 1, 3, 3), 100n);
  });

  it("is passed by no round trip, not even one of two pools, but may begin one", () => {
    const market = open(
      marketOf(3, [
        { tokens: [1, 2], rate: 3, capacity: 1_000n },
        { tokens: [1, 2] },
        { tokens: [1, 3], rate: 2, capacity: 1_000n },
        { tokens: [1, 3] },
        { tokens: [2, 3] },
      ]),
    );
    const cycles = new Cycles(market);
    const passed = (from: number) =>
      cycles
        .find(token(market, from), 3)
        .map(({ steps }) => steps.slice(1).map(({ tokenIn }) => tokenIn + 1));
    const before = cycles.find(token(market, 1), 3);
    assert.isTrue(passed(1).some((tokens) => tokens.includes(2)));
    market.writer.excludeFromTransit(excluded(2));
    assert.isAbove(passed(1).length, 0);
    assert.isFalse(passed(1).some((tokens) => tokens.includes(2)));
    assert.isAbove(passed(2).length, 0);
    assert.deepStrictEqual(
      cycles.find(token(market, 1), 3),
      new Cycles(market).find(token(market, 1), 3),
    );
    market.writer.excludeFromTransit(excluded());
    assert.deepStrictEqual(cycles.find(token(market, 1), 3), before);
  });
});

describe("excluding tokens", () => {
  it("is a write of the graph, once for each other set, and of no new topology where none is", () => {
    const market = open(marketOf(4, [{ tokens: [1, 2] }, { tokens: [2, 3] }, { tokens: [3, 4] }]));
    const numbers = () => {
      const { topologyVersion, version, exclusionsVersion } = market.graph;
      return { topologyVersion, version, exclusionsVersion, sequence: sequenceOf(market.graph) };
    };
    const before = numbers();
    market.writer.excludeFromTransit(excluded());
    market.writer.excludeFromTransit(excluded(99));
    assert.deepStrictEqual(numbers(), before);
    market.writer.excludeFromTransit(excluded(2, 99));
    const after = numbers();
    assert.deepStrictEqual(after, {
      topologyVersion: before.topologyVersion + 1,
      version: before.version + 1,
      exclusionsVersion: before.exclusionsVersion + 1,
      sequence: before.sequence + 2,
    });
    market.writer.excludeFromTransit(excluded(99, 2));
    market.writer.excludeFromTransit(excluded(2));
    assert.deepStrictEqual(numbers(), after);
    market.writer.excludeFromTransit(excluded(2, 1)); // 1 has one neighbour: nothing passed it
    assert.deepStrictEqual(numbers(), {
      topologyVersion: after.topologyVersion,
      version: after.version + 1,
      exclusionsVersion: after.exclusionsVersion + 1,
      sequence: after.sequence + 2,
    });
  });

  it("does not change a byte of the snapshot, the stamp, nor the caller's set", () => {
    const market = open();
    const [before, stamp] = [market.snapshot(), market.graph.stamp];
    const tokens = excluded(2);
    market.writer.excludeFromTransit(tokens);
    assert.deepStrictEqual(market.snapshot(), before);
    assert.strictEqual(market.graph.stamp, stamp);
    tokens.clear();
    market.writer.applyBlock({ ...emptyBlock(2), removedPools: [address(103)] });
    assert.strictEqual(gives(market, 1, 4), 100n);
  });

  it("shows in overlays, those from before as well", () => {
    const market = open();
    const { graph } = market;
    const gone = [{ kind: "poolRemoved", pool: graph.findPool(address(104))! }] as const;
    const overlay = openOverlay(market, gone);
    assert(!overlay.refused);
    const answer = (over = overlay) => {
      const result = over.quoteUnsafe(request(market, 1, 4));
      return result.found ? result.amountOut : result.reason;
    };
    assert.strictEqual(answer(), 500n);
    market.writer.excludeFromTransit(excluded(2));
    assert.strictEqual(answer(), 200n);
    market.writer.excludeFromTransit(excluded(2, 3));
    assert.strictEqual(answer(), "NoRoute");
    const later = openOverlay(market, gone);
    assert(!later.refused);
    assert.strictEqual(answer(later), "NoRoute");
    market.writer.excludeFromTransit(excluded());
    assert.strictEqual(answer(), 500n);
  });

  it.live("is told to worker threads, which answer as the caller's does", () =>
    Effect.gen(function* () {
      const market = openMarket(1, curves);
      market.writer.applyBlock(diamond);
      const curvesModule = new URL("./workerProtocols.ts", import.meta.url);
      const workers = yield* openSearchWorkers(market, { count: 2, curvesModule });
      yield* workers.ready;
      const outputs: Array<bigint | undefined> = [];
      for (const tokens of [excluded(), excluded(2), excluded(3, 2), excluded(3), excluded()]) {
        market.writer.excludeFromTransit(tokens);
        const asked = request(market, 1, 4);
        const result = yield* workers.quote(asked);
        assert.deepStrictEqual(result, market.router.quote(asked));
        outputs.push(result.found ? result.amountOut : undefined);
      }
      assert.deepStrictEqual(outputs, [500n, 200n, 100n, 500n, 500n]);
      assert.deepInclude(workers.counts(), { answered: 5, searchedHere: 0 });
    }),
  );

  it.effect("is asked of the engine", () =>
    Effect.gen(function* () {
      const engine = yield* Engine;
      engine.excludeFromTransit(excluded(2));
      const [tokenIn, tokenOut] = [token(engine, 1), token(engine, 4)];
      const asked = { tokenIn, tokenOut, kind: "exactIn", amount: 100n, maxHops: 3 } as const;
      assert.strictEqual((yield* engine.quote(asked)).amountOut, 200n);
      assert.deepInclude(engine.quoteUnsafe(asked), { amountOut: 200n });
    }).pipe(
      Effect.provide(
        Engine.layer({
          source: { chainId: 1, blocks: Stream.make(diamond).pipe(Stream.concat(Stream.never)) },
          curves: [fixedRate],
        }),
      ),
    ),
  );
});

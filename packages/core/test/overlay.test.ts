import { assert, describe, it } from "@effect/vitest";
import type { Curve } from "../src/Curve.ts";
import type { PoolIndex, TokenIndex } from "../src/graph/PoolGraph.ts";
import { type OpenMarket, openMarket } from "../src/openMarket.ts";
import type { QuoteRequest } from "../src/search/quote.ts";
import type { Assumption } from "../src/whatIf/Assumption.ts";
import type { Overlay } from "../src/whatIf/Overlay.ts";
import { openOverlay } from "../src/whatIf/openOverlay.ts";
import { address, capacityState, emptyBlock, fixedRate, marketOf, token } from "./markets.ts";

/** As `fixedRate`, and a swap uses up as much of the capacity. */
const usedUp: Curve = {
  ...fixedRate,
  open: (graph) => {
    const family = fixedRate.open(graph);
    return {
      ...family,
      swapExactIn: (pool, tokenIn, tokenOut, amountIn) => {
        const amountOut = family.quoteExactIn(pool, tokenIn, tokenOut, amountIn);
        if (amountOut <= 0n) return undefined;
        const left = graph.stateWords[graph.poolStateStart[pool]!]! - amountIn;
        return { pool, amountIn, amountOut, state: capacityState(left) };
      },
    };
  },
};

/** Two pools from token 1 to token 2, the second with the better rate, and one from 2 to 3. */
function testMarket(protocol: Curve = usedUp): OpenMarket {
  const market = openMarket(1, [protocol]);
  market.writer.applyBlock(
    marketOf(4, [{ tokens: [1, 2] }, { tokens: [1, 2], rate: 2 }, { tokens: [2, 3, 4] }]),
  );
  return market;
}

function poolAt(market: OpenMarket, place: number): PoolIndex {
  return market.graph.findPool(address(100 + place))!;
}

function opened(market: OpenMarket, assumptions: ReadonlyArray<Assumption>): Overlay {
  const overlay = openOverlay(market, assumptions);
  if (overlay.refused) throw new Error(overlay.reason);
  return overlay;
}

function request(market: OpenMarket, from: number, to: number, amount: bigint): QuoteRequest {
  const [tokenIn, tokenOut] = [token(market, from), token(market, to)];
  return { tokenIn, tokenOut, kind: "exactIn", amount, maxHops: 3 };
}

function outputOf(market: OpenMarket, overlay: Overlay, amount: bigint): bigint | undefined {
  const result = overlay.quoteUnsafe(request(market, 1, 2, amount));
  return result.found ? result.amountOut : undefined;
}

const removed = (pool: PoolIndex): Assumption => ({ kind: "poolRemoved", pool });
const holding = (pool: PoolIndex, capacity: bigint): Assumption => ({
  kind: "poolState",
  pool,
  state: capacityState(capacity),
});

function swapped(market: OpenMarket, place: number, amountIn: bigint): Assumption {
  const [tokenIn, tokenOut] = [token(market, 1), token(market, 2)];
  return { kind: "swapped", pool: poolAt(market, place), tokenIn, tokenOut, amountIn };
}

describe("an overlay", () => {
  it("quotes without a pool that is assumed to be gone", () => {
    const market = testMarket();
    assert.strictEqual(outputOf(market, opened(market, [removed(poolAt(market, 1))]), 10n), 10n);
    assert.strictEqual(outputOf(market, opened(market, []), 10n), 20n);
  });

  it("knows no route where the only one went through a pool that is assumed to be gone", () => {
    const market = testMarket();
    const overlay = opened(market, [removed(poolAt(market, 2))]);
    const result = overlay.quoteUnsafe(request(market, 1, 3, 10n));
    assert.deepStrictEqual(result, { found: false, reason: "NoRoute" });
  });

  it("leaves out what the request's own filter does, too", () => {
    const market = testMarket();
    const overlay = opened(market, [removed(poolAt(market, 0))]);
    const filter = { withoutPools: [poolAt(market, 1)] };
    const result = overlay.quoteUnsafe({ ...request(market, 1, 2, 10n), filter });
    assert.deepStrictEqual(result, { found: false, reason: "NoRoute" });
  });

  it("builds each assumption on those before it", () => {
    const market = testMarket();
    const pool = poolAt(market, 1);
    const overlay = opened(market, [holding(pool, 100n), swapped(market, 1, 90n)]);
    assert.strictEqual(outputOf(market, overlay, 10n), 20n);
    assert.strictEqual(outputOf(market, overlay, 11n), 11n);
    const again = openOverlay(market, [holding(pool, 100n), swapped(market, 1, 102n)]);
    assert.deepInclude(again, { refused: true, index: 1 });
  });

  it("takes turns with others of the same market", () => {
    const market = testMarket();
    const all = [10n, 20n, 30n].map((capacity) =>
      opened(market, [holding(poolAt(market, 1), capacity), removed(poolAt(market, 0))]),
    );
    for (const amount of [5n, 15n, 25n, 35n]) {
      const outputs = all.map((overlay) => outputOf(market, overlay, amount));
      const expected = [10n, 20n, 30n].map((most) => (amount > most ? undefined : 2n * amount));
      assert.deepStrictEqual(outputs, expected);
    }
  });

  it("shows its states in its graph and by its families, and the market's by the market's", () => {
    const market = testMarket();
    const pool = poolAt(market, 1);
    const overlay = opened(market, [holding(pool, 6n)]);
    const word = market.graph.poolStateStart[pool]!;
    assert.strictEqual(overlay.graph.stateWords[word], 6n);
    assert.deepStrictEqual(overlay.familyOf(pool).tokenAmounts(pool), [6n, 6n]);
    assert.strictEqual(market.graph.stateWords[word], 1_000_000n);
    assert.deepStrictEqual(market.families[0]!.tokenAmounts(pool), [1_000_000n, 1_000_000n]);
  });

  it("explains a refusal by the pools that are assumed to be gone", () => {
    const market = testMarket();
    const overlay = opened(market, [removed(poolAt(market, 2))]);
    const wanted = request(market, 1, 3, 10n);
    const explanation = overlay.explain(wanted, overlay.quoteUnsafe(wanted));
    if (explanation.kind !== "refusal") throw new Error("a route");
    assert.deepInclude(explanation, { reason: "NoRoute" });
    assert.deepInclude(explanation.limit, { kind: "filter" });
  });

  it("does not mind what becomes of the arrays that it was given", () => {
    const market = testMarket();
    const state = capacityState(10n);
    const overlay = opened(market, [{ kind: "poolState", pool: poolAt(market, 1), state }]);
    state.words[0] = 100n;
    market.writer.applyBlock(emptyBlock(2));
    assert.strictEqual(outputOf(market, overlay, 11n), 11n);
  });
});

describe("an assumption is refused, by its place", () => {
  const market = testMarket();
  const pool = poolAt(market, 0);
  const swap = (change: object) => ({ ...swapped(market, 0, 10n), ...change });
  const cases: ReadonlyArray<readonly [string, Assumption, RegExp]> = [
    ["of a pool that there is not", removed(99 as PoolIndex), /no pool 99/],
    ["of a number that is no index", removed(-1 as PoolIndex), /no pool -1/],
    ["of a state that is impossible", holding(pool, 3n), /odd capacity/],
    [
      "of a state of the wrong length",
      { kind: "poolState", pool, state: { words: new BigUint64Array(2) } },
      /2 words/,
    ],
    ["of a token that the pool has not", swap({ tokenIn: token(market, 3) }), /no token/],
    ["of a token that there is not", swap({ tokenOut: 99 as TokenIndex }), /no token 99/],
    ["of a token swapped for itself", swap({ tokenOut: token(market, 1) }), /for itself/],
    ["of nothing swapped", swap({ amountIn: 0n }), /amount of 0/],
    ["of more than a word swapped", swap({ amountIn: 1n << 256n }), /amount of/],
    ["of more than the pool takes", swap({ amountIn: 1_000_001n }), /cannot take 1000001/],
  ];
  for (const [name, assumption, reason] of cases) {
    it(name, () => {
      const refusal = openOverlay(market, [removed(poolAt(market, 1)), assumption]);
      if (!refusal.refused) throw new Error("not refused");
      assert.strictEqual(refusal.index, 1);
      assert.match(refusal.reason, reason);
    });
  }

  it("of a pool that is assumed to be gone, whatever it is", () => {
    for (const assumption of [removed(pool), holding(pool, 10n), swapped(market, 0, 1n)]) {
      const refusal = openOverlay(market, [removed(pool), assumption]);
      assert.deepInclude(refusal, { index: 1, reason: "the pool is assumed to be gone" });
    }
  });
});

describe("after a block an overlay", () => {
  it("stands on the new state", () => {
    const market = testMarket();
    const overlay = opened(market, [swapped(market, 1, 90n)]);
    const states = [{ pool: address(101), state: capacityState(100n) }];
    market.writer.applyBlock({ ...emptyBlock(2), states });
    assert.strictEqual(outputOf(market, overlay, 10n), 20n);
    assert.strictEqual(outputOf(market, overlay, 11n), 11n);
  });

  it("tells which assumption has become impossible, answers nothing, and recovers", () => {
    const market = testMarket();
    const overlay = opened(market, [removed(poolAt(market, 0)), swapped(market, 1, 90n)]);
    const hold = (capacity: bigint) =>
      market.writer.applyBlock({
        ...emptyBlock(2),
        states: [{ pool: address(101), state: capacityState(capacity) }],
      });
    hold(80n);
    assert.deepInclude(overlay.refusal(), { index: 1, reason: "the pool cannot take 90" });
    assert.throws(() => overlay.quoteUnsafe(request(market, 1, 2, 1n)), RangeError);
    assert.throws(() => overlay.graph, RangeError);
    hold(92n);
    assert.strictEqual(overlay.refusal(), undefined);
    assert.strictEqual(outputOf(market, overlay, 2n), 4n);
  });

  it("answers no question half made, where a family threw", () => {
    let isBroken = false;
    const check: Curve["check"] = (pool, state) => {
      if (isBroken) throw new Error("a fault");
      return usedUp.check(pool, state);
    };
    const market = testMarket({ ...usedUp, check });
    const overlay = opened(market, [removed(poolAt(market, 1)), holding(poolAt(market, 0), 10n)]);
    market.writer.applyBlock(emptyBlock(2));
    isBroken = true;
    assert.throws(() => overlay.refusal(), "a fault");
    isBroken = false;
    assert.strictEqual(outputOf(market, overlay, 10n), 10n);
    assert.strictEqual(outputOf(market, overlay, 11n), undefined);
  });

  it("means the pools that it meant, though their indexes have gone to others", () => {
    const market = testMarket();
    const [gone, changed] = [poolAt(market, 0), poolAt(market, 1)];
    const without = opened(market, [removed(gone)]);
    const after = opened(market, [holding(changed, 10n)]);
    const removedPools = [address(100), address(101)];
    const { pools, states } = marketOf(4, [{ tokens: [1, 2], rate: 5 }]);
    const listing = { ...pools[0]!, address: address(200) };
    market.writer.applyBlock({
      ...emptyBlock(2),
      removedPools,
      pools: [listing],
      states: [{ ...states[0]!, pool: address(200) }],
    });
    assert.include([gone, changed], market.graph.findPool(address(200)));
    // What was to be gone is.
    assert.strictEqual(outputOf(market, without, 10n), 50n);
    assert.deepInclude(after.refusal(), { index: 0, reason: "the pool has left the market" });
  });
});

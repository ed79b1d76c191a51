import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { explainQuote } from "../src/explain/explainQuote.ts";
import type { MarketBlock } from "../src/graph/MarketBlock.ts";
import { type OpenMarket, openMarket } from "../src/openMarket.ts";
import { gasPriceIn } from "../src/search/gasPriceIn.ts";
import { netOf } from "../src/search/netOf.ts";
import type { Quote, QuoteRequest } from "../src/search/quote.ts";
import { openOverlay } from "../src/whatIf/openOverlay.ts";
import { isHeavy } from "../src/workers/isHeavy.ts";
import { openSearchWorkers } from "../src/workers/SearchWorkers.ts";
import { address, fixedRate, marketOf, token } from "./markets.ts";
import { curves } from "./workerProtocols.ts";

/** Typical gas of a swap of the family that these markets are of. */
const SWAP_GAS = 80_000;

/** From token 1 to 3: directly 2 for each unit, by way of token 2 three times three. */
const block: MarketBlock = marketOf(4, [
  { tokens: [1, 3], rate: 2 },
  { tokens: [1, 2], rate: 3 },
  { tokens: [2, 3], rate: 3 },
]);

function marketWith(families: ReadonlyArray<typeof fixedRate> = [fixedRate], of = block) {
  const market = openMarket(1, families);
  market.writer.applyBlock(of);
  return market;
}

function request(market: OpenMarket, gasPrice: number): QuoteRequest {
  const [tokenIn, tokenOut] = [token(market, 1), token(market, 3)];
  return { tokenIn, tokenOut, kind: "exactIn", amount: 100n, maxHops: 3, gasPrice };
}

function found(market: Pick<OpenMarket, "router">, asked: QuoteRequest): Quote {
  const result = market.router.quote(asked);
  if (!result.found) throw new Error(result.reason);
  return result;
}

describe("a price of gas", () => {
  it("keeps the longer route as long as it earns its second swap", () => {
    const market = marketWith();
    // 900 by two swaps, or 200 by one: the second swap earns 700, and of equals the shorter goes.
    const amounts = [0, 699 / SWAP_GAS, 700 / SWAP_GAS, 1].map((gasPrice) => {
      const { amountOut, typicalGas } = found(market, request(market, gasPrice));
      return [amountOut, typicalGas];
    });
    const [long, short] = [
      [900n, 2 * SWAP_GAS],
      [200n, SWAP_GAS],
    ];
    assert.deepStrictEqual(amounts, [long, long, short, short]);
  });

  it("counts for exact output as more input", () => {
    const market = marketWith();
    const exactOut = (gasPrice: number) =>
      found(market, { ...request(market, gasPrice), kind: "exactOut", amount: 900n }).amountIn;
    // 100 by two swaps, or 450 by one.
    assert.deepStrictEqual([0, 349 / SWAP_GAS, 350 / SWAP_GAS, 1].map(exactOut), [
      100n,
      100n,
      450n,
      450n,
    ]);
  });

  it("refuses nothing: what costs more than it gives is quoted, the best of it", () => {
    const market = marketWith();
    for (const gasPrice of [1, 1e30, 2 ** 256]) {
      const asked = request(market, gasPrice);
      const quote = found(market, asked);
      assert.strictEqual(quote.amountOut, 200n);
      assert.strictEqual(netOf(asked, quote), 200n - BigInt(gasPrice * SWAP_GAS));
    }
  });

  it("is told to worker threads, and makes a split heavier for the caller's", () =>
    Effect.gen(function* () {
      const market = marketWith(curves);
      const options = {
        count: 1,
        curvesModule: new URL("./workerProtocols.ts", import.meta.url),
      };
      const workers = yield* openSearchWorkers(market, options);
      yield* workers.ready;
      const outputs = yield* Effect.forEach([0, 1], (gasPrice) =>
        Effect.map(
          workers.quote(request(market, gasPrice)),
          (quote) => quote.found && quote.amountOut,
        ),
      );
      assert.deepStrictEqual(outputs, [900n, 200n]);
      assert.strictEqual(workers.counts().answered, 2);
      const split = { maxHops: 3, maxSplits: 8 };
      assert.isFalse(isHeavy({ slotCount: 2_000 }, split));
      assert.isTrue(isHeavy({ slotCount: 2_000 }, { ...split, gasPrice: 1 }));
    }).pipe(Effect.scoped, Effect.runPromise));

  it("holds with assumptions on top of the market", () => {
    const market = marketWith();
    const pool = market.graph.findPool(address(100))!;
    const overlay = openOverlay(market, [{ kind: "poolRemoved", pool }]);
    if (overlay.refused) throw new Error(overlay.reason);
    const asked = request(market, 1);
    const outputs = [market.router.quote(asked), overlay.quoteUnsafe(asked)].map(
      (quote) => quote.found && quote.amountOut,
    );
    assert.deepStrictEqual(outputs, [200n, 900n]);
  });

  it("makes the runner-up the second best after gas", () => {
    const market = marketWith(
      [fixedRate],
      marketOf(4, [
        { tokens: [1, 3], rate: 3 },
        { tokens: [1, 3], rate: 2 },
        { tokens: [1, 2], rate: 3 },
        { tokens: [2, 3], rate: 3 },
      ]),
    );
    const runnerUp = (gasPrice: number) => {
      const asked = request(market, gasPrice);
      const explained = explainQuote(market, asked, found(market, asked));
      return explained.kind === "route" && explained.runnerUp?.amountOut;
    };
    assert.deepStrictEqual([0, 1].map(runnerUp), [300n, 200n]);
  });

  it("has no part in what a refused request is told of its limits", () => {
    const market = marketWith();
    const asked = { ...request(market, 1), amount: 10n ** 7n };
    const limits = [asked, { ...asked, gasPrice: 0 }].map((one) =>
      explainQuote(market, one, market.router.quote(one)),
    );
    assert.strictEqual(limits[0]!.kind, "refusal");
    assert.deepStrictEqual(limits[0], limits[1]);
  });
});

describe("gas in a token", () => {
  const priceIn = (market: OpenMarket, wei: number, from = 1, to = 3) => {
    const quote = (asked: QuoteRequest) => market.router.quote(asked);
    return gasPriceIn(quote, token(market, from), token(market, to), wei);
  };

  it("is priced by the best route from the wrapped native token", () => {
    const market = marketWith([fixedRate], marketOf(4, block.pools.map(ofHugeCapacity)));
    for (const wei of [1, 0.003, 10e9]) assert.closeTo(priceIn(market, wei)!, 9 * wei, 1e-9 * wei);
  });

  it("is itself in the wrapped native token, and costs nothing where it has no price", () => {
    const market = marketWith();
    assert.strictEqual(priceIn(market, 10e9, 1, 1), 10e9);
    assert.strictEqual(priceIn(market, 0), 0);
  });

  it("is known as well as can be in a token of few units", () => {
    // From 3 to 1 nothing is lost to rates of 1, but a unit of gas is a millionth of a unit.
    const market = marketWith([fixedRate], marketOf(4, [{ tokens: [1, 3] }]));
    assert.closeTo(priceIn(market, 1e-6)!, 1e-6, 1e-9);
  });

  it("is unknown where no route leads", () => {
    const market = marketWith();
    assert.strictEqual(priceIn(market, 10e9, 1, 4), undefined);
    assert.strictEqual(priceIn(market, 10e9), undefined, "pools of 10^6 units take no such amount");
  });
});

function ofHugeCapacity({ tokens, parameter }: MarketBlock["pools"][number]) {
  const numbers = tokens.map((one) => Number(BigInt(one)));
  return { tokens: numbers, rate: parameter, capacity: 10n ** 18n };
}

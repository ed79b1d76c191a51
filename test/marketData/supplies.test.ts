import { afterAll, assert, describe, it } from "@effect/vitest";
import type { Address, MarketBlock, TokenSupply } from "@millrace/core";
import { encodeReserves } from "@millrace/protocols";
import { blockAfter, type PlainPool, poolAt, poolsBlock } from "../markets/marketPools.ts";
import { testMarket } from "../markets/recordedMarkets.ts";

// Tokens are minted and burnt while they are listed: their values follow, and are left out as soon
// as an input is unknown.

const WHOLE = 10n ** 18n;
const DEEP: PlainPool["reserves"] = [10n ** 6n * 10n ** 6n, 10n ** 6n * WHOLE];
/** Reserves below the floor. */
const SHALLOW: PlainPool["reserves"] = [10n ** 6n, WHOLE];

describe("market capitalisation", () => {
  const first = poolsBlock(4, [
    { tokens: [0, 1], reserves: DEEP },
    { tokens: [0, 2], reserves: DEEP },
    { tokens: [0, 3], reserves: SHALLOW },
  ]);
  const [, one, two, unpriced] = first.tokens.map(({ address }) => address) as [
    Address,
    Address,
    Address,
    Address,
  ];
  const market = testMarket({ ...first, supplies: supplies([one, 1_000n], [two, 500n]) });
  const data = market.data(undefined, undefined, undefined, {
    circulatingSupply: (token) => (token === one ? 400 : undefined),
  });
  afterAll(market.close);
  let { number } = first.stamp;
  const apply = (happens: Partial<MarketBlock>) => {
    market.apply(blockAfter(number++, happens));
    data.settle();
  };
  const index = (address: Address) => market.graph.findToken(address)!;
  /** In whole tokens and dollars. */
  const told = (address: Address) => {
    const view = data.token(index(address));
    return [
      view.totalSupply === undefined ? undefined : view.totalSupply / WHOLE,
      view.circulatingSupply === undefined ? undefined : view.circulatingSupply / WHOLE,
      view.marketCapUsd === undefined ? undefined : Math.round(view.marketCapUsd),
      view.fullyDilutedValuationUsd === undefined
        ? undefined
        : Math.round(view.fullyDilutedValuationUsd),
    ];
  };
  const firstBy = (sort: "-marketCap" | "-fullyDilutedValuation") =>
    data.tokens({ page: 1, limit: 1, sort }).items[0]!.address;

  it("is that of the supply that was told last, in lists as well", () => {
    assert.deepStrictEqual(told(one), [1_000n, 400n, 400, 1_000]);
    assert.deepStrictEqual(told(two), [500n, 500n, 500, 500]);
    assert.strictEqual(firstBy("-marketCap"), two);
    assert.strictEqual(firstBy("-fullyDilutedValuation"), one);
    // Most of one token is burnt, and much of the other is minted.
    const version = data.version();
    apply({ supplies: supplies([one, 300n], [two, 2_000n]) });
    assert.notStrictEqual(data.version(), version);
    assert.deepStrictEqual(told(one), [300n, 300n, 300, 300]);
    assert.deepStrictEqual(told(two), [2_000n, 2_000n, 2_000, 2_000]);
    assert.strictEqual(firstBy("-fullyDilutedValuation"), two);
    apply({ supplies: supplies([two, 0n]) });
    assert.deepStrictEqual(told(two), [0n, 0n, 0, 0]);
    assert.strictEqual(firstBy("-marketCap"), one);
  });

  it("is left out where the supply is not known any more, and there again when it is", () => {
    apply({ supplies: supplies([one, 3_000n], [two, 2_000n]) });
    assert.strictEqual(firstBy("-fullyDilutedValuation"), one);
    apply({ supplies: [{ token: one, totalSupply: undefined }] });
    assert.deepStrictEqual(told(one), [undefined, undefined, undefined, undefined]);
    assert.notProperty(data.token(index(one)), "marketCapUsd");
    assert.strictEqual(firstBy("-fullyDilutedValuation"), two);
    apply({ supplies: supplies([one, 3_000n]) });
    assert.deepStrictEqual(told(one), [3_000n, 400n, 400, 3_000]);
  });

  it("is left out where there is no price, whatever the supply, and as soon as it is gone", () => {
    apply({ supplies: supplies([unpriced, 1_000_000n]) });
    assert.deepStrictEqual(told(unpriced), [1_000_000n, 1_000_000n, undefined, undefined]);
    const view = data.token(index(unpriced));
    assert.notProperty(view, "marketCapUsd");
    assert.notProperty(view, "fullyDilutedValuationUsd");
    assert.notStrictEqual(firstBy("-marketCap"), unpriced);
    apply({ states: [{ pool: poolAt(1), state: encodeReserves([...SHALLOW]) }] });
    assert.deepStrictEqual(told(two), [2_000n, 2_000n, undefined, undefined]);
    apply({ states: [{ pool: poolAt(1), state: encodeReserves([DEEP[0] * 2n, DEEP[1]]) }] });
    assert.deepStrictEqual(told(two), [2_000n, 2_000n, 4_000, 4_000]);
    assert.strictEqual(firstBy("-marketCap"), two);
  });
});

/** Of whole tokens. */
function supplies(...told: ReadonlyArray<readonly [Address, bigint]>): TokenSupply[] {
  return told.map(([token, whole]) => ({ token, totalSupply: whole * WHOLE }));
}

import { assert, describe, it } from "@effect/vitest";
import type { Address, TokenIndex } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { encodeReserves } from "@millrace/protocols";
import { blockAfter, withDust } from "../markets/marketPools.ts";
import {
  mockAddress,
  testMarket,
  tokensOf,
  USDC,
  universeAtEnd,
  WETH,
} from "../markets/recordedMarkets.ts";

const WBTC: Address = "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599";
const MILLION = 10n ** 6n;
const WHOLE = 10n ** 18n;
/** The depth (2 %) of a constant-product pool, as a part of its holding of either token. */
const DEPTH_SHARE = (1 / Math.sqrt(0.98) - 1) * 0.98;

const first = withDust(await universeAtEnd("universe-a"));

describe("prices at once, before a poisoned block is settled", () => {
  it("stand a pool that is moved to a thousand times the price and back, block by block", () => {
    const attack = openAttack();
    const { data, honest } = attack;
    const usd = 150_000;
    const wbtc = honest(WBTC);
    const weth = honest(WETH);
    const fair = [
      BigInt(Math.round((usd / wbtc) * 1e8)),
      BigInt(Math.round((usd / weth) * 1e6)) * 10n ** 12n,
    ] as const;
    attack.block({ pools: [[OWN, WBTC, WETH]], states: [[OWN, ...fair]] });
    // Constant product: the price moves by a factor of 1,000 when the reserves move by its root.
    const cheap = [(fair[0] * 3_162n) / 100n, (fair[1] * 100n) / 3_162n] as const;
    const dear = [(fair[0] * 100n) / 3_162n, (fair[1] * 3_162n) / 100n] as const;
    const confidence = () => data.price(attack.index(WETH)).confidence;
    for (const states of [cheap, fair, dear, fair]) {
      const before = confidence();
      attack.block({ states: [[OWN, ...states]] });
      // The tolerance is the spread among the honest pools of a token.
      attack.expectUnmoved(0.003);
      // The pool then has much WBTC, which backs WETH at that price: it has a weight, but is
      // outvoted.
      if (states === cheap) assert.isBelow(confidence(), before);
      data.settle();
      attack.expectUnmoved(0.003);
    }
    attack.close();
  });

  it.each([
    [0.95, 1],
    [1.05, 1_000],
  ])("move only for a pool as deep as all others together: %s of them", (part, expected) => {
    const attack = openAttack();
    const { data } = attack;
    const honest = [150_000n * MILLION, 150_000n * WHOLE] as const;
    attack.block({
      tokens: [TOKEN],
      pools: [
        [HONEST_1, USDC.address, TOKEN],
        [HONEST_2, USDC.address, TOKEN],
        [OWN, USDC.address, TOKEN],
      ],
      states: [
        [HONEST_1, ...honest],
        [HONEST_2, ...honest],
        [OWN, 1n, 1n],
      ],
    });
    data.settle();
    const token = attack.index(TOKEN);
    assert.closeTo(data.price(token).priceUsd, 1, 1e-9);
    const dollars = BigInt(Math.round(300_000 * part));
    attack.block({ states: [[OWN, dollars * MILLION, (dollars * WHOLE) / 1_000n]] });
    const { priceUsd, depthUsd, confidence } = data.price(token);
    assert.closeTo(priceUsd, expected, 1e-6 * expected);
    // Then the reported depth is that of one side alone, and confidence is halved.
    assert.closeTo(depthUsd, 300_000 * Math.max(1, part) * DEPTH_SHARE, 1);
    assert.isBelow(confidence, 0.55);
    attack.expectUnmoved(1e-12);
    data.settle();
    assert.closeTo(data.price(token).priceUsd, expected, 1e-6 * expected);
    attack.close();
  });

  it("give a token no more weight than its pools have now, whatever backed it in the block before", () => {
    const attack = openAttack();
    const { data } = attack;
    const victims = tokensOf(data).filter((token) => {
      const { priceUsd, depthUsd, path } = data.price(token);
      return priceUsd > 0 && path.length > 1 && depthUsd < 50_000;
    });
    assert.isAbove(victims.length, 50);
    // Twenty million real dollars: the forged token is backed better than most.
    attack.block({
      tokens: [TOKEN],
      pools: [[OWN, USDC.address, TOKEN]],
      states: [[OWN, 20n * MILLION * MILLION, 20n * MILLION * WHOLE]],
    });
    data.settle();
    const token = attack.index(TOKEN);
    assert.closeTo(data.price(token).priceUsd, 1, 1e-9);
    // They leave in the block in which its pools with other tokens give a thousand times the price.
    attack.block({
      pools: victims.map((victim, place) => [
        mockAddress(0xfa0000 + place),
        attack.address(victim),
        TOKEN,
      ]),
      states: [
        [OWN, 1n, 1n],
        ...victims.map((victim, place) => {
          const { priceUsd, decimals } = data.token(victim);
          const whole = BigInt(Math.max(1, Math.round(1e6 / priceUsd)));
          const reserves = [whole * 10n ** BigInt(decimals), 10n ** 9n * WHOLE] as const;
          return [mockAddress(0xfa0000 + place), ...reserves] as const;
        }),
      ],
    });
    assert.strictEqual(data.price(token).priceUsd, 0);
    attack.expectUnmoved(1e-12);
    assert.deepStrictEqual(data.auditPrices(500), []);
    data.settle();
    for (const victim of victims) {
      assert.isAtMost(data.token(victim).priceUsd, attack.honest(attack.address(victim)) * 1.01);
    }
    attack.close();
  });
});

const TOKEN = mockAddress(0xf00001);
const OWN = mockAddress(0xf00002);
const HONEST_1 = mockAddress(0xf00003);
const HONEST_2 = mockAddress(0xf00004);

interface Attack {
  readonly tokens?: ReadonlyArray<Address>;
  readonly pools?: ReadonlyArray<readonly [pool: Address, token0: Address, token1: Address]>;
  readonly states?: ReadonlyArray<readonly [pool: Address, reserve0: bigint, reserve1: bigint]>;
}

/** The recorded market, large enough to settle after its blocks are published. */
function openAttack() {
  const market = testMarket(first);
  const data: MarketData = market.data();
  const { graph } = market;
  const before = tokensOf(data).map((token) => data.price(token).priceUsd);
  let { number } = first.stamp;
  const index = (address: Address): TokenIndex => graph.findToken(address)!;
  return {
    data,
    index,
    address: (token: TokenIndex) => graph.tokenAddress(token),
    honest: (address: Address) => before[index(address)]!,
    block: ({ tokens = [], pools = [], states = [] }: Attack) => {
      market.apply(
        blockAfter(number++, {
          tokens: tokens.map((address) => ({ address, decimals: 18, symbol: "F", name: "" })),
          pools: pools.map(([address, ...of]) => ({
            address,
            dexId: "UNISWAP_V2",
            tokens: of,
            feePips: 3_000,
            parameter: 0,
          })),
          states: states.map(([pool, ...reserves]) => ({ pool, state: encodeReserves(reserves) })),
        }),
      );
      assert.isBelow(data.settledBlock(), number);
    },
    expectUnmoved: (tolerance: number) => {
      for (const [token, priceUsd] of before.entries()) {
        const now = data.price(token as TokenIndex).priceUsd;
        assert.closeTo(now, priceUsd, tolerance * priceUsd, `token ${token}`);
      }
    },
    close: market.close,
  };
}

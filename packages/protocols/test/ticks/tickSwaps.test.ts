import { ESTIMATE_ERROR, sqrtRatioAtTick } from "@millrace/core";
import { budget, law, surely } from "@millrace/testing";
import { arbitraryTicks, encodeState, limitsOf } from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type DrawnPool,
  OpenTicks,
  type TickContract,
  type TickPool,
  tickContracts,
  tickPool,
} from "./ticksUnderTest.ts";

const RUNS = 300;

interface Case {
  readonly pool: TickPool;
  readonly zeroForOne: boolean;
  readonly kind: "exactIn" | "exactOut";
  readonly amount: bigint;
}

/** Pools that a contract allows, in any direction, with an amount that matters to the pool. */
function cases(contract: TickContract): fc.Arbitrary<Case> {
  return fc
    .record({
      ticks: arbitraryTicks(contract.spacings),
      feePips: fc.constantFrom(...contract.fees),
      protocolFee: fc.constantFrom(...contract.protocolFees),
      zeroForOne: fc.boolean(),
      kind: fc.constantFrom("exactIn" as const, "exactOut" as const),
    })
    .chain(({ ticks, feePips, protocolFee, zeroForOne, kind }) => {
      const pool = tickPool(contract, { ...ticks, feePips, protocolFee });
      const most = limitsOf(pool, zeroForOne)[kind === "exactIn" ? 0 : 1]!;
      return amountAbout(most).map((amount) => ({ pool, zeroForOne, kind, amount }));
    });
}

/** Dust, any width, next to the most, and any part of it. */
function amountAbout(most: bigint): fc.Arbitrary<bigint> {
  return fc
    .oneof(
      fc.bigInt(1n, 20n),
      fc.bigInt(1n, 10n ** 24n),
      fc.bigInt(1n, most > 1n ? most : 1n),
      fc.bigInt(-2n, 2n).map((offset) => most + offset),
      fc.integer({ min: 0, max: 255 }).map((bits) => 1n << BigInt(bits)),
      fc.constantFrom(127n, 128n).chain((bits) => fc.bigInt((1n << bits) - 2n, (1n << bits) + 2n)),
    )
    .map((amount) => (amount < 1n ? 1n : amount));
}

/** A swap by the engine, and the words of the state that it leaves. */
function swapOf({ pool, zeroForOne, kind, amount }: Case) {
  const { family, index, direction } = new OpenTicks(pool, zeroForOne);
  const swap =
    kind === "exactIn"
      ? family.swapExactIn(index, ...direction, amount)
      : family.swapExactOut(index, ...direction, amount);
  return swap && { in: swap.amountIn, out: swap.amountOut, words: [...swap.state.words] };
}

describe.each(tickContracts)("swaps as $name makes them", (contract) => {
  it("are to the wei what the contract's text gives, in amounts and in what is left", () => {
    let filled = 0;
    fc.assert(
      fc.property(cases(contract), (drawn) => {
        const { pool, zeroForOne, kind, amount } = drawn;
        const open = new OpenTicks(pool, zeroForOne);
        const told = open.reference(kind, amount);
        const other = kind === "exactIn" ? told?.amountOut : told?.amountIn;
        expect(open.quote(kind, amount)).toBe(other);
        // A swap that gives nothing is none.
        if (told === undefined || told.amountOut === 0n) {
          expect(swapOf(drawn)).toBeUndefined();
          return;
        }
        filled++;
        const { sqrtPriceX96After: sqrtPriceX96, tickAfter: tick } = told;
        const after = { ...pool, sqrtPriceX96, tick, liquidity: told.liquidityAfter };
        const words = [...encodeState(after).words];
        expect(swapOf(drawn)).toEqual({ in: told.amountIn, out: told.amountOut, words });
      }),
      law(`swaps of ${contract.name}`, RUNS).options,
    );
    expect(filled).toBeGreaterThanOrEqual(surely(budget(RUNS) / 5));
  });

  it("stay within their estimates and their capacity", () => {
    let filled = 0;
    fc.assert(
      fc.property(cases(contract), ({ pool, zeroForOne, kind, amount }) => {
        const { family, index, direction } = new OpenTicks(pool, zeroForOne);
        const swap = swapOf({ pool, zeroForOne, kind, amount });
        if (swap === undefined) return;
        const [given, taken] = [Number(swap.in), Number(swap.out)];
        const mostOut = family.estimateExactIn(index, ...direction, given);
        const leastIn = family.estimateExactOut(index, ...direction, taken);
        expect(mostOut * (1 + ESTIMATE_ERROR)).toBeGreaterThanOrEqual(taken);
        expect(leastIn * (1 - ESTIMATE_ERROR)).toBeLessThanOrEqual(given);
        expect(family.capacityIn(index, ...direction)).toBeGreaterThanOrEqual(given);
        filled++;
      }),
      law(`estimates of ${contract.name}`, RUNS).options,
    );
    expect(filled).toBeGreaterThanOrEqual(surely(budget(RUNS) / 5));
  });

  it("of a book that contradicts its liquidity are the contract's or refused", () => {
    let refused = 0;
    const drifted = fc
      .tuple(cases(contract), fc.constantFrom(1n, -1n, -(10n ** 9n), 1n << 127n))
      .map(([drawn, drift]) => {
        const liquidity = BigInt.asUintN(128, drawn.pool.liquidity + drift);
        return { ...drawn, pool: { ...drawn.pool, liquidity } };
      });
    fc.assert(
      fc.property(drifted, ({ pool, zeroForOne, kind, amount }) => {
        const open = new OpenTicks(pool, zeroForOne);
        const asked = open.quote(kind, amount);
        const told = open.reference(kind, amount);
        if (asked === undefined) refused++;
        else expect(asked).toBe(kind === "exactIn" ? told?.amountOut : told?.amountIn);
      }),
      law(`contradicted books of ${contract.name}`, RUNS).options,
    );
    expect(refused).toBeGreaterThanOrEqual(surely(budget(RUNS) / 10));
  });

  it("cost an exact output no more than the contract, and give it for what they cost", () => {
    fc.assert(
      fc.property(cases(contract), ({ pool, zeroForOne, amount }) => {
        const open = new OpenTicks(pool, zeroForOne);
        const asked = open.quote("exactOut", amount);
        if (asked === undefined) return;
        const recorded = open.reference("exactOut", amount, "contract");
        // An input that buys less is given for the output where the contract's price is imprecise.
        if (recorded !== undefined && (open.quote("exactIn", recorded.amountIn) ?? -1n) >= amount) {
          expect(asked).toBeLessThanOrEqual(recorded.amountIn);
        }
        expect(open.quote("exactIn", asked)).toBeGreaterThanOrEqual(amount);
      }),
      law(`exact outputs of ${contract.name}`, RUNS).options,
    );
  });
});

/** A book of one position, and the price at a tick. */
function onePosition(
  tick: number,
  [lower, upper]: readonly [number, number],
  liquidity: bigint,
): DrawnPool {
  const isActive = lower <= tick && tick < upper;
  return {
    tickSpacing: 1,
    sqrtPriceX96: sqrtRatioAtTick(tick),
    tick,
    liquidity: isActive ? liquidity : 0n,
    ticks: new Map([
      [lower, liquidity],
      [upper, -liquidity],
    ]),
    feePips: 3_000,
  };
}

const [uniswapV3, uniswapV4, algebraIntegral] = tickContracts;

describe("what contracts that swap along ticks do not share", () => {
  const openOf = (contract: TickContract, drawn: DrawnPool, zeroForOne: boolean) =>
    new OpenTicks(tickPool(contract, drawn), zeroForOne);

  it("is where steps end: rounding at the ends of words takes units that Algebra leaves", () => {
    const pool = onePosition(0, [-200_000, 200_000], 10n ** 18n);
    const [atWords, atWordsToo, atTicks] = [uniswapV3, uniswapV4, algebraIntegral].map(
      (contract) => openOf(contract, pool, false).quote("exactIn", 10n ** 19n)!,
    );
    expect(atWordsToo).toBe(atWords);
    expect(atTicks! - atWords!).toBeGreaterThan(0n);
    expect(atTicks! - atWords!).toBeLessThan(1_000n);
  });

  it("is how far a swap gets: by words that a transaction has gas for, or by ticks", () => {
    const fills = (words: number) => {
      const pool = onePosition(-800_000, [256 * words - 800_000, 887_272], 10n ** 18n);
      return tickContracts.map((contract) => {
        return openOf(contract, pool, false).quote("exactIn", 10n ** 6n) !== undefined;
      });
    };
    expect(fills(2_000)).toEqual([true, true, true]);
    expect(fills(3_000)).toEqual([false, true, true]);
    expect(fills(3_300)).toEqual([false, false, true]);
  });

  it("is how many ticks a swap crosses where every one is initialised", () => {
    const ticks = new Map([[0, 10n ** 12n]]);
    for (let tick = 1; tick <= 4_000; tick++) ticks.set(tick, 1n);
    ticks.set(4_001, -(10n ** 12n) - 4_000n);
    const pool = { ...onePosition(0, [0, 4_001], 10n ** 12n), ticks, feePips: 0 };
    for (const contract of tickContracts) {
      // Token1 from the price of one tick to that of another: what steps before it took, about.
      const upTo = (tick: number) =>
        (10n ** 12n * (sqrtRatioAtTick(tick) - sqrtRatioAtTick(0))) >> 96n;
      const open = openOf(contract, pool, false);
      expect(open.quote("exactIn", upTo(contract.stepsMax - 2))).toBeDefined();
      expect(open.quote("exactIn", upTo(contract.stepsMax + 2))).toBeUndefined();
    }
  });

  it("is the fee: Uniswap V4 adds the protocol's, by direction, and rounds the sum up", () => {
    const pool = { ...onePosition(0, [-60, 60], 10n ** 18n), protocolFee: 1_000 * 4_096 + 250 };
    const feeOf = (zeroForOne: boolean) => {
      const { family, index, direction } = openOf(uniswapV4, pool, zeroForOne);
      return family.feePips(index, ...direction);
    };
    // 250 + 3,000 − 0.75, and 1,000 + 3,000 − 3.
    expect([feeOf(true), feeOf(false)]).toEqual([3_250, 3_997]);
  });

  it("is a fee of all: every input is taken and nothing given, and no output can be asked for", () => {
    const pool = { ...onePosition(0, [-60, 60], 10n ** 18n), feePips: 1_000_000 };
    for (const zeroForOne of [true, false]) {
      const open = openOf(uniswapV4, pool, zeroForOne);
      for (const amount of [1n, 10n ** 30n, (1n << 127n) - 1n]) {
        expect(open.quote("exactIn", amount)).toBe(0n);
      }
      expect(open.quote("exactOut", 1n)).toBeUndefined();
      const { family, index, direction } = open;
      expect(family.estimateExactIn(index, ...direction, 1e30)).toBe(0);
      expect(family.estimateExactOut(index, ...direction, 1)).toBe(Number.POSITIVE_INFINITY);
    }
    // Where there is no liquidity there is nothing to take a fee of: the price runs to its limit.
    const empty = { ...pool, ticks: new Map<number, bigint>(), liquidity: 0n };
    expect(openOf(uniswapV4, empty, true).quote("exactIn", 1n)).toBeUndefined();
    for (const contract of [uniswapV3, algebraIntegral]) {
      expect(() => openOf(contract, pool, true)).toThrow("left out");
    }
  });

  it("is the width of amounts: V4 has 127 bits, Algebra 128, V3 as many as it needs", () => {
    const pool = onePosition(443_636, [443_000, 444_000], 1n << 126n);
    const opens = tickContracts.map((contract) => openOf(contract, pool, true));
    const outputs = [(1n << 127n) - 1n, 1n << 127n, (1n << 128n) - 1n, 1n << 128n];
    const asked = outputs.map((amount) => opens[0]!.quote("exactOut", amount)!);
    const given = (kind: "exactIn" | "exactOut", amounts: ReadonlyArray<bigint>) =>
      opens.map((open) => amounts.map((amount) => open.quote(kind, amount) !== undefined));
    // A unit of what goes in is worth many of what comes out: an input gives more than was asked.
    expect(given("exactOut", outputs)).toEqual([
      [true, true, true, true],
      [false, false, false, false],
      [true, true, false, false],
    ]);
    expect(
      given(
        "exactIn",
        asked.map((amountIn) => amountIn - 1n),
      ),
    ).toEqual([
      [true, true, true, true],
      [true, true, false, false],
      [true, true, true, true],
    ]);
  });

  it("is what Algebra asks for an output where its price of an input is less precise", () => {
    // So much of token0 that a product overflows, which word ends keep from the others.
    const position = onePosition(509_329, [-648_687, 887_272], 156879529664146277968416n);
    const sqrtPriceX96 = 9083753328468829756749516669250956778663n;
    const open = openOf(algebraIntegral, { ...position, sqrtPriceX96, feePips: 0 }, true);
    const most = 17986722202458558707690221153174292n;
    let short = 0;
    for (let wanted = most - 300n; wanted <= most; wanted++) {
      const asked = open.quote("exactOut", wanted)!;
      expect(open.quote("exactIn", asked)).toBeGreaterThanOrEqual(wanted);
      expect(open.quote("exactIn", asked - 1n)).toBeLessThan(wanted);
      expect(open.reference("exactOut", wanted)?.amountIn).toBe(asked);
      if (open.reference("exactOut", wanted, "contract")!.amountIn < asked) short++;
    }
    expect(short).toBeGreaterThan(0);
  });

  it("is where ticks may stand: anywhere once Algebra's spacing was another", () => {
    const pool = { ...onePosition(0, [-61, 61], 10n ** 18n), tickSpacing: 60 };
    for (const contract of [uniswapV3, uniswapV4]) {
      expect(() => openOf(contract, pool, true)).toThrow("with spacing 60");
    }
    expect(openOf(algebraIntegral, { ...pool, tickSpacing: 1 }, true).quote("exactIn", 100n)).toBe(
      98n,
    );
  });
});

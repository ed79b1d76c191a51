import { ESTIMATE_ERROR, sqrtRatioAtTick, tickAtSqrtRatio } from "@millrace/core";
import { law, surely } from "@millrace/testing";
import { arbitraryTicks } from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type OpenTicks,
  openTicks,
  type TickContract,
  type TicksUnderTest,
  tickContracts,
} from "./ticksUnderTest.ts";

const RUNS = 300;

interface Case {
  readonly pool: TicksUnderTest;
  readonly zeroForOne: boolean;
  readonly kind: "exactIn" | "exactOut";
  readonly amount: bigint;
}

/** Pools that a contract allows, in any direction, with an amount that matters to the pool. */
function cases(contract: TickContract): fc.Arbitrary<Case> {
  const pool = fc.record({
    ticks: arbitraryTicks(contract.spacings),
    fee: fc.constantFrom(...contract.fees),
    protocolFee: fc.constantFrom(...contract.protocolFees),
  });
  return fc
    .tuple(pool, fc.boolean(), fc.constantFrom("exactIn" as const, "exactOut" as const))
    .chain(([{ ticks, ...fees }, zeroForOne, kind]) => {
      const drawn = { ...ticks, ...fees };
      const most = mostOf(openTicks(contract, drawn, zeroForOne), kind);
      return amountAbout(most).map((amount) => ({ pool: drawn, zeroForOne, kind, amount }));
    });
}

/** The most that a pool takes or gives, if it is walked to its end. */
function mostOf({ ladder }: Pick<OpenTicks, "ladder">, kind: Case["kind"]): bigint {
  ladder.rungIn(ladder.pool.rule.amountMax);
  const { amountIn, amountOut } = ladder.rungs.at(-1)!;
  return kind === "exactIn" ? amountIn : amountOut;
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

/** A swap by the engine, as the reference tells it. */
function swapOf(contract: TickContract, { pool, zeroForOne, kind, amount }: Case) {
  const { ladder } = openTicks(contract, pool, zeroForOne);
  const swap = kind === "exactIn" ? ladder.exactIn(amount) : ladder.exactOut(amount);
  if (swap === undefined) return undefined;
  const { amountIn, amountOut, sqrtPriceX96, rung } = swap;
  const isOnRung = sqrtPriceX96 === rung.sqrtPriceX96;
  const tickAfter = isOnRung ? rung.tick : tickAtSqrtRatio(sqrtPriceX96);
  return {
    amountIn,
    amountOut,
    sqrtPriceX96After: sqrtPriceX96,
    tickAfter,
    liquidityAfter: rung.liquidity,
  };
}

describe.each(tickContracts)("swaps as $name makes them", (contract) => {
  it("are to the wei what the contract's text gives, in amounts and in what is left", () => {
    let filled = 0;
    fc.assert(
      fc.property(cases(contract), (drawn) => {
        const { pool, zeroForOne, kind, amount } = drawn;
        const told = contract.reference(pool, zeroForOne, kind, amount);
        const { steps: _steps, complete: _complete, ...expected } = told ?? {};
        expect(swapOf(contract, drawn) ?? {}).toEqual(expected);
        if (told !== undefined) filled++;
      }),
      law(`swaps of ${contract.name}`, RUNS).options,
    );
    expect(filled).toBeGreaterThanOrEqual(surely(RUNS / 4));
  });

  it("stay within their float curve and the most that it takes", () => {
    let filled = 0;
    fc.assert(
      fc.property(cases(contract), (drawn) => {
        const swap = swapOf(contract, drawn);
        if (swap === undefined) return;
        const { pool, zeroForOne } = drawn;
        const { curve, ladder } = openTicks(contract, pool, zeroForOne);
        const [given, taken] = [Number(swap.amountIn), Number(swap.amountOut)];
        expect(curve.exactIn(given) * (1 + ESTIMATE_ERROR)).toBeGreaterThanOrEqual(taken);
        expect(curve.exactOut(taken) * (1 - ESTIMATE_ERROR)).toBeLessThanOrEqual(given);
        const kept = Number(1_000_000n - ladder.pool.feePips);
        const rounded = (3 * contract.rule.stepCountMax * 1e6) / kept;
        expect(curve.capacity() * (1 + ESTIMATE_ERROR) + rounded).toBeGreaterThanOrEqual(given);
        filled++;
      }),
      law(`float curve of ${contract.name}`, RUNS).options,
    );
    expect(filled).toBeGreaterThanOrEqual(surely(RUNS / 4));
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
      fc.property(drifted, (drawn) => {
        const { pool, zeroForOne, kind, amount } = drawn;
        const swap = swapOf(contract, drawn);
        if (swap === undefined) refused++;
        else expect(contract.reference(pool, zeroForOne, kind, amount)).toMatchObject(swap);
      }),
      law(`contradicted books of ${contract.name}`, RUNS).options,
    );
    expect(refused).toBeGreaterThanOrEqual(surely(RUNS / 10));
  });

  it("cost an exact output no more than the contract, and give it for what they cost", () => {
    fc.assert(
      fc.property(cases(contract), (drawn) => {
        const { pool, zeroForOne, kind, amount } = drawn;
        if (kind === "exactIn") return;
        const recorded = contract.reference(pool, zeroForOne, kind, amount, "contract");
        const asked = swapOf(contract, drawn);
        if (asked === undefined) return;
        if (recorded !== undefined) {
          expect(asked.amountIn).toBeLessThanOrEqual(recorded.amountIn);
        }
        const given = swapOf(contract, { ...drawn, kind: "exactIn", amount: asked.amountIn });
        // The last unit of an input may buy more than the contract's integers hold.
        if (given !== undefined) expect(given.amountOut).toBeGreaterThanOrEqual(amount);
        else expect(contract.rule.amountMax).toBeLessThan(1n << 128n);
      }),
      law(`exact outputs of ${contract.name}`, RUNS).options,
    );
  });
});

/** A book of one position, and the price at a tick of it. */
function onePosition(
  tick: number,
  [lower, upper]: readonly [number, number],
  liquidity: bigint,
): TicksUnderTest {
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
    fee: 3_000n,
    protocolFee: 0n,
  };
}

const [uniswapV3, uniswapV4, algebraIntegral] = tickContracts;

describe("what contracts that swap along ticks do not share", () => {
  it("is where steps end: rounding at the ends of words takes units that Algebra leaves", () => {
    const pool = onePosition(0, [-200_000, 200_000], 10n ** 18n);
    const swap = { pool, zeroForOne: false, kind: "exactIn", amount: 10n ** 19n } as const;
    const atWords = swapOf(uniswapV3, swap)!;
    expect(swapOf(uniswapV4, swap)).toEqual(atWords);
    const atTicks = swapOf(algebraIntegral, swap)!;
    expect(atTicks.amountOut).toBeGreaterThan(atWords.amountOut);
    expect(atTicks.amountOut - atWords.amountOut).toBeLessThan(1_000n);
  });

  it("is how far a swap gets: by words that a transaction has gas for, or by ticks", () => {
    const across = (words: number): Case => {
      const pool = onePosition(-800_000, [256 * words - 800_000, 887_272], 10n ** 18n);
      return { pool, zeroForOne: false, kind: "exactIn", amount: 10n ** 6n };
    };
    const fills = (words: number) =>
      tickContracts.map((contract) => swapOf(contract, across(words)) !== undefined);
    expect(fills(2_000)).toEqual([true, true, true]);
    expect(fills(3_000)).toEqual([false, true, true]);
    expect(fills(3_300)).toEqual([false, false, true]);
  });

  it("is how far a swap gets where every tick is initialised", () => {
    const ticks = new Map([[0, 10n ** 12n]]);
    for (let tick = 1; tick <= 4_000; tick++) ticks.set(tick, 1n);
    ticks.set(4_001, -(10n ** 12n) - 4_000n);
    const pool = { ...onePosition(0, [0, 4_001], 10n ** 12n), ticks };
    for (const contract of tickContracts) {
      const { ladder } = openTicks(contract, pool, false);
      expect(ladder.exactIn(10n ** 18n)).toBeUndefined();
      expect(ladder.rungs.at(-1)?.crossingCount).toBe(contract.rule.stepCountMax);
    }
  });

  it("is the fee: Uniswap V4 adds the protocol's, by direction, and rounds the sum up", () => {
    const pool = { ...onePosition(0, [-60, 60], 10n ** 18n), protocolFee: (1_000n << 12n) | 250n };
    const feeOf = (zeroForOne: boolean) =>
      openTicks(uniswapV4, pool, zeroForOne).ladder.pool.feePips;
    // 250 + 3,000 − 0.75, and 1,000 + 3,000 − 3.
    expect([feeOf(true), feeOf(false)]).toEqual([3_250n, 3_997n]);
  });

  it("is a fee of all: every input is taken and nothing given, and no output can be asked for", () => {
    const pool = { ...onePosition(0, [-60, 60], 10n ** 18n), fee: 1_000_000n };
    for (const zeroForOne of [true, false]) {
      const { ladder, curve } = openTicks(uniswapV4, pool, zeroForOne);
      for (const amount of [1n, 10n ** 30n, (1n << 127n) - 1n]) {
        const swap = ladder.exactIn(amount);
        expect([swap?.amountOut, swap?.sqrtPriceX96]).toEqual([0n, pool.sqrtPriceX96]);
      }
      expect(ladder.exactOut(1n)).toBeUndefined();
      expect([curve.exactIn(1e30), curve.exactOut(1)]).toEqual([0, Number.POSITIVE_INFINITY]);
    }
    // Where there is no liquidity there is nothing to take a fee of: the price runs to its limit.
    const empty = { ...pool, ticks: new Map<number, bigint>(), liquidity: 0n };
    expect(openTicks(uniswapV4, empty, true).ladder.exactIn(1n)).toBeUndefined();
  });

  it("is the width of amounts: V4 has 127 bits, Algebra 128, V3 as many as it needs", () => {
    const pool = onePosition(443_636, [443_000, 444_000], 1n << 126n);
    const outputs = [(1n << 127n) - 1n, 1n << 127n, (1n << 128n) - 1n, 1n << 128n];
    const given = tickContracts.map((contract) =>
      outputs.map((amount) => {
        const drawn = { pool, zeroForOne: true, kind: "exactOut", amount } as const;
        return swapOf(contract, drawn) !== undefined;
      }),
    );
    expect(given).toEqual([
      [true, true, true, true],
      [true, false, false, false],
      [true, true, true, false],
    ]);
    // An input that leads just to the end of a step has its own way through the ladder.
    const whole = tickContracts.map((contract) => {
      const { ladder } = openTicks(contract, pool, true);
      mostOf({ ladder }, "exactIn");
      const far = ladder.rungs.find(({ amountOut }) => amountOut >= 1n << 128n)!;
      return ladder.exactIn(far.amountIn) !== undefined;
    });
    expect(whole).toEqual([true, false, false]);
  });
});

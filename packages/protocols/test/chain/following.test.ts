import { type ChainLog, IMPOSSIBLE, type LoggedSwap } from "@millrace/protocols";
import { budget, law, surely } from "@millrace/testing";
import { getSqrtRatioAtTick, MAX_TICK } from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  concentratedLiquidity,
  EMPTY_BOOK,
  effectOf,
  hexOf,
  listing,
  NaivePool,
  readFrom,
} from "./chainFixture.ts";

describe("a concentrated-liquidity pool", () => {
  const spacing = fc.constantFrom(1, 10, 60, 200, 16_383);
  const liquidity = fc.oneof(
    fc.constantFrom(777n, 10n ** 18n), // equal ones meet at a tick and leave it no net
    fc.bigInt({ min: 1n, max: 1_000n }),
    fc.bigInt({ min: 10n ** 9n, max: 10n ** 24n }),
  );
  const command = fc.oneof(
    fc.record({
      kind: fc.constant("mint" as const),
      // Few and near, so that positions share their ends and leave one another's behind.
      ends: fc.uniqueArray(
        fc.oneof(fc.integer({ min: -4, max: 4 }), fc.constantFrom(-99999, 99999)),
        {
          minLength: 2,
          maxLength: 2,
        },
      ),
      liquidity,
    }),
    fc.record({
      kind: fc.constant("burn" as const),
      position: fc.nat(),
      part: fc.constantFrom(0n, 1n, 2n, 3n, 3n, 3n), // thirds
    }),
    fc.record({
      kind: fc.constant("swap" as const),
      zeroForOne: fc.boolean(),
      amount: fc.oneof(
        fc.constant("step" as const),
        fc.bigInt({ min: 1n, max: 1_000n }),
        fc.bigInt({ min: 1n, max: 10n ** 22n }),
      ),
      isExactIn: fc.boolean(),
      fork: fc.constantFrom("uniswap" as const, "pancake" as const),
    }),
  );
  const history = fc.record({
    spacing,
    feePips: fc.constantFrom(0, 100, 3000, 10_000),
    start: fc.record({
      place: fc.integer({ min: -5, max: 5 }),
      within: fc.constantFrom(0n, 0n, 1n, 10n ** 20n),
    }),
    commands: fc.array(command, { minLength: 10, maxLength: 40, size: "max" }),
  });

  /** Plays a history; `each` sees every log with what should come of it. */
  function play(
    { spacing: tickSpacing, feePips, start, commands }: HistoryOf<typeof history>,
    each: (log: ChainLog, model: NaivePool, swap?: { amountIn: bigint; amountOut: bigint }) => void,
  ): NaivePool {
    const model = new NaivePool(listing(tickSpacing, feePips));
    const positions: Array<{ lower: number; upper: number; liquidity: bigint }> = [];
    each(model.initialize(getSqrtRatioAtTick(start.place * tickSpacing) + start.within), model);
    const furthest = Math.floor(MAX_TICK / tickSpacing);
    for (const command of commands) {
      if (command.kind === "mint") {
        const ends = command.ends.map((end) => Math.min(Math.max(end, -furthest), furthest));
        const [lower, upper] = ends.sort((a, b) => a - b).map((end) => end * tickSpacing);
        positions.push({ lower: lower!, upper: upper!, liquidity: command.liquidity });
        each(model.mint(lower!, upper!, command.liquidity), model);
      } else if (command.kind === "burn") {
        const position = positions[command.position % positions.length];
        if (position === undefined) continue;
        const burned = (position.liquidity * command.part) / 3n;
        position.liquidity -= burned;
        each(model.burn(position.lower, position.upper, burned), model);
      } else {
        const { zeroForOne, isExactIn, fork } = command;
        const amount = command.amount === "step" ? model.stepIn(zeroForOne) : command.amount;
        const isStep = command.amount === "step";
        const swap = model.swap(zeroForOne, isStep || isExactIn ? amount : -amount, fork);
        if (swap !== undefined) each(swap.log, model, swap);
      }
    }
    return model;
  }

  it("is followed through mints, burns and swaps to the state that the contract has", () => {
    const seen = { crossed: 0, belowItsTick: 0, swaps: 0, netless: 0 };
    fc.assert(
      fc.property(history, (drawn) => {
        let state = EMPTY_BOOK;
        play(drawn, (log, model, swap) => {
          const kept = structuredClone(state);
          const effect = effectOf(concentratedLiquidity, model.pool, state, log);
          expect(effect.state).toEqual(model.state());
          expect(state).toEqual(kept); // states that were made never change
          expectSwap(log, swap, model.sqrtPriceX96, effect.swap);
          // Without the state it is the same swap.
          expect(concentratedLiquidity.decodeSwap(listing(60), log, undefined)).toEqual(
            effect.swap,
          );
          if (swap !== undefined) {
            expect(effect.state.book).toBe(state.book);
            expect(effect.state.ledger).toBe(state.ledger);
            seen.swaps++;
            if (effect.state.words[3] !== state.words[3]) seen.crossed++;
            if (model.sqrtPriceX96 === getSqrtRatioAtTick(model.tick + 1)) seen.belowItsTick++;
          }
          if ([...model.ticks.values()].some(({ net }) => net === 0n)) seen.netless++;
          state = effect.state;
        });
      }),
      law("V3 pools: followed to the contract's state", 350).options,
    );
    for (const count of Object.values(seen)) {
      expect(count).toBeGreaterThanOrEqual(surely(budget(350) / 10));
    }
  });

  it("is read as it is followed, byte for byte, whatever slot0 has at its end", () => {
    fc.assert(
      fc.property(history, fc.constantFrom("uniswap", "pancake"), (drawn, fork) => {
        const model = play(drawn, () => {});
        const read = readFrom(concentratedLiquidity, model.pool, (call) =>
          model.answer(call, fork),
        );
        expect(read).toEqual(model.state());
        const glance = concentratedLiquidity.shallowRead(model.pool);
        const answers = glance.map((call) => model.answer(call, fork));
        expect(concentratedLiquidity.virtualReserves(listing(60), answers)).toEqual([
          (model.liquidity * 2n ** 96n) / model.sqrtPriceX96,
          (model.liquidity * model.sqrtPriceX96) / 2n ** 96n,
        ]);
      }),
      law("V3 pools: read as followed", 100).options,
    );
  });

  it("is created with the state that is read of it before it has a price", () => {
    for (const tickSpacing of [1, 60, 16_383]) {
      const model = new NaivePool(listing(tickSpacing));
      const { pool } = model;
      const read = readFrom(concentratedLiquidity, pool, (call) => model.answer(call));
      expect(read).toEqual(EMPTY_BOOK);
      expect(read).toEqual(model.state());
      const answers = concentratedLiquidity.shallowRead(pool).map((call) => model.answer(call));
      expect(concentratedLiquidity.virtualReserves(listing(60), answers)).toBeUndefined();
    }
  });

  it("tells of no drift only where the liquidity is what the crossed ticks give", () => {
    fc.assert(
      fc.property(history, (drawn) => {
        let state = EMPTY_BOOK;
        play(drawn, (log, model, swap) => {
          const before = state;
          state = model.state();
          if (swap === undefined) return;
          const data = [...log.data.slice(2).match(/.{64}/g)!].map((digits) =>
            BigInt(`0x${digits}`),
          );
          data[3]! += data[3]! === 0n ? 1n : -1n;
          const drifted = { ...log, data: hexOf(...data) };
          expect(concentratedLiquidity.applyLog(model.pool, before, drifted)).toBe(IMPOSSIBLE);
        });
      }),
      law("V3 pools: drift", 50).options,
    );
  });
});

type HistoryOf<A> = A extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * A swap is reported where something was paid and given, with its amounts and the price after it.
 */
function expectSwap(
  log: ChainLog,
  swap: { amountIn: bigint; amountOut: bigint } | undefined,
  sqrtPriceX96: bigint,
  reported: LoggedSwap | undefined,
): void {
  if (swap === undefined || swap.amountIn === 0n || swap.amountOut === 0n) {
    expect(reported).toBeUndefined();
    return;
  }
  const isToken0In = BigInt.asIntN(256, BigInt(log.data.slice(0, 66))) > 0n;
  const [positionIn, positionOut] = isToken0In ? [0, 1] : [1, 0];
  const { amountIn, amountOut } = swap;
  expect(reported).toMatchObject({ positionIn, positionOut, amountIn, amountOut });
  // Of token1 for token0, with 100 digits after the point.
  const digits = (sqrtPriceX96 * sqrtPriceX96 * 10n ** 100n) / 2n ** 192n;
  const price = isToken0In ? reported!.priceAfter : 1 / reported!.priceAfter;
  expect(Math.abs(price / (Number(digits) / 1e100) - 1)).toBeLessThan(1e-14);
}

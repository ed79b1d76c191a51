import { IMPOSSIBLE } from "@millrace/protocols";
import { law, surely } from "@millrace/testing";
import {
  directionFeePips,
  getSqrtRatioAtTick,
  getTickAtSqrtRatio,
} from "@millrace/testing/reference";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answering, brokenShapes, effectOf, readFrom } from "./chainFixture.ts";
import { NaiveTicks } from "./NaiveTicks.ts";
import { type TickFamily, tickFamilies } from "./tickFamilies.ts";

const HISTORIES = 15;

const act = fc.oneof(
  fc.record({
    kind: fc.constant("mint" as const),
    // Few and near, so that positions share their ends and leave one another's behind.
    ends: fc.uniqueArray(fc.oneof(fc.integer({ min: -4, max: 4 }), fc.constantFrom(-27, 27)), {
      minLength: 2,
      maxLength: 2,
    }),
    liquidity: fc.constantFrom(777n, 10n ** 9n, 10n ** 18n, 10n ** 24n),
  }),
  fc.record({
    kind: fc.constant("burn" as const),
    position: fc.nat(),
    part: fc.constantFrom(0n, 1n, 3n, 3n), // thirds
  }),
  fc.record({
    kind: fc.constant("swap" as const),
    zeroForOne: fc.boolean(),
    amount: fc.oneof(fc.bigInt(1n, 1_000n), fc.bigInt(1n, 10n ** 22n)),
  }),
);

function histories({ spacings }: TickFamily) {
  return fc.record({
    tickSpacing: fc.constantFrom(...spacings),
    feePips: fc.constantFrom(100, 500, 3_000),
    start: fc.integer({ min: -5, max: 5 }),
    acts: fc.array(act, { minLength: 10, maxLength: 30, size: "max" }),
  });
}

/** The pool of a family that its factory tells of, as the contract has it. */
function created(
  { dex, creation, contract }: TickFamily,
  { tickSpacing, feePips, start }: { tickSpacing: number; feePips: number; start: number },
): NaiveTicks {
  const sqrtPriceX96 = getSqrtRatioAtTick(start * tickSpacing);
  const log = creation(tickSpacing, feePips, sqrtPriceX96, getTickAtSqrtRatio(sqrtPriceX96));
  const told = dex.decodeCreation(log);
  if (told === undefined || !("listing" in told)) throw new Error("no pool");
  const model = new NaiveTicks(told.listing, contract, feePips);
  model.setPrice(sqrtPriceX96);
  return model;
}

describe.each(tickFamilies)("pools of $name", (family) => {
  const { dex } = family;
  const read = (model: NaiveTicks) =>
    readFrom(dex, model.listing, (call) => family.answer(model, call));

  it("are followed through positions and swaps to what is read of them then", () => {
    let swaps = 0;
    fc.assert(
      fc.property(histories(family), (drawn) => {
        const model = created(family, drawn);
        const positions: Array<{ lower: number; upper: number; liquidity: bigint }> = [];
        let state = read(model)!;
        expect(state).toEqual(model.state());
        for (const step of drawn.acts) {
          if (step.kind === "swap") {
            const feePips = directionFeePips(model.plain, step.zeroForOne);
            const amounts = model.swap(step.zeroForOne, step.amount);
            if (amounts === undefined) continue;
            const logs = family.swap(model, amounts, feePips);
            const effects = logs.map((log) => {
              const effect = effectOf(dex, model.listing, state, log);
              state = effect.state;
              return effect;
            });
            const [amountIn, amountOut] = step.zeroForOne
              ? [amounts[0], -amounts[1]]
              : [amounts[1], -amounts[0]];
            const told = effects.at(-1)!.swap;
            const positionIn = step.zeroForOne ? 0 : 1;
            if (amountOut > 0n) expect(told).toMatchObject({ positionIn, amountIn, amountOut });
            expect(dex.decodeSwap(model.listing, logs.at(-1)!, undefined)).toEqual(told);
            swaps++;
          } else if (step.kind === "mint") {
            const [lower, upper] = step.ends
              .sort((a, b) => a - b)
              .map((end) => end * drawn.tickSpacing);
            positions.push({ lower: lower!, upper: upper!, liquidity: step.liquidity });
            model.modify(lower!, upper!, step.liquidity);
            const log = family.position(model, lower!, upper!, step.liquidity);
            state = effectOf(dex, model.listing, state, log).state;
          } else {
            const position = positions[step.position % positions.length];
            if (position === undefined) continue;
            const burned = (position.liquidity * step.part) / 3n;
            position.liquidity -= burned;
            model.modify(position.lower, position.upper, -burned);
            const log = family.position(model, position.lower, position.upper, -burned);
            state = effectOf(dex, model.listing, state, log).state;
          }
          expect(state).toEqual(model.state());
        }
        expect(state).toEqual(read(model));
      }),
      law(`pools of ${family.name}: followed`, HISTORIES).options,
    );
    expect(swaps).toBeGreaterThanOrEqual(surely(HISTORIES));
  });

  it("show at a glance the reserves that stand behind the price", () => {
    const model = created(family, { tickSpacing: family.spacings[0]!, feePips: 500, start: 3 });
    const end = 20 * family.spacings[0]!;
    model.modify(-end, end, 10n ** 18n);
    const answers = dex.shallowRead(model.listing).map((call) => family.answer(model, call));
    const price = model.sqrtPriceX96;
    expect(dex.virtualReserves(model.listing, answers)).toEqual([
      ((10n ** 18n) << 96n) / price,
      (10n ** 18n * price) >> 96n,
    ]);
    expect(dex.virtualReserves(model.listing, [undefined, ...answers.slice(1)])).toBeUndefined();
  });

  it("refuse logs that are cut, too long, of others, or that cannot have happened", () => {
    const model = created(family, { tickSpacing: family.spacings[0]!, feePips: 500, start: 0 });
    const end = 20 * family.spacings[0]!;
    model.modify(-end, end, 10n ** 18n);
    const state = read(model)!;
    const before = { ...model };
    const amounts = model.swap(true, 10n ** 12n)!;
    const logs = family.swap(model, amounts, directionFeePips(model.plain, true));
    const swap = logs.at(-1)!;
    const mint = family.position(model, -end, end, 5n);
    for (const log of [swap, mint]) {
      expect(dex.applyLog(model.listing, state, log)).toBeTypeOf("object");
      for (const broken of brokenShapes(log)) {
        expect(dex.applyLog(model.listing, state, broken)).toBe(IMPOSSIBLE);
      }
    }
    const impossible = {
      "more removed than there is": family.position(model, -end, end, -(10n ** 18n) - 1n),
      "removed where nothing is": family.position(model, -2 * end, end, -1n),
      "upside down": family.position(model, end, -end, 1n),
      "a position of no width": family.position(model, end, end, 1n),
      "a fall for token1": family.swap(model, [-amounts[0], -amounts[1]], 500).at(-1)!,
      "both in": family.swap(model, [5n, 5n], 500).at(-1)!,
    };
    for (const [what, log] of Object.entries(impossible)) {
      expect(dex.applyLog(model.listing, state, log), what).toBe(IMPOSSIBLE);
    }
    // Nor is a swap what it says where the liquidity is not the sum of the nets.
    const drifted = Object.assign(Object.create(NaiveTicks.prototype), model, { liquidity: 7n });
    const wrong = family.swap(drifted, amounts, 500).at(-1)!;
    expect(dex.applyLog(before.listing, state, wrong)).toBe(IMPOSSIBLE);
    expect(dex.applyLog(model.listing, state, { ...swap, topics: ["0x00"] })).toBeUndefined();
  });

  it("are not read from answers that no pool gives", () => {
    const model = created(family, { tickSpacing: family.spacings.at(-1)!, feePips: 500, start: 0 });
    const end = 20 * family.spacings.at(-1)!;
    model.modify(-end, end, 10n ** 18n);
    const calls: string[] = [];
    readFrom(dex, model.listing, (call) => {
      calls.push(call.data);
      return family.answer(model, call);
    });
    const selectors = new Set(calls.map((data) => data.slice(0, 10)));
    for (const selector of selectors) {
      for (const answer of [undefined, "0x", "0x12", `0x${"ff".repeat(31)}`] as const) {
        const reading = dex.read(model.listing);
        let step = reading.next();
        while (!step.done) {
          step = reading.next(
            step.value.map(
              answering((call) =>
                call.data.startsWith(selector) ? answer : family.answer(model, call),
              ),
            ),
          );
        }
        const isRefused = step.value === undefined || "refused" in step.value;
        expect(isRefused, `${selector} ${answer}`).toBe(true);
      }
    }
  });

  it("are asked of their quoter as its interface has it", () => {
    const model = created(family, { tickSpacing: family.spacings[0]!, feePips: 500, start: 0 });
    const asked = dex.quoteCall!(model.listing, 1, 0, 12_345n)!;
    expect(asked.call.to).toBe(QUOTER_OF_ALL);
    expect(asked.amountOut(undefined)).toBe(-1n);
    expect(asked.amountOut("0x")).toBeUndefined();
  });
});

const QUOTER_OF_ALL = `0x${"0f".repeat(20)}`;

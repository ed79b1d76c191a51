import fc from "fast-check";
import { getSqrtRatioAtTick, MAX_TICK, MIN_TICK } from "./tickMath.ts";
import type { TicksOfPool } from "./tickPools.ts";

/** Prices and ticks of sound pools, biased towards where arithmetic breaks. */
export function arbitraryTicks(spacings: ReadonlyArray<number>): fc.Arbitrary<TicksOfPool> {
  return fc.constantFrom(...spacings).chain((tickSpacing) => {
    const last = Math.floor(MAX_TICK / tickSpacing);
    const near = fc.integer({ min: -Math.min(300, last), max: Math.min(300, last) });
    const boundary = fc.oneof(
      near,
      fc.integer({ min: -last, max: last }),
      fc.constantFrom(-last, last),
    );
    const position = fc.record({
      ends: fc.tuple(boundary, boundary),
      liquidity: fc.oneof(
        fc.bigInt({ min: 1n, max: 1_000n }),
        fc.bigInt({ min: 10n ** 9n, max: 10n ** 24n }),
        anyWidth(120).map((liquidity) => liquidity + 1n),
      ),
    });
    return fc
      .record({
        // The price: at a boundary, or anywhere.
        place: fc.oneof(
          near.map((compressed) => compressed * tickSpacing),
          fc.integer({ min: -300 * tickSpacing, max: 300 * tickSpacing }),
          fc.integer({ min: MIN_TICK, max: MAX_TICK - 1 }),
          fc.constantFrom(MIN_TICK, MIN_TICK + 1, MAX_TICK - 1, MAX_TICK - 2),
        ),
        // On the tick, on it after crossing it downwards, or this part of the way to the next one.
        within: fc.oneof(
          fc.constantFrom("on" as const, "below" as const),
          fc.double({ min: 0, max: 0.999, noNaN: true }),
        ),
        positions: fc.array(position, { maxLength: 4 }),
      })
      .map(({ place, within, positions }) => {
        const atTick = Math.min(Math.max(place, MIN_TICK), MAX_TICK - 1);
        const low = getSqrtRatioAtTick(atTick);
        const high = getSqrtRatioAtTick(atTick + 1);
        const part = typeof within === "number" ? BigInt(Math.floor(within * 2 ** 50)) : 0n;
        const tick = within === "below" && atTick > MIN_TICK ? atTick - 1 : atTick;
        const ticks = new Map<number, bigint>();
        let liquidity = 0n;
        for (const { ends, liquidity: added } of positions) {
          if (ends[0] === ends[1]) continue;
          const lower = Math.min(...ends) * tickSpacing;
          const upper = Math.max(...ends) * tickSpacing;
          ticks.set(lower, (ticks.get(lower) ?? 0n) + added);
          ticks.set(upper, (ticks.get(upper) ?? 0n) - added);
          if (lower <= tick && tick < upper) liquidity += added;
        }
        const sqrtPriceX96 = low + (((high - low) * part) >> 50n);
        return { tickSpacing, sqrtPriceX96, tick, liquidity, ticks };
      });
  });
}

/** 0 to 2^bits − 1, every width equally likely. */
export function anyWidth(bits: number): fc.Arbitrary<bigint> {
  return fc
    .integer({ min: 0, max: bits })
    .chain((width) => fc.bigInt({ min: 0n, max: (1n << BigInt(width)) - 1n }));
}

import { describe, expect, it } from "@effect/vitest";
import type { MarketData } from "@millrace/market";
import { Effect, Logger, References } from "effect";
import { TestClock } from "effect/testing";
import { auditMarket } from "../../src/networks/auditMarket.ts";

type Prices = ReturnType<MarketData["auditPrices"]>;
type Windows = ReturnType<MarketData["auditWindows"]>;

describe("audits of market data", () => {
  it.effect(
    "what audits of a market find is counted, and told in the log with the first few",
    () => {
      const told: Array<{ words: unknown; count: unknown; shown: number }> = [];
      const logger = Logger.make(({ message, fiber }) => {
        const { count, found } = fiber.getRef(References.CurrentLogAnnotations);
        told.push({ words: message, count, shown: (found as unknown[]).length });
      });
      let wrongPrices: Prices = [];
      let wrongWindows: Windows = [];
      const data = { auditPrices: () => wrongPrices, auditWindows: () => wrongWindows };
      return Effect.gen(function* () {
        const status = yield* auditMarket(data, 1_000);
        expect(status().auditedPrices + status().auditedWindows).toBe(0);
        yield* TestClock.adjust(2_500);
        const { auditedPrices, auditedWindows, ...wrong } = status();
        expect(auditedPrices).toBeGreaterThan(0);
        expect(auditedWindows).toBe(auditedPrices);
        expect(wrong).toEqual({ wrongPrices: 0, wrongWindows: 0 });
        expect(told).toEqual([]);
        wrongPrices = Array.from(
          { length: 5 },
          (_, token) => ({ token }) as unknown as Prices[number],
        );
        yield* TestClock.adjust(1_000);
        expect(status()).toMatchObject({ wrongPrices: 5, wrongWindows: 0 });
        expect(told).toMatchObject([{ count: 5, shown: 3 }]);
        wrongPrices = [];
        wrongWindows = [{} as Windows[number], {} as Windows[number]];
        yield* TestClock.adjust(2_000);
        expect(status()).toMatchObject({ wrongPrices: 5, wrongWindows: 4 });
        expect(told.slice(1)).toMatchObject([
          { count: 2, shown: 2 },
          { count: 2, shown: 2 },
        ]);
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([logger])));
    },
  );
});

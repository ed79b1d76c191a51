import type { Address } from "@millrace/core";
import type { ListContradiction, ListDisagreement } from "@millrace/market";
import { eventually } from "@millrace/testing";
import { Effect, Logger, References } from "effect";
import { describe, expect, it } from "vitest";
import { logListProblems } from "../../src/networks/logListProblems.ts";

const address = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;
const token = (decimals: number) => ({ symbol: "A", name: "A token", decimals });

describe("the log of token lists", () => {
  it("what lists say of decimals is told when it is wrong, once, and again when it changes", async () => {
    let contradictions: ListContradiction[] = [];
    let disagreements: ListDisagreement[] = [];
    let looks = 0;
    const told: Array<{ words: unknown; count: unknown; shown: number }> = [];
    const logger = Logger.make(({ message, fiber }) => {
      const { count, found } = fiber.getRef(References.CurrentLogAnnotations);
      told.push({ words: message, count, shown: (found as unknown[]).length });
    });
    const lists = { contradictions: () => contradictions };
    const data = {
      listDisagreements: () => {
        looks++;
        return disagreements;
      },
    };
    const looksMore = () => {
      const before = looks;
      return eventually(() => looks > before + 2);
    };
    const telling = Effect.gen(function* () {
      yield* logListProblems(lists, data, 1);
      yield* Effect.promise(looksMore);
      expect(told).toEqual([]);
      contradictions = [{ address: address(1), kept: token(18), other: token(6) }];
      yield* Effect.promise(looksMore);
      expect(told).toMatchObject([{ count: 1, shown: 1 }]);
      disagreements = Array.from({ length: 40 }, (_, number) => ({
        ...{ address: address(number), listedDecimals: 18, chainDecimals: 6 },
      }));
      yield* Effect.promise(looksMore);
      expect(told.slice(1)).toMatchObject([{ count: 40, shown: 5 }]);
      disagreements = disagreements.slice(0, 30);
      yield* Effect.promise(looksMore);
      expect(told.slice(2)).toMatchObject([{ count: 30, shown: 5 }]);
    });
    const quiet = Logger.layer([logger]);
    await Effect.runPromise(Effect.scoped(telling).pipe(Effect.provide(quiet)));
  });
});

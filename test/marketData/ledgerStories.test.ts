import { budget, law } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { TradedStory } from "../markets/tradedStory.ts";

// Whatever a source does, windows, trades and candles equal a plain recount of the received blocks
// that are still on the chain.

const TURNS = 120;

describe("what a market tells of a made-up chain", () => {
  it(
    `is what a recount tells, through ${TURNS} turns of every story`,
    () => {
      for (const [index, random] of law("ledger: stories", 2).sources()) {
        const story = new TradedStory(random, index % 2 === 0 ? 3 : 12);
        const turns: string[] = [];
        try {
          for (let turn = 0; turn < TURNS; turn++) {
            turns.push(story.turn());
            const differences = story.differences();
            if (differences.length > 0) expect([index, turns.slice(-12), differences]).toEqual([]);
          }
          story.complete();
          expect(story.differences()).toEqual([]);
        } finally {
          story.market.close();
        }
      }
    },
    budget(120_000),
  );
});

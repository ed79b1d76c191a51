import { env } from "node:process";
import { RandomSource } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { TradedStory } from "../markets/tradedStory.ts";

// Whatever a source does, windows, trades and candles are those of a plain recount of the blocks
// that the market was told of and that are still the chain's.

const STORIES = Number(env["MILLRACE_LEDGER_STORIES"] ?? 3);
const TURNS = 120;
const SEED = Number(env["MILLRACE_LEDGER_SEED"] ?? 20_261_121);

describe("what a market tells of a made-up chain", () => {
  for (let index = 0; index < STORIES; index++) {
    const seed = SEED + index;
    it(`is what a recount tells, through ${TURNS} turns of the story ${seed}`, () => {
      const story = new TradedStory(new RandomSource(seed), index % 2 === 0 ? 3 : 12);
      const turns: string[] = [];
      try {
        for (let turn = 0; turn < TURNS; turn++) {
          turns.push(story.turn());
          const differences = story.differences();
          if (differences.length > 0) expect([turns.slice(-12), differences]).toEqual([]);
        }
        story.complete();
        expect(story.differences()).toEqual([]);
      } finally {
        story.market.close();
      }
    });
  }
});

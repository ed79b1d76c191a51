import {
  type Address,
  type MarketBlock,
  openMarket,
  type PoolState,
  type QuoteRequest,
} from "@millrace/core";
import { curves } from "@millrace/protocols";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import type { Figure } from "./Figure.ts";
import { exactInRequests, quoteForSink, readTrades, recordedBlocks } from "./market.ts";
import { runRounds, Series } from "./Series.ts";
import type { Rounds } from "./statistics.ts";

const FULL = { trades: 2_500, applications: 200, warmUps: 4, rounds: 21 };
const SMOKE = { trades: 100, applications: 10, warmUps: 1, rounds: 2 };

/**
 * All recorded updates of the universe as one block, applied and reverted in turn so that every
 * application changes something; and the cost of quotes after a block until caches are filled
 * again.
 */
export const blockApply = Effect.fnUntraced(function* (
  smoke: boolean,
): Effect.fn.Return<ReadonlyArray<Figure>, BenchmarkError> {
  const sizes = smoke ? SMOKE : FULL;
  const [first, ...updates] = yield* recordedBlocks;
  const market = openMarket(1, curves);
  market.writer.applyBlock(first!);
  const forth = joined(first!, updates);
  const turn = [forth, undoing(first!, forth)];
  const turns = Array.from({ length: sizes.applications / 2 }, () => turn).flat();
  const requests = exactInRequests(market, readTrades(sizes.trades), 3);
  const apply = (block: MarketBlock) => market.writer.applyBlock(block).changedPools.length;
  const quote = (request: QuoteRequest) => quoteForSink(market, request);

  const applied = new Series(turns, apply);
  const quotedFirst = new Series(requests, quote);
  const quotedAgain = new Series(requests, quote);
  const appliedWarm = new Series(turn, apply); // with the caches of all pools filled
  runRounds([applied, quotedFirst, quotedAgain, appliedWarm], sizes);
  const figures = (name: string, rounds: Rounds, perUnit: number, unit: string) => [
    { name: `block-apply.${name}.p50`, value: rounds.p50 / perUnit, unit },
    { name: `block-apply.${name}.p99`, value: rounds.p99 / perUnit, unit },
  ];
  return [
    { name: "block-apply.universe-a.states", value: forth.states.length, unit: "states" },
    ...figures("universe-a", applied.rounds, 1_000, "ms"),
    ...figures("after-quotes", appliedWarm.rounds, 1_000, "ms"),
    ...figures("quotes-after-block", quotedFirst.rounds, 1, "us"),
    ...figures("quotes-warmed", quotedAgain.rounds, 1, "us"),
  ];
});

/** One block with the states of all given blocks, in their order. */
function joined(first: MarketBlock, updates: ReadonlyArray<MarketBlock>): MarketBlock {
  return {
    ...first,
    stamp: updates.at(-1)?.stamp ?? first.stamp,
    dexes: [],
    tokens: [],
    pools: [],
    states: updates.flatMap(({ states }) => states),
  };
}

/** The block that reverts another: the state before each of its states, last to first. */
function undoing(first: MarketBlock, block: MarketBlock): MarketBlock {
  const current = new Map<Address, PoolState>(first.states.map(({ pool, state }) => [pool, state]));
  const previous = block.states.map(({ pool, state }) => {
    const before = { pool, state: current.get(pool)! };
    current.set(pool, state);
    return before;
  });
  return { ...block, stamp: first.stamp, states: previous.reverse() };
}

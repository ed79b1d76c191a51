import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { OpenMarket, QuoteRequest } from "@millrace/core";
import { embeddedHistory, type HistoryChange, type HistoryStore } from "@millrace/history";
import { Effect } from "effect";
import { temporaryFolder } from "../children.ts";
import { sink } from "../clock.ts";
import type { Figure } from "../Figure.ts";
import { exactInRequests, openUniverse, readTrades } from "../market.ts";
import { median, quantile } from "../statistics.ts";

export interface BesideSizes {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly trades: number;
}

const QUOTES_A_SECOND = 1_000;
const HOPS = 3;

/**
 * Quotes that are due at even intervals, in turn with and without a store that takes a block each
 * second: how late each answer is, and how the 99th percentiles compare.
 */
export const quotesBeside = Effect.fnUntraced(function* (
  { rounds, roundSeconds, trades }: BesideSizes,
  nextBlock: () => ReadonlyArray<HistoryChange>,
) {
  const market = yield* openUniverse;
  const requests = exactInRequests(market, readTrades(trades), HOPS);
  const path = join(yield* temporaryFolder, "beside.sqlite");
  const store = yield* embeddedHistory({ path, chainId: 1 });
  const [alone, beside]: [number[], number[]] = [[], []];
  // The first round of each warms up.
  for (let round = -1; round < rounds; round++) {
    const order = round % 2 === 0 ? [alone, beside] : [beside, alone];
    for (const p99s of order) {
      const blocks = p99s === alone ? [] : Array.from({ length: roundSeconds }, () => nextBlock());
      const quoting = Effect.promise(() => quoted(market, requests, roundSeconds));
      const [late] = yield* Effect.all([quoting, writeEachSecond(store, blocks)], {
        concurrency: 2,
      });
      if (round >= 0) p99s.push(quantile(late, 0.99));
    }
  }
  const ratios = beside.map((p99, round) => p99 / alone[round]!);
  return [
    { name: "history.quotes.p99", value: median(alone), unit: "us" },
    { name: "history.quotes.beside.p99", value: median(beside), unit: "us" },
    { name: "history.quotes.ratio", value: median(ratios), unit: "times" },
  ] satisfies ReadonlyArray<Figure>;
});

const writeEachSecond = Effect.fnUntraced(function* (
  store: HistoryStore,
  blocks: ReadonlyArray<ReadonlyArray<HistoryChange>>,
) {
  const start = performance.now();
  for (const [second, changes] of blocks.entries()) {
    yield* Effect.sleep(Math.max(0, start + 1_000 * second - performance.now()));
    yield* store.write(changes);
  }
});

/** For each quote, the µs from the time when it was due to its answer. */
async function quoted(
  { router }: OpenMarket,
  requests: ReadonlyArray<QuoteRequest>,
  seconds: number,
): Promise<Float64Array> {
  const late = new Float64Array(seconds * QUOTES_A_SECOND);
  const start = performance.now();
  for (let index = 0; index < late.length; index++) {
    const due = start + (1_000 * index) / QUOTES_A_SECOND;
    while (performance.now() < due) await setImmediate();
    sink.value += Number(router.quote(requests[index % requests.length]!).found);
    late[index] = 1_000 * (performance.now() - due);
  }
  return late;
}

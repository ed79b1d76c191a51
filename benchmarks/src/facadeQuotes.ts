import { Effect } from "effect";
import { type MillraceEngine, openEngine } from "millrace";
import { sink } from "./clock.ts";
import type { Figure } from "./Figure.ts";
import { exactInRequests, openUniverse, readTrades, UNIVERSE_FILE } from "./market.ts";
import { median, Rounds } from "./statistics.ts";

/** The depth of search that the facade defaults to. */
const HOPS = 3;

/** A question as the engine takes it, and as the facade does. */
interface Question {
  readonly unsafe: Parameters<MillraceEngine["core"]["quoteUnsafe"]>[0];
  readonly facade: Parameters<MillraceEngine["quote"]>[0];
}

/** What the facade's promise costs above the engine's call, of the same trades in turn. */
export const facadeQuotes = Effect.fnUntraced(function* (sizes: {
  readonly trades: number;
  readonly warmUps: number;
  readonly rounds: number;
}) {
  const market = yield* openUniverse;
  const trades = readTrades(sizes.trades);
  const engine = yield* Effect.acquireRelease(
    Effect.promise(() => openEngine({ marketFile: UNIVERSE_FILE })),
    (opened) => Effect.promise(() => opened.close()),
  );
  const questions = exactInRequests(market, trades, HOPS).flatMap((unsafe): Question[] => {
    const [tokenIn, tokenOut] = [unsafe.tokenIn, unsafe.tokenOut].map((token) =>
      market.graph.tokenAddress(token),
    );
    // What has no quote rejects, and says why: that is no measure of a promise.
    if (!market.router.quote(unsafe).found) return [];
    return [
      { unsafe, facade: { tokenIn: tokenIn!, tokenOut: tokenOut!, amountIn: unsafe.amount } },
    ];
  });
  return yield* Effect.promise(() => measure(engine, questions, sizes));
}, Effect.scoped);

async function measure(
  engine: MillraceEngine,
  questions: ReadonlyArray<Question>,
  { warmUps, rounds }: { readonly warmUps: number; readonly rounds: number },
): Promise<ReadonlyArray<Figure>> {
  const facade = new Rounds();
  const unsafe = new Rounds();
  const samples = [new Float64Array(questions.length), new Float64Array(questions.length)] as const;
  for (let round = -warmUps; round < rounds; round++) {
    // One after the other for all: the second of two alike would find all of it in the caches.
    for (const [index, { unsafe: request }] of questions.entries()) {
      const begun = performance.now();
      sink.value += Number(engine.core.quoteUnsafe(request).found);
      samples[0][index] = 1_000 * (performance.now() - begun);
    }
    for (const [index, { facade: request }] of questions.entries()) {
      const begun = performance.now();
      sink.value += (await engine.quote(request)).steps.length;
      samples[1][index] = 1_000 * (performance.now() - begun);
    }
    if (round < 0) continue;
    unsafe.add(samples[0]);
    facade.add(samples[1]);
  }
  const above = facade.p50s.map((p50, round) => p50 - unsafe.p50s[round]!);
  return [
    { name: "route-search.facade.p50", value: facade.p50, unit: "us" },
    { name: "route-search.facade.p99", value: facade.p99, unit: "us" },
    { name: "route-search.facade.above", value: median(above), unit: "us" },
  ];
}

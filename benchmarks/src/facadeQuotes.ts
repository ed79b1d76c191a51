import { Effect } from "effect";
import { type MillraceEngine, openEngine } from "millrace";
import { sink } from "./clock.ts";
import type { Figure } from "./Figure.ts";
import { exactInRequests, openUniverse, readTrades, UNIVERSE_FILE } from "./market.ts";
import { median, quantile } from "./statistics.ts";

/** The depth of search that the facade defaults to. */
const HOPS = 3;

/** One question, as the core's engine takes it and as the facade does. */
interface Question {
  readonly unsafe: Parameters<MillraceEngine["core"]["quoteUnsafe"]>[0];
  readonly facade: Parameters<MillraceEngine["quote"]>[0];
}

/**
 * The cost of the facade over the engine's call, for the same trades in turn: one by one, with the
 * gas, which is computed when it is read, and as batches of promises.
 */
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
    // A trade without a quote rejects with a reason, so it would not measure a promise.
    if (!market.router.quote(unsafe).found) return [];
    return [
      { unsafe, facade: { tokenIn: tokenIn!, tokenOut: tokenOut!, amountIn: unsafe.amount } },
    ];
  });
  return yield* Effect.promise(() => measure(engine, questions, sizes));
}, Effect.scoped);

/** A way to ask questions, a batch at a time. */
interface Way {
  readonly batch: number;
  readonly ask: (questions: ReadonlyArray<Question>) => unknown;
  /** Index: batch. The least µs that each batch took in any round. */
  readonly least: Float64Array;
}

async function measure(
  engine: MillraceEngine,
  questions: ReadonlyArray<Question>,
  { warmUps, rounds }: { readonly warmUps: number; readonly rounds: number },
): Promise<ReadonlyArray<Figure>> {
  const way = (batch: number, ask: Way["ask"]): Way => {
    const least = new Float64Array(Math.floor(questions.length / batch));
    return { batch, ask, least: least.fill(Number.POSITIVE_INFINITY) };
  };
  const unsafe = ({ unsafe: request }: Question) => Number(engine.core.quoteUnsafe(request).found);
  const quoted = ({ facade }: Question) => engine.quote(facade);
  const one = way(1, ([question]) => unsafe(question!));
  const facade = way(1, ([question]) => quoted(question!));
  const withGas = way(1, async ([question]) => (await quoted(question!)).gasEstimate);
  const many = way(BATCH, (batch) => batch.map(unsafe));
  const promised = way(BATCH, (batch) => Promise.all(batch.map(quoted)));
  const ways = [one, facade, withGas, many, promised];
  for (let round = -warmUps; round < rounds; round++) {
    // The second way finds more in the caches, so every other round runs backwards.
    for (const each of round % 2 === 0 ? ways : ways.toReversed()) {
      await runRound(each, questions, round >= 0);
    }
  }
  const above = differences(facade, one);
  const inBatches = differences(promised, many).map((us) => us / BATCH);
  return [
    { name: "route-search.facade.p50", value: quantile(facade.least, 0.5), unit: "us" },
    { name: "route-search.facade.p99", value: quantile(facade.least, 0.99), unit: "us" },
    { name: "route-search.facade.above", value: median(above), unit: "us" },
    {
      name: "route-search.facade.ratio",
      value: quantile(facade.least, 0.5) / quantile(one.least, 0.5),
      unit: "of quoteUnsafe",
    },
    { name: "route-search.facade.gas", value: median(differences(withGas, facade)), unit: "us" },
    { name: "route-search.facade.batch-above", value: median(inBatches), unit: "us" },
  ];
}

/** Quotes that are asked for before the first is awaited. */
const BATCH = 16;

async function runRound(
  { batch, ask, least }: Way,
  questions: ReadonlyArray<Question>,
  isCounted: boolean,
): Promise<void> {
  for (let index = 0; index < least.length; index++) {
    const asked = questions.slice(index * batch, (index + 1) * batch);
    const begun = performance.now();
    const given = ask(asked);
    // A synchronous result is not awaited.
    if (given instanceof Promise) await given;
    const us = 1_000 * (performance.now() - begun);
    if (isCounted && us < least[index]!) least[index] = us;
  }
  sink.value += least.length;
}

const differences = ({ least }: Way, { least: other }: Way): Float64Array =>
  least.map((us, index) => us - other[index]!);

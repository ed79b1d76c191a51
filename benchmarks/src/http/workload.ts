import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { readTrades } from "../market.ts";

export const QUOTE_PATH = "/ETH/quote";

/** What is asked over and over, and what is answered. */
export interface Workload {
  /** A body a line. */
  readonly bodiesFile: string;
  /** The answer whose size is closest to the mean of all. */
  readonly answerFile: string;
  /** The mean size of the answers that are quotes. */
  readonly answerBytes: number;
  /** The share of requests that a quote answers, 0 … 1; the others are refused, rightly. */
  readonly answered: number;
}

/** Asks the service every request once, and leaves in a folder what the load needs. */
export const prepareWorkload = (
  serviceUrl: string,
  tradeCount: number,
  folder: string,
): Effect.Effect<Workload, BenchmarkError> =>
  Effect.tryPromise({
    try: () => prepare(serviceUrl, tradeCount, folder),
    catch: (cause) =>
      new BenchmarkError({ message: cause instanceof Error ? cause.message : String(cause) }),
  });

async function prepare(url: string, tradeCount: number, folder: string): Promise<Workload> {
  const bodies = readTrades(tradeCount).map(({ tokenIn, tokenOut, amountIn }) =>
    JSON.stringify({
      tokenA: tokenIn,
      tokenB: tokenOut,
      dexId: "ALL",
      amountIn: String(amountIn),
    }),
  );
  const quotes: string[] = [];
  for (const body of bodies) {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}${QUOTE_PATH}`, { method: "POST", headers, body });
    const text = await response.text();
    if (response.status === 200) quotes.push(text);
    else if (response.status >= 500) throw new Error(`${response.status}: ${text}`);
  }
  if (quotes.length === 0) throw new Error("the service answers no request with a quote");
  const answerBytes = quotes.reduce((sum, { length }) => sum + length, 0) / quotes.length;
  const off = (quote: string) => Math.abs(quote.length - answerBytes);
  const typical = quotes.reduce((best, quote) => (off(quote) < off(best) ? quote : best));
  const bodiesFile = join(folder, "bodies.txt");
  const answerFile = join(folder, "answer.json");
  await writeFile(bodiesFile, `${bodies.join("\n")}\n`);
  await writeFile(answerFile, typical);
  return { bodiesFile, answerFile, answerBytes, answered: quotes.length / bodies.length };
}

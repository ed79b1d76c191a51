import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { readTrades } from "../market.ts";

const QUOTE_PATH = "/ETH/quote";

/** Requests that are asked over and over, and their answers. */
export interface Workload {
  /** A request a line; see `chooseLoad`. */
  readonly requestsFile: string;
  /** The answer whose size is closest to the mean of all. */
  readonly answerFile: string;
  /** The mean size of the answers that are quotes. */
  readonly answerBytes: number;
  /** The share of requests that get a quote, 0 … 1; the others are rightly refused. */
  readonly answered: number;
}

/** Asks the service every request once, and writes the files of the load to a folder. */
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
  const { answer, meanLength: answerBytes } = typicalOf(quotes);
  const requestsFile = join(folder, "requests.txt");
  const answerFile = join(folder, "answer.json");
  await writeFile(requestsFile, bodies.map((body) => `POST ${QUOTE_PATH} ${body}\n`).join(""));
  await writeFile(answerFile, answer);
  return { requestsFile, answerFile, answerBytes, answered: quotes.length / bodies.length };
}

/** The answer whose length is closest to the mean of all. */
export function typicalOf(answers: ReadonlyArray<string>) {
  const meanLength = answers.reduce((sum, { length }) => sum + length, 0) / answers.length;
  const off = ({ length }: string) => Math.abs(length - meanLength);
  const answer = answers.reduce((best, next) => (off(next) < off(best) ? next : best));
  return { answer, meanLength };
}

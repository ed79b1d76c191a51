import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { SeededRandom } from "../SeededRandom.ts";

const SEED = 20260;
/** The number of tokens, the most liquid ones: people trade these. */
const TOKENS = 300;
/** Tries for each request. */
const TRIES_MAX = 100;

interface Entry {
  readonly address: string;
  readonly decimals: number;
}

/** Writes a file of requests that the service answers with quotes, one a line; see `chooseLoad`. */
export const writeRequests = (
  url: string,
  count: number,
  folder: string,
): Effect.Effect<string, BenchmarkError> =>
  Effect.tryPromise({
    try: () => write(url, count, join(folder, "quotes.txt")),
    catch: (cause) => new BenchmarkError({ message: String(cause) }),
  });

async function write(url: string, count: number, file: string): Promise<string> {
  const listed = await fetch(`${url}/ETH/tokenListWithDetails`);
  const { result } = (await listed.json()) as { readonly result: ReadonlyArray<Entry> };
  const tokens = result.slice(0, TOKENS);
  const random = new SeededRandom(SEED);
  const drawn = () => tokens[random.below(tokens.length)]!;
  const bodies: string[] = [];
  for (let tries = 0; bodies.length < count; tries++) {
    if (tries > TRIES_MAX * count) throw new Error("the service answers hardly any quote");
    const [tokenA, tokenB] = [drawn(), drawn()];
    const amountIn = `${1 + random.below(9)}${"0".repeat(tokenA.decimals)}`;
    const body = JSON.stringify({ tokenA: tokenA.address, tokenB: tokenB.address, amountIn });
    const { status } = await fetch(`${url}/ETH/quote`, { method: "POST", body });
    if (status === 200) bodies.push(body);
  }
  await writeFile(file, bodies.map((body) => `POST /ETH/quote ${body}\n`).join(""));
  return file;
}

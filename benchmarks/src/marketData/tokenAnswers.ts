import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { attempt, type BenchmarkError } from "../BenchmarkError.ts";
import { temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { startBareServer } from "../http/bare.ts";
import { chooseLoad, type LoadReport, loadFigures, rate } from "../http/load.ts";
import { startService } from "../http/service.ts";
import { typicalOf } from "../http/workload.ts";
import { median } from "../statistics.ts";
import { generatedConfiguration } from "./generatedConfiguration.ts";

const BARE_SERVER = fileURLToPath(new URL("./bareTokenServer.ts", import.meta.url));
const SAMPLE = 100;
const PAGE_LIMIT = 50;
const PAGES = 20;

interface Sizes {
  readonly poolCount: number;
  readonly addresses: number;
  readonly loads: number;
  readonly loadSeconds: number;
}

/**
 * The service on a large market with a block each second: how many requests for one token it
 * answers, against a server that only writes answers of the same size, under the same load, in
 * turn; and how many pages of the token list.
 */
export const loadTokens = (
  smoke: boolean,
  sizes: Sizes,
): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryFolder;
      const configuration = join(folder, "millrace.json");
      yield* attempt(() =>
        writeFile(configuration, JSON.stringify(generatedConfiguration(sizes.poolCount))),
      );
      const serviceUrl = yield* startService({ MILLRACE_CONFIG: configuration });
      const files = yield* attempt(() => prepare(serviceUrl, sizes.addresses, folder));
      const bareUrl = yield* startBareServer(BARE_SERVER, files.answerFile);
      const load = chooseLoad(smoke);
      const askTokens = load(files.tokensFile, folder);
      const service: LoadReport[] = [];
      const bare: LoadReport[] = [];
      for (let round = -1; round < sizes.loads; round++) {
        const reports = [
          yield* askTokens(serviceUrl, sizes.loadSeconds),
          yield* askTokens(bareUrl, sizes.loadSeconds),
        ] as const;
        if (round < 0) continue; // a warm-up
        service.push(reports[0]);
        bare.push(reports[1]);
      }
      // The folder holds one load's script at a time, so pages come after the tokens.
      const askPages = load(files.pagesFile, folder);
      const pages: LoadReport[] = [];
      for (let round = 0; round < sizes.loads; round++) {
        pages.push(yield* askPages(serviceUrl, sizes.loadSeconds));
      }
      const ratios = service.map((report, round) => rate(report) / rate(bare[round]!));
      return [
        { name: "market-data.token.answer-size", value: files.answerBytes, unit: "bytes" },
        ...loadFigures("market-data.token.service", service),
        ...loadFigures("market-data.token.bare", bare),
        { name: "market-data.token.ratio", value: median(ratios), unit: "of bare" },
        ...loadFigures("market-data.tokens-page.service", pages),
        // One core serves, so this is the inverse of its rate.
        {
          name: "market-data.tokens-page.server-time",
          value: 1_000 / median(pages.map(rate)),
          unit: "ms",
        },
      ];
    }),
  );

/** Asks for addresses of tokens, and writes the files of the load to a folder. */
async function prepare(url: string, count: number, folder: string) {
  const addresses: string[] = [];
  const pageOf = (page: number, limit: number) => `/tokens?page=${page}&limit=${limit}`;
  for (let page = 1; addresses.length < count; page++) {
    const list = JSON.parse(await textOf(`${url}${pageOf(page, 500)}`)) as {
      readonly data: ReadonlyArray<{ readonly address: string }>;
    };
    if (list.data.length === 0) break;
    addresses.push(...list.data.map(({ address }) => address));
  }
  const answers: string[] = [];
  for (const address of addresses.slice(0, SAMPLE)) {
    answers.push(await textOf(`${url}/tokens/${address}`));
  }
  const { answer, meanLength } = typicalOf(answers);
  const tokensFile = join(folder, "tokens.txt");
  const pagesFile = join(folder, "pages.txt");
  const answerFile = join(folder, "answer.json");
  await writeFile(tokensFile, addresses.map((address) => `GET /tokens/${address}\n`).join(""));
  const pages = Array.from({ length: PAGES }, (_, page) => pageOf(1 + page, PAGE_LIMIT));
  await writeFile(pagesFile, pages.map((page) => `GET ${page}\n`).join(""));
  await writeFile(answerFile, answer);
  return { tokensFile, pagesFile, answerFile, answerBytes: meanLength };
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url}: ${response.status}: ${text}`);
  return text;
}

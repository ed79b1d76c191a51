import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import type { BenchmarkError } from "../BenchmarkError.ts";
import { temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { median } from "../statistics.ts";
import { startBareServer } from "./bare.ts";
import { chooseLoad, type LoadReport, loadFigures, rate, wrkIsInstalled } from "./load.ts";
import { RECORDED, startService, timeStart } from "./service.ts";
import { prepareWorkload } from "./workload.ts";

const BARE_SERVER = fileURLToPath(new URL("./bareServer.ts", import.meta.url));

const FULL = { trades: 2_500, rounds: 5, seconds: 5, warmUpSeconds: 3, starts: 5 };
const SMOKE = { trades: 200, rounds: 1, seconds: 0.3, warmUpSeconds: 0.2, starts: 1 };

/**
 * How many quotes the service answers over HTTP, against a server that only parses the same bodies
 * and writes answers of the same size, with the same native library under the same load, in turn;
 * and how long the service takes to start.
 */
export const httpQuote = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sizes = smoke ? SMOKE : FULL;
      const startsMs: number[] = [];
      for (let start = 0; start < sizes.starts; start++) startsMs.push(yield* timeStart(RECORDED));

      const folder = yield* temporaryFolder;
      const serviceUrl = yield* startService(RECORDED);
      const workload = yield* prepareWorkload(serviceUrl, sizes.trades, folder);
      const bareUrl = yield* startBareServer(BARE_SERVER, workload.answerFile);
      const run = chooseLoad(smoke)(workload.requestsFile, folder);

      const service: LoadReport[] = [];
      const bare: LoadReport[] = [];
      for (const url of [serviceUrl, bareUrl]) yield* run(url, sizes.warmUpSeconds);
      for (let round = 0; round < sizes.rounds; round++) {
        service.push(yield* run(serviceUrl, sizes.seconds));
        bare.push(yield* run(bareUrl, sizes.seconds));
      }
      const ratios = service.map((report, round) => rate(report) / rate(bare[round]!));
      return [
        { name: "http-quote.start", value: median(startsMs), unit: "ms" },
        { name: "http-quote.start.first", value: startsMs[0]!, unit: "ms" },
        { name: "http-quote.answered", value: workload.answered, unit: "of requests" },
        { name: "http-quote.answer-size", value: workload.answerBytes, unit: "bytes" },
        { name: "http-quote.load-by-wrk", value: Number(!smoke && wrkIsInstalled()), unit: "yes" },
        ...loadFigures("http-quote.service", service),
        ...loadFigures("http-quote.bare", bare),
        { name: "http-quote.ratio", value: median(ratios), unit: "of bare" },
      ];
    }),
  );

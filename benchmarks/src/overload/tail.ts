import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { startService } from "../http/service.ts";
import { generatedConfiguration } from "../marketData/generatedConfiguration.ts";
import { type LoopReport, openLoop } from "./loops.ts";
import { readHolds } from "./readMetrics.ts";
import { writeRequests } from "./requests.ts";

const FULL = { poolCounts: [64_000, 143_000], requests: 2_000, warmUpSeconds: 15, seconds: 70 };
const SMOKE = { poolCounts: [4_000], requests: 50, warmUpSeconds: 0.5, seconds: 2 };
type Sizes = typeof FULL;

/** Quotes a second. */
const RATES = [500, 2_000];
const CONNECTIONS = 256;
/** On Ethereum and Base a block creates one to twenty pools; few of them are deep enough. */
const NEW_POOLS_PER_BLOCK = 3;
/** The causes of holds where nobody subscribes and nothing is saved. */
const CAUSES = ["answers", "block", "bounds", "valuation", "history", "gc", "other"];

/**
 * The cost of blocks to clients: large markets with a block a second, each of which adds pools, and
 * quotes at fixed times. The service reports its longest holds of the last minute, in which it
 * answered only the quotes of one rate.
 */
export const tail = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> => {
  const sizes = smoke ? SMOKE : FULL;
  const measured = sizes.poolCounts.map((poolCount) => measureMarket(poolCount, sizes));
  return Effect.map(Effect.all(measured), (figures) => figures.flat());
};

const measureMarket = (poolCount: number, sizes: Sizes) =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryFolder;
      const configuration = join(folder, "configuration.json");
      yield* Effect.tryPromise({
        try: () =>
          writeFile(
            configuration,
            JSON.stringify(generatedConfiguration(poolCount, NEW_POOLS_PER_BLOCK)),
          ),
        catch: (cause) => new BenchmarkError({ message: String(cause) }),
      });
      const url = yield* startService({ MILLRACE_CONFIG: configuration });
      const requestsFile = yield* writeRequests(url, sizes.requests, folder);
      const target = { url, requestsFile };
      const figures: Figure[] = [];
      for (const perSecond of RATES) {
        yield* openLoop(target, CONNECTIONS, perSecond, sizes.warmUpSeconds);
        const report = yield* openLoop(target, CONNECTIONS, perSecond, sizes.seconds);
        const holds = yield* readHolds(url);
        figures.push(...tailFigures(`tail.${poolCount / 1_000}k.${perSecond}`, report, holds));
      }
      return figures;
    }),
  );

function tailFigures(
  name: string,
  { asked, accepted, p50Us, p99Us }: LoopReport,
  holds: ReadonlyMap<string, number>,
): Figure[] {
  return [
    { name: `${name}.answered`, value: accepted / asked, unit: "of requests" },
    { name: `${name}.p50`, value: p50Us, unit: "us" },
    { name: `${name}.p99`, value: p99Us, unit: "us" },
    { name: `${name}.hold`, value: 1e6 * Math.max(...holds.values()), unit: "us" },
    ...CAUSES.map((cause) => ({
      name: `${name}.hold.${cause}`,
      value: 1e6 * (holds.get(cause) ?? 0),
      unit: "us",
    })),
  ];
}

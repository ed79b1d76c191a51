import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { chooseLoad, type LoadReport, loadFigures } from "../http/load.ts";
import { startService } from "../http/service.ts";
import { generatedConfiguration } from "../marketData/generatedConfiguration.ts";
import { readGauge, readHolds } from "../overload/readMetrics.ts";
import { writeRequests } from "../overload/requests.ts";
import { median } from "../statistics.ts";

/**
 * Each thread compiles its code for itself, which takes many seconds of load. Holds are reported
 * for the last minute, so those of the start have to pass.
 */
const FULL = { poolCount: 5_000, requests: 2_000, rounds: 5, seconds: 5, warmUpSeconds: 25 };
const SMOKE = { poolCount: 300, requests: 50, rounds: 1, seconds: 0.3, warmUpSeconds: 0.2 };

/** Serving threads: 1 is the thread that follows the market, 2 are two others. */
const WAYS = [1, 2] as const;

/** The cost of one run of load to a service. */
interface Cost {
  readonly load: LoadReport;
  readonly cpuSeconds: number;
}

/**
 * The cost of serving threads: quotes over HTTP of a market with a block a second, in turn from a
 * service with one thread and from one that two other threads serve. The load takes a core of the
 * same machine, so the figures are the service's processor time and the holds of the thread that
 * follows the market.
 */
export const servingCost = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sizes = smoke ? SMOKE : FULL;
      const folder = yield* temporaryFolder;
      const urls: string[] = [];
      for (const servingThreads of WAYS) {
        const file = join(folder, `${servingThreads}.json`);
        const configuration = { ...generatedConfiguration(sizes.poolCount), servingThreads };
        yield* Effect.tryPromise({
          try: () => writeFile(file, JSON.stringify(configuration)),
          catch: (cause) => new BenchmarkError({ message: String(cause) }),
        });
        urls.push(yield* startService({ MILLRACE_CONFIG: file }));
      }
      const run = chooseLoad(smoke)(yield* writeRequests(urls[0]!, sizes.requests, folder), folder);
      for (const url of urls) yield* run(url, sizes.warmUpSeconds);
      const costs: Cost[][] = urls.map(() => []);
      for (let round = 0; round < sizes.rounds; round++) {
        for (const [way, url] of urls.entries()) {
          const before = yield* readGauge(url, CPU);
          const load = yield* run(url, sizes.seconds);
          costs[way]!.push({ load, cpuSeconds: (yield* readGauge(url, CPU)) - before });
        }
      }
      const figures: Figure[] = [];
      for (const [way, url] of urls.entries()) {
        const name = `serving-threads.${WAYS[way]}`;
        const holds = yield* readHolds(url);
        const residentBytes = yield* readGauge(url, "process_resident_memory_bytes");
        figures.push(
          { name: `${name}.cpu`, value: median(costs[way]!.map(perCpuSecond)), unit: "quotes/s" },
          ...loadFigures(
            name,
            costs[way]!.map(({ load }) => load),
          ),
          { name: `${name}.resident`, value: residentBytes, unit: "bytes" },
          { name: `${name}.hold`, value: 1e6 * Math.max(0, ...holds.values()), unit: "us" },
          ...[...holds].map(([cause, seconds]) => ({
            name: `${name}.hold.${cause}`,
            value: 1e6 * seconds,
            unit: "us",
          })),
        );
      }
      const [one, two] = costs as [Cost[], Cost[]];
      const ratios = two.map((cost, round) => perCpuSecond(cost) / perCpuSecond(one[round]!));
      const torn = yield* readGauge(urls[1]!, "millrace_serving_reads_torn_total");
      return [
        ...figures,
        { name: "serving-threads.ratio", value: median(ratios), unit: "of one" },
        { name: "serving-threads.ratio.most", value: Math.max(...ratios), unit: "of one" },
        { name: "serving-threads.ratio.least", value: Math.min(...ratios), unit: "of one" },
        { name: "serving-threads.torn", value: torn, unit: "quotes" },
      ];
    }),
  );

const CPU = "process_cpu_seconds_total";

const perCpuSecond = ({ load, cpuSeconds }: Cost): number => load.requests / cpuSeconds;

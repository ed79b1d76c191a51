import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { startService } from "../http/service.ts";
import { capacityOf } from "./capacity.ts";
import { loadFigures } from "./loadFigures.ts";
import { type OpenLoopReport, openLoop } from "./openLoops.ts";
import { readMetrics } from "./readMetrics.ts";
import { writeRequests } from "./requests.ts";

const FULL = { pools: 64_000, requests: 2_000, seconds: 10, rounds: 5, warmUpSeconds: 5 };
const SMOKE = { pools: 2_000, requests: 100, seconds: 0.5, rounds: 1, warmUpSeconds: 0.3 };

/** Of what the service can answer: little to do, and too much. */
const UNLOADED = 0.2;
const OVERLOADED = 3;
const MIB = 2 ** 20;

/**
 * What becomes of the requests that are answered when three times as many come as can be: against
 * the same with little to do, in turn. Beside it what is shed, the delay of the event loop, and
 * memory.
 */
export const overload = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sizes = smoke ? SMOKE : FULL;
      const folder = yield* temporaryFolder;
      const url = yield* startService({
        MILLRACE_CONFIG: yield* writeConfig(sizes.pools, folder),
        // The event loop does all: another thread would have no core where there are two.
        MILLRACE_SEARCH_WORKERS: "0",
      });
      const requestsFile = yield* writeRequests(url, sizes.requests, folder);
      // The first time warms up.
      yield* capacityOf(url, requestsFile, sizes.warmUpSeconds);
      const capacity = yield* capacityOf(url, requestsFile, sizes.warmUpSeconds);
      const run = (share: number, seconds: number) =>
        openLoop(url, requestsFile, share * capacity, seconds);

      yield* run(OVERLOADED, sizes.warmUpSeconds);
      const before = yield* readMetrics(url);
      const unloaded: OpenLoopReport[] = [];
      const overloaded: OpenLoopReport[] = [];
      for (let round = 0; round < sizes.rounds; round++) {
        unloaded.push(yield* run(UNLOADED, sizes.seconds));
        overloaded.push(yield* run(OVERLOADED, sizes.seconds));
      }
      const after = yield* readMetrics(url);
      return [
        { name: "overload.capacity", value: Math.round(capacity), unit: "requests/s" },
        ...loadFigures(unloaded, overloaded, sizes.seconds),
        { name: "overload.event-loop.p99", value: 1e6 * after.eventLoopSeconds, unit: "us" },
        { name: "overload.memory.before", value: before.residentBytes / MIB, unit: "MiB" },
        { name: "overload.memory.after", value: after.residentBytes / MIB, unit: "MiB" },
      ];
    }),
  );

const writeConfig = (poolCount: number, folder: string) =>
  Effect.tryPromise({
    try: async () => {
      const file = join(folder, "service.json");
      const source = { kind: "generated", seed: 7, poolCount };
      const network = { id: "ETH", chainId: 1, name: "Generated", source };
      await writeFile(file, JSON.stringify({ networks: [network] }));
      return file;
    },
    catch: (cause) => new BenchmarkError({ message: String(cause) }),
  });

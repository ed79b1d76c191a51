import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import { startChild } from "./children.ts";
import type { Figure } from "./Figure.ts";
import { listening } from "./http/listening.ts";
import { becomeReady } from "./http/service.ts";
import { readMetrics } from "./overload/readMetrics.ts";
import { attempt } from "./streams/processes.ts";

const RUN = fileURLToPath(new URL("../../run.mjs", import.meta.url));
const SERVICE = "apps/server/src/main.ts";
const MEGABYTE = 1_000_000;
const FULL = { minutes: 10, minuteMs: 60_000 };
const SMOKE = { minutes: 1, minuteMs: 1_000 };

/** Memory of the service as `npm start` begins it, on its two devnets and their traffic. */
export const resident = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { minutes, minuteMs } = smoke ? SMOKE : FULL;
      const ours = Object.entries(process.env).filter(([name]) => !name.startsWith("MILLRACE_"));
      const child = yield* startChild(process.execPath, [RUN, SERVICE], {
        env: { ...Object.fromEntries(ours), HOST: "127.0.0.1", PORT: "0" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const url = yield* listening(child);
      yield* attempt(() => becomeReady(url));
      const figures: Figure[] = [];
      for (let minute = 1; minute <= minutes; minute++) {
        yield* Effect.sleep(minuteMs);
        const { residentBytes } = yield* readMetrics(url);
        const name = `resident.minute-${minute}`;
        if (minute === 1 || minute === minutes)
          figures.push({ name, value: residentBytes / MEGABYTE, unit: "MB" });
      }
      return figures;
    }),
  );

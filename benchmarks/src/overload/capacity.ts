import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import type { BenchmarkError } from "../BenchmarkError.ts";
import { runChild } from "../children.ts";
import { type LoadReport, rate } from "../http/load.ts";

const GENERATOR = fileURLToPath(new URL("../http/loadGenerator.ts", import.meta.url));
/** Enough to keep the service busy, and too few for it to have too much to do. */
const CONNECTIONS = 16;

/** Requests a second that a service answers when each client waits for its answer. */
export const capacityOf = (
  url: string,
  requestsFile: string,
  seconds: number,
): Effect.Effect<number, BenchmarkError> =>
  Effect.map(
    runChild(process.execPath, [
      ...["--disable-warning=ExperimentalWarning", GENERATOR, new URL(url).port, requestsFile],
      ...[CONNECTIONS, seconds].map(String),
    ]),
    (output) => rate(JSON.parse(output) as LoadReport),
  );

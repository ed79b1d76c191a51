import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { runChild } from "../children.ts";
import { QUOTE_PATH, type Workload } from "./workload.ts";

/** What one run of load found. */
export interface LoadReport {
  readonly requests: number;
  readonly seconds: number;
  /** Of a request, in microseconds. */
  readonly p50Us: number;
  readonly p99Us: number;
  /** Connections that failed; anything but 0 makes the run void. */
  readonly socketErrors: number;
}

/** A way to load a server with a workload; `folder` takes what it needs to write. */
export type Load = (
  workload: Workload,
  folder: string,
) => (url: string, seconds: number) => Effect.Effect<LoadReport, BenchmarkError>;

const WRK = "wrk";
const CONNECTIONS = 64;
const GENERATOR = fileURLToPath(new URL("./loadGenerator.ts", import.meta.url));

export function wrkIsInstalled(): boolean {
  return spawnSync(WRK, ["-v"], { stdio: "ignore" }).error === undefined;
}

export const loadByWrk: Load = ({ bodiesFile }, folder) => {
  const script = join(folder, "load.lua");
  writeFileSync(script, luaScript(bodiesFile));
  return (url, seconds) =>
    report(WRK, ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script, url]);
};

export const loadByNode: Load =
  ({ bodiesFile }) =>
  (url, seconds) =>
    report(process.execPath, [
      GENERATOR,
      new URL(url).port,
      QUOTE_PATH,
      bodiesFile,
      String(CONNECTIONS),
      String(seconds),
    ]);

/** The last line of the output is the report. */
function report(
  command: string,
  args: ReadonlyArray<string>,
): Effect.Effect<LoadReport, BenchmarkError> {
  return Effect.flatMap(runChild(command, args), (output) => {
    const found = JSON.parse(output.trim().split("\n").at(-1)!) as LoadReport;
    if (found.socketErrors === 0 && found.requests > 0) return Effect.succeed(found);
    return Effect.fail(
      new BenchmarkError({ message: `the load failed: ${JSON.stringify(found)}` }),
    );
  });
}

/** Requests are put together once; the bodies take turns on all connections. */
function luaScript(bodiesFile: string): string {
  return `local requests, at = {}, 0
function init()
  local headers = { ["content-type"] = "application/json" }
  for body in io.lines(${JSON.stringify(bodiesFile)}) do
    requests[#requests + 1] = wrk.format("POST", "${QUOTE_PATH}", headers, body)
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%f,"p50Us":%f,"p99Us":%f,"socketErrors":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout))
end
`;
}

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { runChild } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { median } from "../statistics.ts";

/** The result of one run of load. */
export interface LoadReport {
  readonly requests: number;
  readonly seconds: number;
  /** Of a request, in microseconds. */
  readonly p50Us: number;
  readonly p99Us: number;
  /** Connections that failed; anything but 0 makes the run void. */
  readonly socketErrors: number;
}

/**
 * A way to load a server with the requests of a file, one a line, as `GET /path` or `POST /path
 * {"a":"body"}`; `folder` takes files that it needs to write.
 */
type Load = (
  requestsFile: string,
  folder: string,
) => (url: string, seconds: number) => Effect.Effect<LoadReport, BenchmarkError>;

const WRK = "wrk";
const CONNECTIONS = 64;
const GENERATOR = fileURLToPath(new URL("./loadGenerator.ts", import.meta.url));

/** `wrk` where it is installed; for a first look always our own. */
export function chooseLoad(smoke: boolean): Load {
  if (smoke) return loadByNode;
  if (wrkIsInstalled()) return loadByWrk;
  process.stderr.write(
    "wrk is not on PATH: the load comes from a Node process instead, which is slower than wrk and " +
      "hides a part of the difference. To install it: apt-get install wrk, or brew install wrk.\n",
  );
  return loadByNode;
}

/** Requests a second. */
export function rate({ requests, seconds }: LoadReport): number {
  return requests / seconds;
}

/** The medians of several runs. */
export function loadFigures(
  name: string,
  reports: ReadonlyArray<LoadReport>,
): ReadonlyArray<Figure> {
  const of = (pick: (report: LoadReport) => number) => median(reports.map(pick));
  return [
    { name, value: Math.round(of(rate)), unit: "requests/s" },
    { name: `${name}.p50`, value: of(({ p50Us }) => p50Us), unit: "us" },
    { name: `${name}.p99`, value: of(({ p99Us }) => p99Us), unit: "us" },
  ];
}

export function wrkIsInstalled(): boolean {
  return spawnSync(WRK, ["-v"], { stdio: "ignore" }).error === undefined;
}

const loadByWrk: Load = (requestsFile, folder) => {
  const script = join(folder, "load.lua");
  writeFileSync(script, luaScript(requestsFile));
  return (url, seconds) =>
    report(WRK, ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script, url]);
};

const loadByNode: Load = (requestsFile) => (url, seconds) =>
  report(process.execPath, [
    GENERATOR,
    new URL(url).port,
    requestsFile,
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

/** Formats the requests once; they take turns on all connections. */
function luaScript(requestsFile: string): string {
  return `local requests, at = {}, 0
function init()
  local headers = { ["content-type"] = "application/json" }
  for line in io.lines(${JSON.stringify(requestsFile)}) do
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    local isPlain = body == ""
    requests[#requests + 1] =
      wrk.format(method, path, isPlain and {} or headers, not isPlain and body or nil)
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

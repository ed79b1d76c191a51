import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { runChild } from "../children.ts";

/** What one process that asks found. */
export interface OpenLoopReport {
  readonly asked: number;
  /** Of those: not sent, since every connection still waited for an answer. */
  readonly unsent: number;
  readonly accepted: number;
  /** Answered 503. */
  readonly shed: number;
  /** Answered otherwise: anything but 0 makes the run void. */
  readonly others: number;
  /** Connections that ended before their time: likewise. */
  readonly broken: number;
  /** Of accepted requests, in microseconds since they were due. */
  readonly p50Us: number;
  readonly p99Us: number;
  /** Of those that were shed. */
  readonly shedP99Us: number;
}

const PROGRAM = fileURLToPath(new URL("./openLoop.ts", import.meta.url));
const PROCESSES = 2;
const CONNECTIONS = 400; // of each process

/** Asks a service so many times a second, in two processes, for some seconds. */
export const openLoop = (
  url: string,
  requestsFile: string,
  perSecond: number,
  seconds: number,
): Effect.Effect<OpenLoopReport, BenchmarkError> =>
  Effect.flatMap(
    Effect.all(
      Array.from({ length: PROCESSES }, () =>
        runChild(process.execPath, [
          ...["--disable-warning=ExperimentalWarning", PROGRAM, new URL(url).port, requestsFile],
          ...[CONNECTIONS, perSecond / PROCESSES, seconds].map(String),
        ]),
      ),
      { concurrency: "unbounded" },
    ),
    (outputs) => {
      const report = outputs.map((output) => JSON.parse(output) as OpenLoopReport).reduce(together);
      if (report.others === 0 && report.broken === 0) return Effect.succeed(report);
      const message = `the load failed: ${JSON.stringify(report)}`;
      return Effect.fail(new BenchmarkError({ message }));
    },
  );

/** Quantiles of two processes become the worse one of the two. */
function together(one: OpenLoopReport, other: OpenLoopReport): OpenLoopReport {
  const sum = (key: keyof OpenLoopReport) => one[key] + other[key];
  const worse = (key: keyof OpenLoopReport) => Math.max(one[key], other[key]);
  return {
    asked: sum("asked"),
    unsent: sum("unsent"),
    accepted: sum("accepted"),
    shed: sum("shed"),
    others: sum("others"),
    broken: sum("broken"),
    p50Us: worse("p50Us"),
    p99Us: worse("p99Us"),
    shedP99Us: worse("shedP99Us"),
  };
}

import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { runChild } from "../children.ts";

/** The outcome of the requests of some clients. */
export interface LoopReport {
  readonly asked: number;
  /** Of `asked`: not sent, since every connection still waited for an answer. */
  readonly unsent: number;
  readonly accepted: number;
  /** Answered 503. */
  readonly shed: number;
  /** Answered with another status: anything but 0 makes the run void. */
  readonly others: number;
  /** Connections that ended early: anything but 0 makes the run void. */
  readonly broken: number;
  /** Of accepted requests, in microseconds since they were sent. */
  readonly p50Us: number;
  readonly p99Us: number;
  /** Of requests that were shed. */
  readonly shedP99Us: number;
  /** How long after their due times requests were sent, which is not the service's doing. */
  readonly lateP99Us: number;
}

const OPEN_LOOP = fileURLToPath(new URL("./openLoop.ts", import.meta.url));
const CLOSED_LOOP = fileURLToPath(new URL("./closedLoop.ts", import.meta.url));

/** What is asked, and where. */
export interface Target {
  readonly url: string;
  readonly requestsFile: string;
  /** The client's, as a trusted proxy reports it; by default this machine's. */
  readonly address?: string;
}

/**
 * Runs `clients` clients for some seconds, each of which waits for an answer before it asks again.
 * They use the connections in turn; by default one each.
 */
export const closedLoop = (
  target: Target,
  clients: number,
  seconds: number,
  connections = clients,
) => run(CLOSED_LOOP, target, [connections, seconds, clients]);

/** Sends `perSecond` requests a second for some seconds, over `connections` connections. */
export const openLoop = (target: Target, connections: number, perSecond: number, seconds: number) =>
  run(OPEN_LOOP, target, [connections, seconds, perSecond]);

const run = (
  program: string,
  { url, requestsFile, address = "" }: Target,
  numbers: ReadonlyArray<number>,
): Effect.Effect<LoopReport, BenchmarkError> =>
  Effect.flatMap(
    runChild(process.execPath, [
      ...[
        "--disable-warning=ExperimentalWarning",
        program,
        new URL(url).port,
        requestsFile,
        address,
      ],
      ...numbers.map(String),
    ]),
    (output) => {
      const report = JSON.parse(output) as LoopReport;
      if (report.others === 0 && report.broken === 0) return Effect.succeed(report);
      const message = `the load failed: ${JSON.stringify(report)}`;
      return Effect.fail(new BenchmarkError({ message }));
    },
  );

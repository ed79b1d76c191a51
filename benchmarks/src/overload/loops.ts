import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { runChild } from "../children.ts";

/** What came of the requests of some clients. */
export interface LoopReport {
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
  /** Of accepted requests, in microseconds since they were sent. */
  readonly p50Us: number;
  readonly p99Us: number;
  /** Of those that were shed. */
  readonly shedP99Us: number;
  /** How much later than they were due requests were sent, which is not the service's doing. */
  readonly lateP99Us: number;
}

const OPEN_LOOP = fileURLToPath(new URL("./openLoop.ts", import.meta.url));
const CLOSED_LOOP = fileURLToPath(new URL("./closedLoop.ts", import.meta.url));

/** What is asked, and where. */
export interface Target {
  readonly url: string;
  readonly requestsFile: string;
  /** Of the client, as a trusted proxy tells it; this machine's without one. */
  readonly address?: string;
}

/**
 * So many clients for some seconds, each of which waits for an answer before it asks again. They
 * use so many connections in turn; one each unless it is said.
 */
export const closedLoop = (
  target: Target,
  clients: number,
  seconds: number,
  connections = clients,
) => run(CLOSED_LOOP, target, [connections, seconds, clients]);

/** So many requests a second for some seconds, over so many connections at most. */
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

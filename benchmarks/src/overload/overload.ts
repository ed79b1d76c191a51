import { Effect } from "effect";
import type { BenchmarkError } from "../BenchmarkError.ts";
import { temporaryFolder } from "../children.ts";
import type { Figure } from "../Figure.ts";
import { RECORDED, startService } from "../http/service.ts";
import { median } from "../statistics.ts";
import { closedLoop, type LoopReport, openLoop, type Target } from "./loops.ts";
import { readMetrics } from "./readMetrics.ts";
import { writeRequests } from "./requests.ts";

const FULL = { requests: 2_000, seconds: 10, closedSeconds: 5, rounds: 3, connections: 8_192 };
const SMOKE = { requests: 50, seconds: 0.3, closedSeconds: 0.3, rounds: 1, connections: 256 };
type Sizes = typeof FULL;

/** Numbers of waiting clients; the others are compared with the first. */
const CLIENTS = [64, 256, 1_024, 4_096];
/** Offered loads, of the capacity of the connections; the others are compared with the first. */
export const OFFERED = [0.5, 0.9, 1.5, 3, 10];
const MIB = 2 ** 20;

/**
 * Answers under many clients: clients that wait for their answers, from a few to thousands, and
 * requests at fixed times, from half the capacity to ten times as many. Thousands of connections
 * that take turns cost the system more per request than a few that are always in use, so the
 * capacity is measured over as many connections as the requests at fixed times use. Every round has
 * all loads, in turn.
 */
export const overload = (smoke: boolean): Effect.Effect<ReadonlyArray<Figure>, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sizes = smoke ? SMOKE : FULL;
      const folder = yield* temporaryFolder;
      const url = yield* startService({
        ...RECORDED,
        // The event loop searches too: on two cores, a search worker would have none.
        MILLRACE_SEARCH_WORKERS: "0",
      });
      const target = { url, requestsFile: yield* writeRequests(url, sizes.requests, folder) };
      yield* closedLoop(target, CLIENTS[0]!, sizes.closedSeconds);
      const before = yield* readMetrics(url);
      const rounds = yield* Effect.all(
        Array.from({ length: sizes.rounds }, () => measureRound(target, sizes)),
      );
      const after = yield* readMetrics(url);
      const medians = rounds[0]!.map(({ name, unit }, index) => ({
        name,
        unit,
        value: median(rounds.map((figures) => figures[index]!.value)),
      }));
      return [
        ...medians,
        { name: "overload.event-loop.p99", value: 1e6 * after.eventLoopSeconds, unit: "us" },
        { name: "overload.memory.before", value: before.residentBytes / MIB, unit: "MiB" },
        { name: "overload.memory.after", value: after.residentBytes / MIB, unit: "MiB" },
      ];
    }),
  );

const measureRound = (target: Target, sizes: Sizes) =>
  Effect.gen(function* () {
    const figures: Figure[] = [];
    let ofFew = 0;
    for (const clients of CLIENTS) {
      const report = yield* closedLoop(target, clients, sizes.closedSeconds);
      const perSecond = report.accepted / sizes.closedSeconds;
      if (ofFew === 0) ofFew = perSecond;
      figures.push(...waitingFigures(clients, report, perSecond, ofFew));
    }
    const { connections } = sizes;
    const all = yield* closedLoop(target, CLIENTS[0]!, sizes.closedSeconds, connections);
    const capacity = all.accepted / sizes.closedSeconds;
    figures.push(
      { name: "overload.connections.count", value: connections, unit: "connections" },
      { name: "overload.connections", value: Math.round(capacity), unit: "requests/s" },
      { name: "overload.connections.ratio", value: capacity / ofFew, unit: OF_FEW },
    );
    let calmP99Us = 0;
    for (const share of OFFERED) {
      const offered = share * capacity;
      const report = yield* openLoop(target, sizes.connections, offered, sizes.seconds);
      const perSecond = report.accepted / sizes.seconds;
      if (calmP99Us === 0) calmP99Us = report.p99Us;
      figures.push(...offeredFigures(share, report, perSecond, capacity, calmP99Us));
    }
    const calm = yield* openLoop(target, sizes.connections, OFFERED[0]! * capacity, 1);
    figures.push({ name: "overload.after.shed", value: calm.shed / calm.asked, unit: SHARE });
    figures.push({ name: "overload.after.p99", value: calm.p99Us, unit: "us" });
    return figures;
  });

const SHARE = "of requests";
const OF_FEW = `of ${CLIENTS[0]} clients`;

function waitingFigures(
  clients: number,
  report: LoopReport,
  perSecond: number,
  ofFew: number,
): Figure[] {
  const name = `overload.waiting.${clients}`;
  return [
    { name, value: Math.round(perSecond), unit: "requests/s" },
    { name: `${name}.ratio`, value: perSecond / ofFew, unit: OF_FEW },
    { name: `${name}.shed`, value: report.shed / report.asked, unit: SHARE },
    { name: `${name}.p50`, value: report.p50Us, unit: "us" },
    { name: `${name}.p99`, value: report.p99Us, unit: "us" },
  ];
}

function offeredFigures(
  share: number,
  report: LoopReport,
  perSecond: number,
  capacity: number,
  calmP99Us: number,
): Figure[] {
  const name = `overload.offered.${share}`;
  return [
    {
      name: `${name}.answered`,
      value: perSecond / (Math.min(share, 1) * capacity),
      unit: share < 1 ? "of offered" : "of capacity",
    },
    { name: `${name}.shed`, value: report.shed / report.asked, unit: SHARE },
    { name: `${name}.unsent`, value: report.unsent / report.asked, unit: SHARE },
    { name: `${name}.p50`, value: report.p50Us, unit: "us" },
    { name: `${name}.p99`, value: report.p99Us, unit: "us" },
    { name: `${name}.p99.ratio`, value: report.p99Us / calmP99Us, unit: `of ${OFFERED[0]}` },
    { name: `${name}.shed.p99`, value: report.shedP99Us, unit: "us" },
    { name: `${name}.late.p99`, value: report.lateP99Us, unit: "us" },
  ];
}

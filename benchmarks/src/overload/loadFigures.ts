import type { Figure } from "../Figure.ts";
import { median } from "../statistics.ts";
import type { OpenLoopReport } from "./openLoops.ts";

type Reports = ReadonlyArray<OpenLoopReport>;

/** The medians over rounds, each of which had little to do and then too much. */
export function loadFigures(
  unloaded: Reports,
  overloaded: Reports,
  seconds: number,
): ReadonlyArray<Figure> {
  const ratios = overloaded.map(({ p99Us }, round) => p99Us / unloaded[round]!.p99Us);
  return [
    ...timesOf("overload.unloaded", unloaded),
    shareOf("overload.unloaded.shed", unloaded, "shed"),
    {
      name: "overload.accepted",
      value: median(overloaded.map(({ accepted }) => accepted / seconds)),
      unit: "requests/s",
    },
    ...timesOf("overload.accepted", overloaded),
    { name: "overload.accepted.ratio", value: median(ratios), unit: "of unloaded p99" },
    shareOf("overload.shed", overloaded, "shed"),
    {
      name: "overload.shed.p99",
      value: median(overloaded.map(({ shedP99Us }) => shedP99Us)),
      unit: "us",
    },
    shareOf("overload.unsent", overloaded, "unsent"),
  ];
}

function timesOf(name: string, reports: Reports): Figure[] {
  return [
    { name: `${name}.p50`, value: median(reports.map(({ p50Us }) => p50Us)), unit: "us" },
    { name: `${name}.p99`, value: median(reports.map(({ p99Us }) => p99Us)), unit: "us" },
  ];
}

function shareOf(name: string, reports: Reports, key: "shed" | "unsent"): Figure {
  const shares = reports.map((report) => report[key] / report.asked);
  return { name, value: median(shares), unit: "of requests" };
}

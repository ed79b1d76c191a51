import type { Result } from "../results/Result.ts";
import { rounded, svg } from "./svg.ts";

const WIDTH = 760;
const HEIGHT = 320;
const LEFT = 56;
const RIGHT = 84;
const TOP = 48;
const BOTTOM = 56;
/** More names of commits than this would overlap. */
const LABELS_MAX = 10;

interface Line {
  readonly label: string;
  readonly className: string;
  readonly figure: string;
}

const LINES: ReadonlyArray<Line> = [
  { label: "p50", className: "p50", figure: "route-search.universe-a.p50" },
  { label: "p99", className: "p99", figure: "route-search.universe-a.p99" },
];

const STYLE = {
  light: [
    ".line { fill: none; stroke-width: 2; stroke-linejoin: round; }",
    ".p50 { stroke: #0969da; } .p99 { stroke: #bc4c00; }",
    ".p50-fill { fill: #0969da; } .p99-fill { fill: #bc4c00; }",
  ],
  dark: [
    ".p50 { stroke: #4493f8; } .p99 { stroke: #f0883e; }",
    ".p50-fill { fill: #4493f8; } .p99-fill { fill: #f0883e; }",
  ],
};

/** The figures that the trend shows, all of one benchmark. */
export const TREND: { readonly benchmark: string; readonly figures: ReadonlyArray<string> } = {
  benchmark: "route-search",
  figures: LINES.map(({ figure }) => figure),
};

/** Latency of whole quotes over all results that have it, as a picture; oldest first. */
export function drawTrend(results: ReadonlyArray<Result>): string {
  const runs = results.filter((result) =>
    LINES.every(({ figure }) => valueOf(result, figure) !== undefined),
  );
  const highest = Math.max(
    1,
    ...LINES.flatMap(({ figure }) => runs.map((run) => valueOf(run, figure)!)),
  );
  const step = niceStep(highest / 4);
  const top = step * Math.ceil(highest / step);
  const x = (index: number) =>
    LEFT + (WIDTH - LEFT - RIGHT) * (runs.length === 1 ? 0.5 : index / (runs.length - 1));
  const y = (value: number) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value / top);
  const parts = [
    `<text class="title" x="${LEFT}" y="24">Route search, 3 hops, real pools: microseconds a quote</text>`,
    ...grid(top, step, y),
    ...commits(runs, x),
    ...LINES.flatMap((line) => drawLine(line, runs, x, y)),
  ];
  return svg({
    width: WIDTH,
    height: HEIGHT,
    label: "Trend of route-search latency",
    style: STYLE,
    parts,
  });
}

function grid(top: number, step: number, y: (value: number) => number): string[] {
  const values = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step);
  return [
    ...values.flatMap((value) => [
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${rounded(y(value))}" y2="${rounded(y(value))}"/>`,
      `<text text-anchor="end" x="${LEFT - 8}" y="${rounded(y(value) + 4)}">${rounded(value)}</text>`,
    ]),
    `<text text-anchor="middle" transform="translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)">latency (µs)</text>`,
    `<text text-anchor="middle" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}">commit, date of the run (UTC)</text>`,
  ];
}

function commits(runs: ReadonlyArray<Result>, x: (index: number) => number): string[] {
  const every = Math.ceil(runs.length / LABELS_MAX);
  return runs.flatMap((result, index) => {
    // Counts from the newest, which always has its name.
    if ((runs.length - 1 - index) % every !== 0) return [];
    const { date } = result.runs[TREND.benchmark]!;
    return [
      `<text text-anchor="middle" x="${rounded(x(index))}" y="${HEIGHT - BOTTOM + 16}">${result.commit.slice(0, 7)}</text>`,
      `<text text-anchor="middle" x="${rounded(x(index))}" y="${HEIGHT - BOTTOM + 30}">${date.slice(5, 10)}</text>`,
    ];
  });
}

function drawLine(
  { label, className, figure }: Line,
  runs: ReadonlyArray<Result>,
  x: (index: number) => number,
  y: (value: number) => number,
): string[] {
  const points = runs.map(
    (run, index) => [rounded(x(index)), rounded(y(valueOf(run, figure)!))] as const,
  );
  const last = points.at(-1);
  if (last === undefined) return [];
  const newest = valueOf(runs.at(-1)!, figure)!.toFixed(1);
  return [
    `<polyline class="line ${className}" points="${points.map((point) => point.join(",")).join(" ")}"/>`,
    ...points.map(
      ([cx, cy]) => `<circle class="${className}-fill" cx="${cx}" cy="${cy}" r="3.5"/>`,
    ),
    `<text x="${last[0] + 10}" y="${rounded(last[1] + 4)}">${label} ${newest} µs</text>`,
  ];
}

function valueOf({ runs }: Result, name: string): number | undefined {
  return runs[TREND.benchmark]?.figures.find((figure) => figure.name === name)?.value;
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

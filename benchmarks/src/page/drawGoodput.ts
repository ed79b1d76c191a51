import { OFFERED } from "../overload/overload.ts";
import type { Quote } from "./Quote.ts";
import { rounded, svg } from "./svg.ts";

const WIDTH = 760;
const HEIGHT = 320;
const LEFT = 56;
const RIGHT = 40;
const TOP = 48;
const BOTTOM = 56;
/** The largest share of the capacity on the axis. */
const SHARE_MAX = 1.25;

const STYLE = {
  light: [
    ".ideal { fill: none; stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 5 4; }",
    ".answered { fill: none; stroke: #0969da; stroke-width: 2; stroke-linejoin: round; }",
    ".answered-fill { fill: #0969da; }",
  ],
  dark: [
    ".ideal { stroke: #9198a1; }",
    ".answered { stroke: #4493f8; }",
    ".answered-fill { fill: #4493f8; }",
  ],
};

/** Answered requests over offered ones, both in units of the capacity. */
export function drawGoodput(quote: Quote): string {
  const points = OFFERED.flatMap((share) => {
    const ofPossible = quote.valueOf(`overload.offered.${share}.answered`);
    if (ofPossible === undefined) return [];
    const answered = ofPossible * Math.min(share, 1);
    return [[x(share), y(answered), answered] as const];
  });
  const ideal = [OFFERED[0]!, 1, OFFERED.at(-1)!].map(
    (share) => `${x(share)},${y(Math.min(share, 1))}`,
  );
  const parts = [
    `<text class="title" x="${LEFT}" y="24">Answered over offered requests (capacity: what 64 waiting clients get over as many connections)</text>`,
    ...[0, 0.25, 0.5, 0.75, 1, SHARE_MAX].flatMap((share) => [
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(share)}" y2="${y(share)}"/>`,
      `<text text-anchor="end" x="${LEFT - 8}" y="${y(share) + 4}">${share}</text>`,
    ]),
    ...OFFERED.map(
      (share) =>
        `<text text-anchor="middle" x="${x(share)}" y="${HEIGHT - BOTTOM + 18}">${share}</text>`,
    ),
    `<text text-anchor="middle" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}">offered, in units of the capacity (dashed: what could be answered at best)</text>`,
    `<polyline class="ideal" points="${ideal.join(" ")}"/>`,
    `<polyline class="answered" points="${points.map(([left, top]) => `${left},${top}`).join(" ")}"/>`,
    ...points.flatMap(([left, top, answered]) => [
      `<circle class="answered-fill" cx="${left}" cy="${top}" r="3.5"/>`,
      `<text text-anchor="middle" x="${left}" y="${top - 10}">${answered.toFixed(2)}</text>`,
    ]),
  ];
  return svg({
    width: WIDTH,
    height: HEIGHT,
    label: "Answered over offered requests",
    style: STYLE,
    parts,
  });
}

/** On a logarithmic axis. */
function x(share: number): number {
  const [first, last] = [OFFERED[0]!, OFFERED.at(-1)!];
  return rounded(
    LEFT + 20 + ((WIDTH - LEFT - RIGHT - 40) * Math.log(share / first)) / Math.log(last / first),
  );
}

const y = (share: number): number =>
  rounded(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (share / SHARE_MAX));

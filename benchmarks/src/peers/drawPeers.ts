import type { Match } from "./match.ts";
import { TRADE_SIZES } from "./peerMarket.ts";
import { type Score, scoreOf } from "./score.ts";

const WIDTH = 860;
const LEFT = 250;
const RIGHT = 250;
const TOP = 92;
const ROW = 26;
const BOTTOM = 44;
/** The axis, in powers of ten of a microsecond: from 1 µs to 10 s. */
const DECADES = 7;
const DECADE_NAMES = ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"];
/** Radii of the dots, by size of trade. */
const RADII = [2.5, 4, 5.5];

// GitHub shows the picture on light and on dark pages; it sets the colour scheme for pictures too.
const STYLE = `
    text { font: 12px system-ui, sans-serif; fill: #59636e; }
    .title { font-size: 14px; font-weight: 600; fill: #1f2328; }
    .grid { stroke: #d1d9e0; stroke-width: 1; }
    .ours { fill: #0969da; } .theirs { fill: #bc4c00; }
    circle { fill-opacity: 0.75; }
    @media (prefers-color-scheme: dark) {
      text { fill: #9198a1; }
      .title { fill: #f0f6fc; }
      .grid { stroke: #3d444d; }
      .ours { fill: #4493f8; } .theirs { fill: #f0883e; }
    }`;

/** Latency of each library and ours on a logarithmic axis, with the gain in output beside it. */
export function drawPeers(matches: ReadonlyArray<Match>): string {
  const height = TOP + ROW * matches.length + BOTTOM;
  const parts = [
    `<text class="title" x="16" y="24">Best trade on the same pools: median time, and what ours gives more</text>`,
    ...legend(),
    ...grid(height),
    ...matches.flatMap((match, index) => drawRow(match, TOP + ROW * (index + 0.5))),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Latency and output against other libraries">
  <style>${STYLE}
  </style>
${parts.map((part) => `  ${part}\n`).join("")}</svg>
`;
}

function legend(): string[] {
  const sizes = TRADE_SIZES.map(({ name }) => name).join(", ");
  return [
    `<circle class="ours" cx="20" cy="44" r="4"/><text x="30" y="48">ours</text>`,
    `<circle class="theirs" cx="76" cy="44" r="4"/><text x="86" y="48">theirs</text>`,
    `<text x="136" y="48">larger dot: larger trade (${sizes} of the deepest pool)</text>`,
    `<text x="${WIDTH - RIGHT + 20}" y="${TOP - 12}">times faster</text>`,
    `<text x="${WIDTH - RIGHT + 104}" y="${TOP - 12}">mean gain, bp, by size</text>`,
  ];
}

function grid(height: number): string[] {
  return DECADE_NAMES.flatMap((name, decade) => {
    const x = round(xOf(10 ** decade));
    return [
      `<line class="grid" x1="${x}" x2="${x}" y1="${TOP}" y2="${height - BOTTOM}"/>`,
      `<text text-anchor="middle" x="${x}" y="${height - BOTTOM + 18}">${name}</text>`,
    ];
  });
}

function drawRow({ contest, poolCount, games }: Match, y: number): string[] {
  const scores = TRADE_SIZES.map(({ name }) => scoreOf(games.filter(({ size }) => size === name)));
  const gains = scores.map(({ gainMean }) => formatGain(gainMean)).join(" · ");
  return [
    `<text text-anchor="end" x="${LEFT - 14}" y="${y + 4}">${contest.name}, ${poolCount} pools</text>`,
    ...scores.flatMap((score, size) => drawDots(score, RADII[size]!, y)),
    `<text x="${WIDTH - RIGHT + 20}" y="${y + 4}">${Math.round(scoreOf(games).speedup)}</text>`,
    `<text x="${WIDTH - RIGHT + 104}" y="${y + 4}">${gains}</text>`,
  ];
}

function drawDots({ bothAnswered, oursUs, peerMs }: Score, radius: number, y: number): string[] {
  if (bothAnswered === 0) return [];
  return [
    `<circle class="ours" cx="${round(xOf(oursUs))}" cy="${y}" r="${radius}"/>`,
    `<circle class="theirs" cx="${round(xOf(1_000 * peerMs))}" cy="${y}" r="${radius}"/>`,
  ];
}

function xOf(microseconds: number): number {
  const share = Math.min(Math.max(Math.log10(microseconds) / DECADES, 0), 1);
  return LEFT + (WIDTH - LEFT - RIGHT) * share;
}

function formatGain(gain: number): string {
  if (!Number.isFinite(gain)) return "–";
  return Math.abs(gain) < 0.05 ? "0" : Math.abs(gain) < 10 ? gain.toFixed(1) : gain.toFixed(0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

import { POOL_COUNTS, pairings, TRADE_SIZES } from "../peers/libraries.ts";
import type { Quote } from "./Quote.ts";
import { rounded, svg } from "./svg.ts";

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

const STYLE = {
  light: [".ours { fill: #0969da; } .theirs { fill: #bc4c00; }", "circle { fill-opacity: 0.75; }"],
  dark: [".ours { fill: #4493f8; } .theirs { fill: #f0883e; }"],
};

/** Latency of each library and ours on a logarithmic axis, with the gain in output beside it. */
export function drawPeers(quote: Quote): string {
  const rows = pairings(POOL_COUNTS).map(({ library: { name }, poolCount }) => ({
    name,
    poolCount,
  }));
  const height = TOP + ROW * rows.length + BOTTOM;
  const parts = [
    `<text class="title" x="16" y="24">Best trade on the same pools: median time, and what ours gives more</text>`,
    ...legend(),
    ...grid(height),
    ...rows.flatMap((row, index) => drawRow(quote, row, TOP + ROW * (index + 0.5))),
  ];
  return svg({
    width: WIDTH,
    height: height,
    label: "Latency and output against other libraries",
    style: STYLE,
    parts,
  });
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
    const x = rounded(xOf(10 ** decade));
    return [
      `<line class="grid" x1="${x}" x2="${x}" y1="${TOP}" y2="${height - BOTTOM}"/>`,
      `<text text-anchor="middle" x="${x}" y="${height - BOTTOM + 18}">${name}</text>`,
    ];
  });
}

function drawRow(
  quote: Quote,
  { name, poolCount }: { readonly name: string; readonly poolCount: number },
  y: number,
): string[] {
  const prefix = `peers.${name}.${poolCount}`;
  const valueOf = (what: string) => quote.valueOf(`${prefix}.${what}`);
  const gains = TRADE_SIZES.map(({ name: size }) => formatGain(valueOf(`${size}.gain-bps-mean`)));
  return [
    `<text text-anchor="end" x="${LEFT - 14}" y="${y + 4}">${name}, ${poolCount} pools</text>`,
    ...TRADE_SIZES.flatMap(({ name: size }, index) => [
      ...drawDot("ours", valueOf(`${size}.ours`), RADII[index]!, y),
      ...drawDot("theirs", msToUs(valueOf(`${size}.latency`)), RADII[index]!, y),
    ]),
    `<text x="${WIDTH - RIGHT + 20}" y="${y + 4}">${formatSpeedup(valueOf("speedup"))}</text>`,
    `<text x="${WIDTH - RIGHT + 104}" y="${y + 4}">${gains.join(" · ")}</text>`,
  ];
}

function drawDot(
  className: string,
  microseconds: number | undefined,
  radius: number,
  y: number,
): string[] {
  if (microseconds === undefined) return [];
  return [
    `<circle class="${className}" cx="${rounded(xOf(microseconds))}" cy="${y}" r="${radius}"/>`,
  ];
}

function msToUs(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : 1_000 * ms;
}

function xOf(microseconds: number): number {
  const share = Math.min(Math.max(Math.log10(microseconds) / DECADES, 0), 1);
  return LEFT + (WIDTH - LEFT - RIGHT) * share;
}

function formatSpeedup(speedup: number | undefined): string {
  return speedup === undefined ? "–" : String(Math.round(speedup));
}

function formatGain(gain: number | undefined): string {
  if (gain === undefined) return "–";
  return Math.abs(gain) < 0.05 ? "0" : Math.abs(gain) < 10 ? gain.toFixed(1) : gain.toFixed(0);
}

import type { Match } from "./match.ts";
import { TRADE_SIZES } from "./peerMarket.ts";
import { type Score, scoreOf } from "./score.ts";

const WHOLE_HEAD = [
  "library",
  "pools",
  "theirs",
  "ours",
  "times faster",
  ...TRADE_SIZES.map(({ name }) => `gain at ${name}`),
  "both answered",
  "ours answered",
  "ours less",
];
const SIZE_HEAD = [
  "library",
  "pools",
  "trade",
  "theirs",
  "ours",
  "times faster",
  "ours more",
  "equal",
  "ours less",
];

/** What the matches found, as a page of Markdown; `machine` says where. */
export function peersTable(matches: ReadonlyArray<Match>, machine: string): string {
  return `# Peers

${machine}. Written by \`npm run bench -- peers\`.

Times and gains are of the queries that both answered. A gain is what ours gives more than theirs, in
basis points, both by exact arithmetic: the median, and the mean in brackets.

## All trades

${table([WHOLE_HEAD, ...matches.map(wholeRow)])}

## By size of trade, in parts of the deepest pool of the input

${table([SIZE_HEAD, ...matches.flatMap(sizeRows)])}
`;
}

function wholeRow(match: Match): ReadonlyArray<string> {
  const score = scoreOf(match.games);
  return [
    match.contest.title,
    String(match.poolCount),
    ...times(score),
    ...TRADE_SIZES.map(({ name }) => gain(scoreOf(gamesOf(match, name)))),
    `${score.bothAnswered} of ${score.games}`,
    `${score.oursAnswered} of ${score.games}`,
    String(score.worse),
  ];
}

function sizeRows(match: Match): ReadonlyArray<ReadonlyArray<string>> {
  return TRADE_SIZES.map(({ name }) => {
    const score = scoreOf(gamesOf(match, name));
    return [
      match.contest.title,
      String(match.poolCount),
      name,
      ...times(score),
      String(score.better),
      String(score.bothAnswered - score.better - score.worse),
      String(score.worse),
    ];
  });
}

function gamesOf({ games }: Match, name: string) {
  return games.filter(({ size }) => size === name);
}

function times({ peerMs, oursUs, speedup }: Score): ReadonlyArray<string> {
  return [`${digits(peerMs)} ms`, `${digits(oursUs)} µs`, digits(speedup)];
}

function gain({ gainMedian, gainMean }: Score): string {
  return `${digits(gainMedian)} (${digits(gainMean)})`;
}

/** Two significant digits, or all before the point; nothing where there is no number. */
function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return size >= 10 ? String(Math.round(value)) : size < 0.01 ? "0" : value.toPrecision(2);
}

/** A Markdown table; the first row is its head. */
function table(rows: ReadonlyArray<ReadonlyArray<string>>): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: ReadonlyArray<string>) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(rows[0]!), rule, ...rows.slice(1).map(line)].join("\n");
}

/** Figures as a document has them: rounded, in a unit that a reader takes in at a glance. */

const NANOSECONDS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
/** Each unit is used below `end`, the next one from there on. */
const TIME_UNITS = [
  { unit: "ns", size: 1, end: 1e3 },
  { unit: "µs", size: 1e3, end: 1e6 },
  { unit: "ms", size: 1e6, end: 1e9 },
  { unit: "s", size: 1e9, end: Number.POSITIVE_INFINITY },
];

const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  bytes: (value) => `${grouped(Math.round(value))} bytes`,
  MB: (value) => `${significant(value, 3)} MB`,
  "MB/hour": (value) => `${significant(value, 2)} MB an hour`,
  MiB: (value) => `${significant(value, 3)} MiB`,
  "requests/s": (value) => `${significant(value, 3)} a second`,
  "messages/s": (value) => `${significant(value, 3)} a second`,
  "messages/s each": (value) => significant(value, 3),
  "pools/min": (value) => `${significant(value, 3)} pools a minute`,
  "of requests": percent,
  "of queries": percent,
  "of the ceiling": (value) => value.toFixed(4),
  bp: (value) => significant(value, 2),
  bps: (value) => significant(value, 2),
  yes: (value) => (value === 1 ? "yes" : "no"),
  times: (value) => significant(value, 2),
  "us/message": (value) => `${significant(value, 2)} µs`,
};

/** A value with its unit, where the unit is one that a reader needs. */
export function formatQuantity(value: number, unit: string): string {
  const scale = NANOSECONDS[unit];
  if (scale !== undefined) return formatTime(value * scale);
  const format = FORMATS[unit];
  if (format !== undefined) return format(value);
  return Number.isInteger(value) ? grouped(value) : value.toFixed(2);
}

function formatTime(nanoseconds: number): string {
  const { unit, size } = TIME_UNITS.find(({ end }) => nanoseconds < end)!;
  return `${significant(nanoseconds / size, 2)} ${unit}`;
}

function percent(value: number): string {
  return `${significant(100 * value, 3)} %`;
}

/**
 * Rounds to at least `digits` significant digits. Values below 1,000 keep all digits before the
 * point; larger ones are rounded and grouped.
 */
function significant(value: number, digits: number): string {
  if (Math.abs(value) < 0.005) return "0";
  const rounded = Number(value.toPrecision(digits));
  if (Math.abs(value) >= 1_000) return grouped(Number(value.toPrecision(Math.max(digits, 3))));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(rounded))));
  return Math.abs(value) >= 100 ? value.toFixed(0) : rounded.toFixed(decimals);
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

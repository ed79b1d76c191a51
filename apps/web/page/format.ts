/** Whole units of an amount in smallest units, exactly: 1500000 of 6 decimals is "1.5". */
export function wholeUnits(amount: string | bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const rest = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/u, "");
  return rest === "" ? whole : `${whole}.${rest}`;
}

/**
 * Smallest units of a text like "1.5" or "1,5", in the digits of any script; undefined if the text
 * is no such amount.
 */
export function smallestUnits(text: string, decimals: number): bigint | undefined {
  const match = /^\s*(\d{1,60})?(?:[.,٫](\d{0,60}))?\s*$/u.exec(westernDigits(text));
  if (match === null) return undefined;
  const [, whole = "", fraction = ""] = match;
  if (whole === "" && fraction === "") return undefined;
  const rest = fraction.replace(/0+$/u, "");
  if (rest.length > decimals) return undefined;
  return BigInt(whole + rest.padEnd(decimals, "0"));
}

const DIGIT = /\p{Nd}/u;

/** Unicode has the ten digits of each script in a row, from its zero on. */
const westernDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0)!;
    let first = code;
    while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
    return String((code - first) % 10);
  });

const amounts = new Intl.NumberFormat(undefined, {
  maximumSignificantDigits: 7,
  roundingPriority: "morePrecision",
  maximumFractionDigits: 2,
});

/** An amount in the reader's own digits and separators, rounded to seven digits. */
export const amountText = (amount: string | bigint, decimals: number): string =>
  // Formats decimal text as it is, without a float.
  amounts.format(wholeUnits(amount, decimals) as `${number}`);

const prices = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 6,
  roundingPriority: "morePrecision",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** US dollars of one token; a dash where the price is unknown. */
export const priceText = (dollars: number): string => (dollars > 0 ? prices.format(dollars) : "–");

const sums = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  notation: "compact",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** US dollars in short, such as $1.20M. */
export const sumText = (dollars: number | undefined): string =>
  dollars === undefined ? "–" : sums.format(dollars);

const percents = new Intl.NumberFormat(undefined, {
  style: "percent",
  maximumFractionDigits: 2,
  signDisplay: "exceptZero",
});

/** A change as a signed percentage. */
export const changeText = (fraction: number | undefined): string =>
  fraction === undefined ? "–" : percents.format(fraction);

const shares = new Intl.NumberFormat(undefined, { style: "percent", minimumFractionDigits: 2 });

export const shareText = (fraction: number): string => shares.format(fraction);

const plain = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 7 });

export const numberText = (value: number): string => plain.format(value);

const basisPoints = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

export const basisPointText = (bps: number): string => `${basisPoints.format(bps)} bps`;

const fees = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 4 });

/** A pool's fee, given in hundredths of a basis point. */
export const feeText = (pips: number): string => fees.format(pips / 1_000_000);

/** Basis points as a percentage. */
export const partText = (bps: number): string => feeText(bps * 100);

const times = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export const timeText = (ms: number): string => times.format(ms);

export const dateText = (ms: number): string => dates.format(ms);

/** How long ago something was, as "12 s" or "3 min". */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}

/** The two ends of an address, or of any long hexadecimal text. */
export const shortAddress = (address: string): string =>
  address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;

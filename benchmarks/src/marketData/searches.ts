import type { Figure } from "../Figure.ts";
import { SeededRandom } from "../SeededRandom.ts";
import { runRounds, Series } from "../Series.ts";
import { median } from "../statistics.ts";
import { type GeneratedMarket, MARKET_SEED } from "./GeneratedMarket.ts";
import type { Opened } from "./openGenerated.ts";

const LIMIT = 50;
const LONGEST = 128; // characters that count

/**
 * Searches of a large market: texts as people type them, of three letters and more; texts that are
 * meant to be slow; and texts of one and two letters, which have no limit to meet.
 */
export function timeSearches(
  { generated, data }: Opened,
  sizes: {
    readonly searches: number;
    readonly searchWarmUps: number;
    readonly searchRounds: number;
  },
): ReadonlyArray<Figure> {
  const search = (text: string) => data.search(text, LIMIT).total;
  const kinds = [
    { name: "typed", texts: typedTexts(generated, sizes.searches) },
    { name: "adversarial", texts: adversarialTexts() },
    { name: "short", texts: ["u", "us", "t", "to", "0", "ba", "en"] },
  ].map(({ name, texts }) => ({
    name,
    // A series for each text, so that the worst is the median of one text, not a pause of the
    // collector.
    all: texts.map((text) => new Series([text], search)),
  }));
  runRounds(
    kinds.flatMap(({ all }) => all),
    { warmUps: sizes.searchWarmUps, rounds: sizes.searchRounds },
  );
  return kinds.flatMap(({ name, all }) => {
    const medians = all.map(({ rounds }) => rounds.p50);
    return [
      { name: `market-data.search.${name}.p50`, value: median(medians), unit: "us" },
      { name: `market-data.search.${name}.worst`, value: Math.max(...medians), unit: "us" },
    ];
  });
}

/** Beginnings of symbols and pieces of names, whole symbols and whole names, in any case. */
function typedTexts({ first: { tokens } }: GeneratedMarket, count: number): ReadonlyArray<string> {
  const random = new SeededRandom(MARKET_SEED);
  return Array.from({ length: count }, (_, index) => {
    const { symbol, name } = tokens[random.below(tokens.length)]!;
    const length = 3 + random.below(3);
    const start = random.below(Math.max(1, symbol.length - length));
    const typed = [symbol.slice(0, length), symbol, name, name.slice(start, start + length)];
    const text = typed[index % typed.length]!;
    return random.below(2) === 0 ? text : text.toLowerCase();
  });
}

/** Parts of nearly all names, long texts of common parts, and texts that are in no name. */
function adversarialTexts(): ReadonlyArray<string> {
  return [
    ...["tok", "oke", "ken", "token", " token", " to", "TOKEN", "a t", "u token"],
    ...["tokentoken", "kento", "token token", "  token  ", "token ", "xtoken"],
    "token".repeat(LONGEST / 5),
    " token".repeat(LONGEST / 6),
    ...["ba", "to", "n", "ken", "ba token "].map((text) => text.repeat(LONGEST)),
    ...["bab", "babab", "bababa", "zuzuzu", "tototo token"],
    ...["\u{1f4a9}\u{1f4a9}\u{1f4a9}", "İİİ", "\u0000\u0000\u0000", "%%%", "___", "..."],
  ];
}

import { Effect } from "effect";
import { Command, Flag } from "effect/cli";
import { namesPool, timeOfText } from "../flags.ts";
import { root } from "./root.ts";
import { historyFlag } from "./words.ts";

const endFlag = (name: string, meaning: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${meaning}: a time, as 2026-03-01T00:00:00Z, or the number of a block`),
    Flag.withMetavar("END"),
    Flag.filter(
      (text) => text === "" || /^\d{1,15}$/.test(text) || isTime(text),
      (text) => `--${name} is ${text}: a time of ISO 8601, or the number of a block, is wanted`,
    ),
    Flag.withDefault(""),
  );

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(T|$)/.test(text) && !Number.isNaN(timeOfText(text));

const addressFlag = (name: string, meaning: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(meaning),
    Flag.withMetavar("ADDRESS"),
    Flag.filter(
      (text) => text === "" || (namesPool(text) && text.length === 42),
      (text) => `--${name} is ${text}: an address is wanted`,
    ),
    Flag.withDefault(""),
  );

const fileFlags = {
  history: historyFlag,
  from: endFlag("from", "Where it begins, included"),
  to: endFlag("to", "Where it ends, included"),
  format: Flag.Literals("format", ["csv", "parquet"]).pipe(
    Flag.withDescription("Of the file; default csv"),
    Flag.withDefault("csv" as const),
  ),
  out: Flag.String("out").pipe(
    Flag.withDescription("The file; one of this name is replaced"),
    Flag.withMetavar("FILE"),
  ),
};

/** Seconds of each interval. */
const INTERVALS = { "1m": 60, "5m": 300, "15m": 900, "1h": 3_600, "4h": 14_400, "1d": 86_400 };
type Interval = keyof typeof INTERVALS;

export const exports = Command.make("export").pipe(
  Command.withDescription("Writes what a history has into a file"),
  Command.withSubcommands([
    Command.make(
      "trades",
      fileFlags,
      Effect.fnUntraced(function* (words) {
        const { exportFile } = yield* Effect.promise(() => import("../commands/exportFile.ts"));
        yield* exportFile(yield* root, words, { kind: "trades" });
      }),
    ).pipe(
      Command.withDescription("All swaps, one on a line"),
      Command.withExamples([
        {
          command:
            "millrace export trades --history history-1.sqlite --from 2026-03-01 --format parquet --out march.parquet",
        },
      ]),
    ),
    Command.make(
      "candles",
      {
        file: fileFlags,
        token: addressFlag("token", "In US dollars, of this token"),
        pool: addressFlag("pool", "Of the pool: of its token with the lower address, in the other"),
        interval: Flag.Literals("interval", Object.keys(INTERVALS) as Interval[]).pipe(
          Flag.withDescription("The length of a candle; default 1h"),
          Flag.withDefault("1h" as const),
        ),
      },
      Effect.fnUntraced(function* ({ file, token, pool, interval }) {
        const { exportCandles } = yield* Effect.promise(() => import("../commands/exportFile.ts"));
        yield* exportCandles(yield* root, file, { token, pool, seconds: INTERVALS[interval] });
      }),
    ).pipe(Command.withDescription("Candles in which there was a price")),
  ]),
);

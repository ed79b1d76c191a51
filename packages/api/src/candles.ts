import { Effect, Schema } from "effect";
import { type IssueTemplate, issueAnnotation } from "./issue.ts";
import { limit, wholeNumber } from "./parameters.ts";

/** Lengths of candles. */
export const CANDLE_INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"] as const;

/** What happened in one interval. For a token in US dollars; for a pool, in quote per base. */
export const CandleJson = Schema.Struct({
  timestamp: Schema.Number.annotateKey({
    description: "When the interval began; Unix epoch milliseconds.",
  }),
  open: Schema.Number,
  high: Schema.Number,
  low: Schema.Number,
  close: Schema.Number,
  volume: Schema.Number.annotateKey({ description: "US dollars." }),
}).annotate({
  identifier: "Candle",
  description:
    "What happened in one interval, of UTC. Prices of a token are in US dollars, those of a pool " +
    "in one of its tokens for one of another, in whole tokens: `quote` for `base`.",
  examples: [
    {
      timestamp: 1773948420000,
      open: 2135.18,
      high: 2137.02,
      low: 2134.9,
      close: 2136.44,
      volume: 184220.5,
    },
  ],
});

/** The body of `/tokens/:address/candles` and `/pools/:address/candles`. */
export const CandleList = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Array(CandleJson).annotateKey({
    description:
      "In ascending order; an interval in which nothing traded has no candle, unless `fill` is " +
      "true.",
  }),
}).annotate({ identifier: "CandleList" });

/** Parameters that select candles; all are optional. */
export const candleQuery = {
  interval: interval("1h"),
  from: Schema.optionalKey(time("Candles that begin at this time or later; Unix epoch ms.")),
  to: Schema.optionalKey(time("Candles that begin at this time or before; Unix epoch ms.")),
  limit: limit("Candles, at most, the newest of the range"),
  fill: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      [issueAnnotation]: {
        code: "invalid_value",
        values: ["true", "false"],
        message: "Invalid option: expected one of true, false",
      } satisfies IssueTemplate,
      description:
        "`true`: an interval in which nothing traded, between two others, has a candle of the last " +
        "price without volume. Default false.",
    }),
  ),
};

function interval(usual: (typeof CANDLE_INTERVALS)[number]) {
  const message = `Invalid option: expected one of ${CANDLE_INTERVALS.join(", ")}`;
  return Schema.Literals(CANDLE_INTERVALS)
    .annotate({
      [issueAnnotation]: {
        code: "invalid_value",
        values: CANDLE_INTERVALS,
        message,
      } satisfies IssueTemplate,
      description: `The length of a candle. Default ${usual}.`,
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(usual)));
}

/** Unix epoch milliseconds. */
export function time(description: string) {
  // The last time that a `Date` can hold.
  return wholeNumber(0, 8.64e15, description);
}

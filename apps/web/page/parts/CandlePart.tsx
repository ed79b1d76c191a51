import { goTo, type Place, pathTo } from "../location.ts";
import { lazyPart } from "./lazyPart.tsx";

/** The token or pool of candles and trades. */
export interface Traded {
  readonly kind: "token" | "pool";
  readonly address: string;
}

const INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"] as const;

export type Interval = (typeof INTERVALS)[number];

const CandleChart = lazyPart(async () => (await import("./CandleChart.tsx")).CandleChart);

const INTERVAL_DEFAULT = "1m";

/** Candles of a token or a pool, of the interval that the address names. */
export function CandlePart({
  subject,
  place: { network, view, subject: shown, query },
}: {
  readonly subject: Traded;
  readonly place: Place;
}) {
  const wanted = query.get("interval");
  const interval = INTERVALS.find((one) => one === wanted) ?? INTERVAL_DEFAULT;
  const choose = (one: Interval) =>
    goTo(pathTo(network, view, shown, { ...Object.fromEntries(query), interval: one }), true);
  return (
    <div class="candles">
      <fieldset>
        <legend class="unseen">Interval</legend>
        {INTERVALS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === interval}
            onClick={() => choose(one)}
          >
            {one}
          </button>
        ))}
      </fieldset>
      <CandleChart key={`${subject.address} ${interval}`} subject={subject} interval={interval} />
    </div>
  );
}

import { useState } from "preact/hooks";
import { lazyPart } from "./lazyPart.tsx";

/** What candles and trades are of. */
export interface Traded {
  readonly kind: "token" | "pool";
  readonly address: string;
}

const INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"] as const;

export type Interval = (typeof INTERVALS)[number];

const CandleChart = lazyPart(async () => (await import("./CandleChart.tsx")).CandleChart);

/** Candles of a token or a pool, of an interval that is chosen here. */
export function CandlePart({ subject }: { readonly subject: Traded }) {
  const [interval, setInterval] = useState<Interval>("1m");
  return (
    <div class="candles">
      <fieldset>
        <legend class="unseen">Interval</legend>
        {INTERVALS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === interval}
            onClick={() => setInterval(one)}
          >
            {one}
          </button>
        ))}
      </fieldset>
      <CandleChart key={`${subject.address} ${interval}`} subject={subject} interval={interval} />
    </div>
  );
}

import type { SwapQuote } from "@millrace/api";
import { basisPointText, numberText } from "../format.ts";
import { EXPLAINED_SPLITS_MAX } from "./quoteParameters.ts";

interface Bar {
  readonly name: string;
  /** Basis points of loss; below 0 for a gain. */
  readonly bps: number;
}

/** A bar for each step would be too many; the small ones are added up. */
const BARS_MAX = 8;

/** The parts of the difference between the mid price and the quote; the last bar is their sum. */
export function Waterfall({ quote }: { readonly quote: SwapQuote }) {
  const { explanation } = quote;
  if (explanation === undefined) {
    return (
      <p class="quiet">
        Where the difference to the mid price went is worked out for at most {EXPLAINED_SPLITS_MAX}{" "}
        paths.
      </p>
    );
  }
  const bars = barsOf(quote);
  const total = explanation.totalBps;
  const most = Math.max(...runningSums(bars).flat().map(Math.abs), Math.abs(total), 1e-9);
  let before = 0;
  return (
    <section class="waterfall" aria-labelledby="waterfall">
      <h2 id="waterfall">Where the difference went</h2>
      <p class="quiet">
        At mid prices, without fees: {numberText(explanation.midPrice)}. The quote:{" "}
        {numberText(Number(quote.tokenPrice))}.
      </p>
      <ol>
        {bars.map((bar) => {
          const start = before;
          before += bar.bps;
          return <BarLine key={bar.name} bar={bar} from={start} most={most} />;
        })}
        <BarLine bar={{ name: "Together", bps: total }} from={0} most={most} />
      </ol>
    </section>
  );
}

function BarLine({
  bar: { name, bps },
  from,
  most,
}: {
  readonly bar: Bar;
  readonly from: number;
  readonly most: number;
}) {
  const [least, greatest] = [Math.min(from, from + bps), Math.max(from, from + bps)];
  const [left, right] = [Math.max(least, 0) / most, Math.max(greatest, 0) / most];
  return (
    <li>
      <span class="barName">{name}</span>
      <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect
          class={bps < 0 ? "gain" : "loss"}
          x={100 * left}
          width={Math.max(100 * (right - left), 0.4)}
          height="10"
        />
      </svg>
      <span class="number">{basisPointText(bps)}</span>
    </li>
  );
}

const runningSums = (bars: ReadonlyArray<Bar>): number[][] => {
  let sum = 0;
  return bars.map(({ bps }) => {
    sum += bps;
    return [sum];
  });
};

/** Losses to fees and to curves by DEX, the largest first; they add up to the quote's loss. */
function barsOf({ explanation, routePlan }: SwapQuote): Bar[] {
  const { steps, totalBps } = explanation!;
  const sums = new Map<string, number>();
  for (const [at, { curveBps, feeBps }] of steps.entries()) {
    const dex = routePlan[at]!.dexId.replaceAll("_", " ");
    sums.set(`Fees of ${dex}`, (sums.get(`Fees of ${dex}`) ?? 0) + feeBps);
    sums.set(`Price moved on ${dex}`, (sums.get(`Price moved on ${dex}`) ?? 0) + curveBps);
  }
  const bars = [...sums].map(([name, bps]) => ({ name, bps }));
  bars.sort((a, b) => Math.abs(b.bps) - Math.abs(a.bps));
  const shown = bars.slice(0, BARS_MAX);
  const rest = totalBps - shown.reduce((sum, { bps }) => sum + bps, 0);
  // The rest includes the rounding of steps and total.
  return Math.abs(rest) < 0.005 ? shown : [...shown, { name: "All else", bps: rest }];
}

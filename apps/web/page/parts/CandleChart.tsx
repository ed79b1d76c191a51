import type { CandleJson } from "@millrace/api";
import { isProblem } from "@millrace/client";
import { Effect } from "effect";
import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from "lightweight-charts";
import { useEffect, useRef } from "preact/hooks";
import { useNetwork } from "../networks.ts";
import { client, useRequest, useUpdates } from "../service.ts";
import type { Interval, Traded } from "./CandlePart.tsx";
import { Notice } from "./Notice.tsx";

const LIMIT = 500;
/** Closed candles do not change, and the open candle is streamed, so a slow refresh is enough. */
const REFRESH_MS = 60_000;
const HEIGHT = 280;
/** A move of the chart this many candles beyond its first one asks for older candles. */
const BEYOND = 2;

interface Series {
  readonly chart: IChartApi;
  readonly candles: ISeriesApi<"Candlestick">;
  readonly volumes: ISeriesApi<"Histogram">;
  isFitted: boolean;
  /** The reader has moved the chart. Before that, the chart chooses its own range. */
  isMoved: boolean;
  /** Start of the last candle in milliseconds; 0 while there is none. */
  lastMs: number;
  /**
   * Ascending; the newest candles are refreshed, older ones are loaded when the reader looks there.
   */
  known: ReadonlyArray<Candle>;
  /** There may be candles before the first one, and no request for them is under way. */
  hasOlder: boolean;
}

/** A chart of candles, including the open one. */
export function CandleChart({
  subject: { kind, address },
  interval,
}: {
  readonly subject: Traded;
  readonly interval: Interval;
}) {
  const network = useNetwork();
  const element = useRef<HTMLDivElement>(null);
  const series = useRef<Series | undefined>(undefined);
  const ask = (to?: number) => {
    const { market } = client.http;
    const query = {
      ...{ chainId: network.chainId, interval, limit: LIMIT },
      ...(to !== undefined && { to }),
    };
    const params = { address: address as never };
    return kind === "token"
      ? market.tokenCandles({ params, query })
      : market.poolCandles({ params, query });
  };
  const { data, failure } = useRequest(
    `${network.id} ${kind} ${address} ${interval}`,
    () => ask(),
    REFRESH_MS,
  );
  useUpdates(
    `${network.id} ${kind} ${address} ${interval}`,
    () =>
      client.candles(
        network.id,
        kind === "token" ? { token: address } : { pool: address },
        interval,
      ),
    (candles) => {
      if (isProblem(candles)) return;
      for (const candle of candles) showCandle(series.current, candle);
    },
  );
  useEffect(() => {
    const opened = openChart(element.current!);
    series.current = opened;
    const recolour = () => colour(opened);
    DARK.addEventListener("change", recolour);
    const aborting = new AbortController();
    const look = (range: { readonly from: number } | null) => {
      const [first] = opened.known;
      if (range === null || range.from > -BEYOND || first === undefined) return;
      if (!opened.hasOlder || !opened.isMoved) return;
      opened.hasOlder = false;
      Effect.runPromise(ask(first.timestamp - 1), { signal: aborting.signal }).then(
        ({ data: older }) => {
          if (aborting.signal.aborted) return;
          opened.hasOlder = older.length > 0;
          showAll(opened, [...older, ...opened.known]);
        },
        // The next move of the chart asks again.
        () => {
          opened.hasOlder = true;
        },
      );
    };
    opened.chart.timeScale().subscribeVisibleLogicalRangeChange(look);
    for (const move of ["pointerdown", "wheel"]) {
      element.current!.addEventListener(move, () => {
        opened.isMoved = true;
      });
    }
    return () => {
      DARK.removeEventListener("change", recolour);
      aborting.abort();
      opened.chart.remove();
    };
  }, []);
  useEffect(() => {
    const { current } = series;
    if (data === undefined || current === undefined) return;
    const [first] = data.data;
    const older = current.known.filter(({ timestamp }) => timestamp < (first?.timestamp ?? 0));
    showAll(current, [...older, ...data.data]);
    current.lastMs = data.data.at(-1)?.timestamp ?? 0;
    if (!current.isFitted && data.data.length > 0) {
      current.chart.timeScale().fitContent();
      current.isFitted = true;
    }
  }, [data]);
  return (
    <>
      {failure !== undefined && <Notice kind="failure">{failure}</Notice>}
      {data?.data.length === 0 && <Notice>Nothing has traded yet.</Notice>}
      <div ref={element} class="chart" role="img" aria-label={`Candles of ${interval}`} />
    </>
  );
}

type Candle = typeof CandleJson.Type;

const timeOf = (ms: number) => (ms / 1_000) as UTCTimestamp;

const barOf = ({ timestamp, open, high, low, close }: Candle) => ({
  ...{ time: timeOf(timestamp), open, high, low, close },
});

const volumeOf = ({ timestamp, volume }: Candle) => ({ time: timeOf(timestamp), value: volume });

function showAll(series: Series, candles: ReadonlyArray<Candle>): void {
  series.known = candles;
  series.candles.setData(candles.map(barOf));
  series.volumes.setData(candles.map(volumeOf));
}

/** The chart accepts the last candle again, or a newer one, but none that is older. */
function showCandle(series: Series | undefined, candle: Candle): void {
  if (series === undefined || series.lastMs === 0 || candle.timestamp < series.lastMs) return;
  series.lastMs = candle.timestamp;
  series.candles.update(barOf(candle));
  series.volumes.update(volumeOf(candle));
}

/** The page's colours change when this does. */
const DARK = matchMedia("(prefers-color-scheme: dark)");

function openChart(element: HTMLDivElement): Series {
  const chart = createChart(element, {
    autoSize: true,
    height: HEIGHT,
    layout: { background: { color: "transparent" }, attributionLogo: false },
    timeScale: { timeVisible: true },
    // The formats of numbers and dates may reject the browser's own name of the locale.
    localization: { locale: new Intl.NumberFormat().resolvedOptions().locale },
  });
  const volumes = chart.addSeries(HistogramSeries, {
    ...{ priceScaleId: "volume", lastValueVisible: false, priceLineVisible: false },
  });
  chart.priceScale("volume").applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
  const candles = chart.addSeries(CandlestickSeries, {
    borderVisible: false,
    priceFormat: { type: "custom", formatter: shortPrice, minMove: 1e-12 },
  });
  const shown = { isFitted: false, isMoved: false, lastMs: 0, known: [], hasOlder: true };
  const series: Series = { chart, candles, volumes, ...shown };
  colour(series);
  return series;
}

/** Gives the chart the current colours of the page. */
function colour({ chart, candles, volumes }: Series): void {
  const style = getComputedStyle(document.documentElement);
  const [text, line, rise, fall] = ["--text", "--line", "--rise", "--fall"].map((name) =>
    style.getPropertyValue(name).trim(),
  ) as [string, string, string, string];
  chart.applyOptions({
    layout: { textColor: text },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
  });
  volumes.applyOptions({ color: line });
  candles.applyOptions({ upColor: rise, wickUpColor: rise, downColor: fall, wickDownColor: fall });
}

const prices = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });

const shortPrice = (price: number): string => prices.format(price);

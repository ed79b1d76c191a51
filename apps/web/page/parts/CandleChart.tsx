import type { CandleJson } from "@millrace/api";
import { isProblem } from "@millrace/client";
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
/** What is closed does not change; the running candle is streamed. */
const REFRESH_MS = 60_000;
const HEIGHT = 280;

interface Series {
  readonly chart: IChartApi;
  readonly candles: ISeriesApi<"Candlestick">;
  readonly volumes: ISeriesApi<"Histogram">;
  isFitted: boolean;
  /** When the last candle began; 0 while there is none. */
  lastMs: number;
}

/** Candles as a chart, the running one with the rest. */
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
  const { data, failure } = useRequest(
    `${network.id} ${kind} ${address} ${interval}`,
    () => {
      const { market } = client.http;
      const query = { chainId: network.chainId, interval, limit: LIMIT };
      const params = { address: address as never };
      return kind === "token"
        ? market.tokenCandles({ params, query })
        : market.poolCandles({ params, query });
    },
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
    series.current = openChart(element.current!);
    return () => series.current?.chart.remove();
  }, []);
  useEffect(() => {
    const { current } = series;
    if (data === undefined || current === undefined) return;
    current.candles.setData(data.data.map(barOf));
    current.volumes.setData(data.data.map(volumeOf));
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

/** The chart takes the last candle again, and a newer one; not what is older. */
function showCandle(series: Series | undefined, candle: Candle): void {
  if (series === undefined || series.lastMs === 0 || candle.timestamp < series.lastMs) return;
  series.lastMs = candle.timestamp;
  series.candles.update(barOf(candle));
  series.volumes.update(volumeOf(candle));
}

function openChart(element: HTMLDivElement): Series {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const chart = createChart(element, {
    autoSize: true,
    height: HEIGHT,
    layout: {
      background: { color: "transparent" },
      textColor: colour("--text"),
      attributionLogo: false,
    },
    grid: { vertLines: { color: colour("--line") }, horzLines: { color: colour("--line") } },
    timeScale: { timeVisible: true },
    localization: { locale: navigator.language },
  });
  const volumes = chart.addSeries(HistogramSeries, {
    ...{ color: colour("--line"), priceScaleId: "volume", lastValueVisible: false },
    priceLineVisible: false,
  });
  chart.priceScale("volume").applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
  const candles = chart.addSeries(CandlestickSeries, {
    ...{ upColor: colour("--rise"), wickUpColor: colour("--rise") },
    ...{ downColor: colour("--fall"), wickDownColor: colour("--fall") },
    borderVisible: false,
    priceFormat: { type: "custom", formatter: shortPrice, minMove: 1e-12 },
  });
  return { chart, candles, volumes, isFitted: false, lastMs: 0 };
}

const prices = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });

const shortPrice = (price: number): string => prices.format(price);

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
import { client, useRequest } from "../service.ts";
import type { CandleSubject, Interval } from "./CandlePart.tsx";
import { Notice } from "./Notice.tsx";

const LIMIT = 500;
const REFRESH_MS = 2_000;
const HEIGHT = 280;

interface Series {
  readonly chart: IChartApi;
  readonly candles: ISeriesApi<"Candlestick">;
  readonly volumes: ISeriesApi<"Histogram">;
  isFitted: boolean;
}

/** Candles as a chart, the running one with the rest. */
export function CandleChart({
  subject: { kind, address },
  interval,
}: {
  readonly subject: CandleSubject;
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
  useEffect(() => {
    series.current = openChart(element.current!);
    return () => series.current?.chart.remove();
  }, []);
  useEffect(() => {
    const { current } = series;
    if (data === undefined || current === undefined) return;
    const timeOf = (ms: number) => (ms / 1_000) as UTCTimestamp;
    current.candles.setData(
      data.data.map(({ timestamp, open, high, low, close }) => ({
        ...{ time: timeOf(timestamp), open, high, low, close },
      })),
    );
    current.volumes.setData(
      data.data.map(({ timestamp, volume }) => ({ time: timeOf(timestamp), value: volume })),
    );
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
  return { chart, candles, volumes, isFitted: false };
}

const prices = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });

const shortPrice = (price: number): string => prices.format(price);

import { monitorEventLoopDelay } from "node:perf_hooks";
import { Context, Effect, Layer } from "effect";
import { AnswerTurns } from "./limits/AnswerTurns.ts";
import { family } from "./metrics/family.ts";
import { Histogram } from "./metrics/Histogram.ts";
import { networkMetrics } from "./metrics/networkMetrics.ts";
import { StreamMetrics } from "./metrics/StreamMetrics.ts";
import type { Network } from "./networks/Network.ts";
import { Networks } from "./networks/Networks.ts";

/** Connections that are open now, and that were refused. */
interface ConnectionCounts {
  open: number;
  refused: number;
}

/** What the service counts of itself, in the text format of Prometheus. */
export class Metrics extends Context.Service<
  Metrics,
  {
    /** Counts an answer; `route` is a pattern of the interface, never a client's text. */
    readonly answered: (method: string, route: string, status: number) => void;
    /** Counts an answer to GET /tokens/:address. */
    readonly tokenAnswered: (status: number) => void;
    /** Counts an answer to a quote, with the time it took. */
    readonly quoteAnswered: (status: number, durationMs: number) => void;
    /** The same of a quote that worker threads searched, or that waited for its turn. */
    readonly heavyQuoteAnswered: (status: number, durationMs: number) => void;
    /** Counts an answer to a swap or a permit, waiting for nodes included. */
    readonly swapAnswered: (path: "swap" | "permit", status: number, durationMs: number) => void;
    /** Counts a request that was refused because there was too much to do. */
    readonly shed: () => void;
    /** Connections, HTTP and WebSockets together. */
    readonly connections: ConnectionCounts;
    /** What streams count. */
    readonly streams: StreamMetrics;
    readonly render: (nowMs: number) => string;
  }
>()("@millrace/server/Metrics") {
  static readonly layer: Layer.Layer<Metrics, never, AnswerTurns | Networks> = Layer.effect(
    Metrics,
    Effect.gen(function* () {
      const { all } = yield* Networks;
      const turns = yield* AnswerTurns;
      const delay = yield* Effect.acquireRelease(
        Effect.sync(() => monitorEventLoopDelay({ resolution: 10 })),
        (monitor) => Effect.sync(() => monitor.disable()),
      );
      delay.enable();
      return make(all, turns, delay);
    }),
  );
}

function make(
  networks: ReadonlyArray<Network>,
  turns: AnswerTurns["Service"],
  eventLoopDelay: ReturnType<typeof monitorEventLoopDelay>,
): Metrics["Service"] {
  // By method and route. Quotes and tokens are too frequent to look theirs up.
  const answers = new Map<string, AnswerCounts>();
  const countsOf = (method: string, route: string): AnswerCounts => {
    const labels = `method="${method}",route="${route}"`;
    const known = answers.get(labels);
    if (known !== undefined) return known;
    const counts: AnswerCounts = new Float64Array(600);
    answers.set(labels, counts);
    return counts;
  };
  const quoteAnswers = countsOf("POST", "/:network/quote");
  const tokenAnswers = countsOf("GET", "/tokens/:address");
  let shedCount = 0;
  const connections = { open: 0, refused: 0 };
  const streams = new StreamMetrics();
  const quotes = new Histogram(
    "millrace_quote_duration_seconds",
    "Time from a quote's parsed request line to its answer.",
    [0.005, 0.01, 0.015, 0.02, 0.03, 0.06, 0.1, 0.25, 1, 5, 25],
  );
  const heavyQuotes = new Histogram(
    "millrace_heavy_quote_duration_seconds",
    "The same of quotes with many splits, long paths, explain or assume, waiting included.",
    [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000],
  );
  const swaps = new Histogram(
    "millrace_swap_duration_seconds",
    "Time that the transactions of a swap, or a permit, took, nodes included.",
    [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000, 4_000],
  );
  const answered: Metrics["Service"]["answered"] = (method, route, status) => {
    countsOf(method, route)[status]!++;
  };
  return Metrics.of({
    answered,
    connections,
    streams,
    swapAnswered: (path, status, durationMs) => {
      answered("POST", `/:network/${path}`, status);
      swaps.observe(durationMs);
    },
    shed: () => {
      shedCount++;
    },
    tokenAnswered: (status) => {
      tokenAnswers[status]!++;
    },
    quoteAnswered: (status, durationMs) => {
      quoteAnswers[status]!++;
      quotes.observe(durationMs);
    },
    heavyQuoteAnswered: (status, durationMs) => {
      quoteAnswers[status]!++;
      heavyQuotes.observe(durationMs);
    },
    render: (nowMs) => {
      const lines: string[] = [];
      lines.push(...family("millrace_requests_total", "counter", "Answers by route and status."));
      for (const [labels, counts] of answers) lines.push(...countLines(labels, counts));
      lines.push(
        ...family("millrace_requests_shed_total", "counter", "Requests refused under overload."),
        `millrace_requests_shed_total ${shedCount}`,
        ...family("millrace_requests_waiting", "gauge", "Requests that wait for their turn."),
        `millrace_requests_waiting ${turns.length}`,
        ...family("millrace_overloaded", "gauge", "1 while requests are refused."),
        `millrace_overloaded ${turns.isLate ? 1 : 0}`,
      );
      lines.push(
        ...family("millrace_connections", "gauge", "Open connections, WebSockets included."),
        `millrace_connections ${connections.open}`,
        ...family("millrace_connections_refused_total", "counter", "Connections closed at once."),
        `millrace_connections_refused_total ${connections.refused}`,
      );
      lines.push(...quotes.lines(), ...heavyQuotes.lines(), ...swaps.lines());
      lines.push(...streams.lines());
      lines.push(...networkMetrics(networks, nowMs), ...processGauges(eventLoopDelay));
      return `${lines.join("\n")}\n`;
    },
  });
}

/** Answers of a method and a route; index: status. */
type AnswerCounts = Float64Array;

function countLines(labels: string, counts: AnswerCounts): string[] {
  return [...counts.entries()].flatMap(([status, count]) =>
    count === 0 ? [] : [`millrace_requests_total{${labels},status="${status}"} ${count}`],
  );
}

function processGauges(delay: ReturnType<typeof monitorEventLoopDelay>): string[] {
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
  return [
    ...family("millrace_event_loop_delay_seconds", "gauge", "Delay of the event loop."),
    `millrace_event_loop_delay_seconds{quantile="0.5"} ${seconds(delay.percentile(50))}`,
    `millrace_event_loop_delay_seconds{quantile="0.99"} ${seconds(delay.percentile(99))}`,
    `millrace_event_loop_delay_seconds{quantile="1"} ${seconds(delay.max)}`,
    ...family("process_cpu_seconds_total", "counter", "CPU time of all threads."),
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    ...family("process_resident_memory_bytes", "gauge", "Memory of the process."),
    `process_resident_memory_bytes ${rss}`,
    ...family("millrace_heap_used_bytes", "gauge", "JavaScript objects."),
    `millrace_heap_used_bytes ${heapUsed}`,
    ...family("millrace_array_buffer_bytes", "gauge", "Typed arrays, the market among them."),
    `millrace_array_buffer_bytes ${arrayBuffers}`,
  ];
}

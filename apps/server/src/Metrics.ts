import { monitorEventLoopDelay } from "node:perf_hooks";
import { Context, Effect, Layer } from "effect";
import { AnswerTurns } from "./limits/AnswerTurns.ts";
import { family } from "./metrics/family.ts";
import { Histogram } from "./metrics/Histogram.ts";
import { LoopHolds } from "./metrics/LoopHolds.ts";
import { networkMetrics } from "./metrics/networkMetrics.ts";
import { ServingCounts, sumOfCounts } from "./metrics/ServingCounts.ts";
import { StreamMetrics } from "./metrics/StreamMetrics.ts";
import type { Network } from "./networks/Network.ts";
import { Networks } from "./networks/Networks.ts";

/** Connections open now, and connections refused so far. */
interface ConnectionCounts {
  open: number;
  refused: number;
}

/** The service's own metrics, in the text format of Prometheus. */
export class Metrics extends Context.Service<
  Metrics,
  {
    /** Counts an answer; `route` is a pattern of the interface, never a client's text. */
    readonly answered: (method: string, route: string, status: number) => void;
    /** Counts an answer to GET /tokens/:address. */
    readonly tokenAnswered: (status: number) => void;
    /** Counts an answer to a quote, with the time it took. */
    readonly quoteAnswered: (status: number, durationMs: number) => void;
    /** Counts an answer to a quote that worker threads searched or that waited for its turn. */
    readonly heavyQuoteAnswered: (status: number, durationMs: number) => void;
    /** Counts an answer to a swap or a permit; the time includes waiting for nodes. */
    readonly swapAnswered: (path: "swap" | "permit", status: number, durationMs: number) => void;
    /** Counts a request that was refused because there was too much to do. */
    readonly shed: () => void;
    /** Connections, HTTP and WebSockets together. */
    readonly connections: ConnectionCounts;
    /** Counts of the other serving threads; `render` includes those that are added here. */
    readonly threads: ServingCounts[];
    /** Other serving threads that run now, and those that ended unasked. */
    readonly serving: { count: number; lost: number };
    /** Counts of the streams. */
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
      const holds = yield* Effect.acquireRelease(
        Effect.sync(() => new LoopHolds()),
        (each) => Effect.sync(() => each.close()),
      );
      return make(all, turns, delay, holds);
    }),
  );
}

function make(
  networks: ReadonlyArray<Network>,
  turns: AnswerTurns["Service"],
  eventLoopDelay: ReturnType<typeof monitorEventLoopDelay>,
  holds: LoopHolds,
): Metrics["Service"] {
  // Key: method and route. Quotes and tokens are too frequent for a lookup.
  const answers = new Map<string, AnswerCounts>();
  const countsOf = (method: string, route: string): AnswerCounts => {
    const labels = labelsOf(method, route);
    const known = answers.get(labels);
    if (known !== undefined) return known;
    const counts: AnswerCounts = new Float64Array(600);
    answers.set(labels, counts);
    return counts;
  };
  const own = new ServingCounts();
  const { heavyQuotes, quoteAnswers, quotes, tokenAnswers } = own;
  answers.set(labelsOf("POST", "/:network/quote"), quoteAnswers);
  answers.set(labelsOf("GET", "/tokens/:address"), tokenAnswers);
  const threads: ServingCounts[] = [];
  const serving = { count: 0, lost: 0 };
  const connections = { open: 0, refused: 0 };
  const streams = new StreamMetrics();
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
    threads,
    serving,
    streams,
    swapAnswered: (path, status, durationMs) => {
      answered("POST", `/:network/${path}`, status);
      swaps.observe(durationMs);
    },
    shed: () => {
      own.add("shed", 1);
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
      for (const [labels, counts] of answers) {
        const others = threads.flatMap((thread) =>
          counts === quoteAnswers
            ? [thread.quoteAnswers]
            : counts === tokenAnswers
              ? [thread.tokenAnswers]
              : [],
        );
        lines.push(...countLines(labels, counts, others));
      }
      const all = [own, ...threads];
      const isLate = turns.isLate || threads.some((thread) => thread.get("late") > 0);
      lines.push(
        ...family("millrace_requests_shed_total", "counter", "Requests refused under overload."),
        `millrace_requests_shed_total ${sumOfCounts(all, "shed")}`,
        ...family("millrace_requests_waiting", "gauge", "Requests that wait for their turn."),
        `millrace_requests_waiting ${turns.length + sumOfCounts(threads, "waiting")}`,
        ...family("millrace_overloaded", "gauge", "1 while requests are refused."),
        `millrace_overloaded ${isLate ? 1 : 0}`,
      );
      lines.push(
        ...family("millrace_connections", "gauge", "Open connections, WebSockets included."),
        `millrace_connections ${connections.open + sumOfCounts(threads, "open")}`,
        ...family("millrace_connections_refused_total", "counter", "Connections closed at once."),
        `millrace_connections_refused_total ${connections.refused + sumOfCounts(threads, "refused")}`,
      );
      lines.push(
        ...quotes.lines(threads.map((thread) => thread.quotes)),
        ...heavyQuotes.lines(threads.map((thread) => thread.heavyQuotes)),
        ...swaps.lines(),
      );
      lines.push(...streams.lines());
      lines.push(...networkMetrics(networks, nowMs));
      lines.push(...processGauges(eventLoopDelay), ...holds.lines());
      lines.push(...servingLines(serving, threads));
      return `${lines.join("\n")}\n`;
    },
  });
}

/** Answers of a method and a route; index: status. */
type AnswerCounts = Float64Array;

const labelsOf = (method: string, route: string): string => `method="${method}",route="${route}"`;

function countLines(
  labels: string,
  counts: AnswerCounts,
  others: ReadonlyArray<AnswerCounts>,
): string[] {
  const lines: string[] = [];
  for (let status = 0; status < counts.length; status++) {
    let count = counts[status]!;
    for (const other of others) count += other[status]!;
    if (count > 0) lines.push(`millrace_requests_total{${labels},status="${status}"} ${count}`);
  }
  return lines;
}

/** Metrics of the serving threads beside this one; there are none where this one serves alone. */
function servingLines(
  { count, lost }: Metrics["Service"]["serving"],
  threads: ReadonlyArray<ServingCounts>,
): string[] {
  const hold = "millrace_serving_thread_hold_seconds_max";
  return [
    ...family("millrace_serving_threads", "gauge", "Threads that serve beside the main one."),
    `millrace_serving_threads ${count}`,
    ...family("millrace_serving_threads_lost_total", "counter", "Those that ended unasked."),
    `millrace_serving_threads_lost_total ${lost}`,
    ...family(
      "millrace_serving_reads_torn_total",
      "counter",
      "Quotes of theirs that began anew, since a block came meanwhile.",
    ),
    `millrace_serving_reads_torn_total ${sumOfCounts(threads, "torn")}`,
    ...family(hold, "gauge", "Longest hold of each one's event loop in the last minute."),
    ...threads.map((thread, at) => `${hold}{thread="${at + 1}"} ${thread.get("holdMs") / 1_000}`),
  ];
}

function processGauges(delay: ReturnType<typeof monitorEventLoopDelay>): string[] {
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
  return [
    ...family("millrace_event_loop_delay_seconds", "summary", "Delay of the event loop."),
    `millrace_event_loop_delay_seconds{quantile="0.5"} ${seconds(delay.percentile(50))}`,
    `millrace_event_loop_delay_seconds{quantile="0.99"} ${seconds(delay.percentile(99))}`,
    `millrace_event_loop_delay_seconds{quantile="1"} ${seconds(delay.max)}`,
    `millrace_event_loop_delay_seconds_sum ${seconds(delay.mean * delay.count)}`,
    `millrace_event_loop_delay_seconds_count ${delay.count}`,
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

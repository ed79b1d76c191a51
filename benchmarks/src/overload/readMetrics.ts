import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";

/** Metrics that a service reports of itself. */
interface ServiceMetrics {
  readonly residentBytes: number;
  /** The p99 since the service started; includes the 10 ms between two samples. */
  readonly eventLoopSeconds: number;
}

export const readMetrics = (url: string): Effect.Effect<ServiceMetrics, BenchmarkError> =>
  Effect.flatMap(metricsText(url), (text) => {
    const lines = text.split("\n");
    const valueOf = (name: string) => {
      const line = lines.find((each) => each.startsWith(`${name} `));
      return line === undefined ? Number.NaN : Number(line.slice(name.length));
    };
    const metrics = {
      residentBytes: valueOf("process_resident_memory_bytes"),
      eventLoopSeconds: valueOf('millrace_event_loop_delay_seconds{quantile="0.99"}'),
    };
    if (Object.values(metrics).every(Number.isFinite)) return Effect.succeed(metrics);
    return Effect.fail(new BenchmarkError({ message: `metrics are missing:\n${text}` }));
  });

/** The longest hold of the event loop in the last minute by each cause, in seconds. */
export const readHolds = (
  url: string,
): Effect.Effect<ReadonlyMap<string, number>, BenchmarkError> =>
  Effect.map(metricsText(url), (text) => {
    const samples = text.matchAll(
      /^millrace_event_loop_hold_seconds_max\{cause="(\w+)"\} (\S+)$/gm,
    );
    return new Map(Array.from(samples, ([, cause, seconds]) => [cause!, Number(seconds)]));
  });

/** A metric without labels, by its name. */
export const readGauge = (url: string, name: string): Effect.Effect<number, BenchmarkError> =>
  Effect.flatMap(metricsText(url), (text) => {
    const line = text.split("\n").find((each) => each.startsWith(`${name} `));
    if (line !== undefined) return Effect.succeed(Number(line.slice(name.length)));
    return Effect.fail(new BenchmarkError({ message: `no metric ${name}` }));
  });

const metricsText = (url: string): Effect.Effect<string, BenchmarkError> =>
  Effect.tryPromise({
    try: async () => (await fetch(`${url}/metrics`)).text(),
    catch: (cause) => new BenchmarkError({ message: String(cause) }),
  });

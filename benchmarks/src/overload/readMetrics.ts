import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";

/** What a service reports of itself. */
interface ServiceMetrics {
  readonly residentBytes: number;
  /** The p99 since it began, the 10 ms between two looks included. */
  readonly eventLoopSeconds: number;
}

export const readMetrics = (url: string): Effect.Effect<ServiceMetrics, BenchmarkError> =>
  Effect.tryPromise({
    try: async () => {
      const lines = (await (await fetch(`${url}/metrics`)).text()).split("\n");
      const valueOf = (name: string) => {
        const line = lines.find((each) => each.startsWith(`${name} `));
        if (line === undefined) throw new Error(`no metric ${name}`);
        return Number(line.slice(name.length));
      };
      return {
        residentBytes: valueOf("process_resident_memory_bytes"),
        eventLoopSeconds: valueOf('millrace_event_loop_delay_seconds{quantile="0.99"}'),
      };
    },
    catch: (cause) => new BenchmarkError({ message: String(cause) }),
  });

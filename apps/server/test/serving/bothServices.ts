import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll } from "vitest";
import { configOf, type Service, startService, UNIVERSE_A } from "../kit/service.ts";

/** Two services of equal markets: the main thread serves one, two other threads the other. */
export interface BothServices {
  readonly one: Service;
  readonly two: Service;
  /** The serving threads of `two`, in order of their start. */
  readonly workers: ReadonlyArray<Worker>;
}

/** On the recorded market, from before the tests of a file until after them. */
export function bothServices(environment: Record<string, string> = {}): BothServices {
  const started: Service[] = [];
  const workers: Worker[] = [];
  const note = (worker: Worker): void => {
    workers.push(worker);
  };
  beforeAll(async () => {
    const shipped = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A, ...environment });
    const config = { ...shipped, streams: { ...shipped.streams, connectionsPerAddress: 100 } };
    started.push(await startService({ ...config, servingThreads: 1 }));
    process.on("worker", note);
    // The test ends one of its threads, which the service would log.
    started.push(await startService({ ...config, logLevel: "none", servingThreads: 2 }));
  });
  afterAll(async () => {
    process.off("worker", note);
    await Promise.all(started.map((service) => service.stop()));
  });
  const at = (index: number): Service => {
    const service = started[index];
    if (service === undefined) throw new Error("services start before the tests, not here");
    return service;
  };
  return {
    workers,
    get one() {
      return at(0);
    },
    get two() {
      return at(1);
    },
  };
}

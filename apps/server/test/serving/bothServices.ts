import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll } from "vitest";
import { configOf, type Service, startService, UNIVERSE_A } from "../kit/service.ts";

/** A service whose main thread serves, and one that two other threads serve, of equal markets. */
export interface BothServices {
  readonly one: Service;
  readonly two: Service;
  /** The threads of the latter, as they come. */
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
    // The test ends one of its threads, which it says in its log.
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

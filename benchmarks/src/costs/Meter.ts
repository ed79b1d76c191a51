import { median } from "../statistics.ts";
import type { Asker } from "./Asker.ts";

/** The cost of one request. */
export interface Taken {
  readonly cpuUs: number;
  /** In units of a client's budget. */
  readonly units: number;
}

/** Reads the CPU time and the remaining budget that the service itself reports. */
export class Meter {
  readonly #asker: Asker;

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  /** The cost of one request, from a batch of `count`. */
  async measure(count: number, batch: () => Promise<void>): Promise<Taken> {
    const nothing = await this.#during(async () => {});
    const all = await this.#during(batch);
    return {
      cpuUs: (all.cpuUs - nothing.cpuUs) / count,
      units: Math.max(0, all.units - nothing.units) / count,
    };
  }

  async #during(batch: () => Promise<void>): Promise<Taken> {
    const units = await this.#unitsLeft();
    const cpuUs = await this.#cpuUs();
    await batch();
    const after = await this.#cpuUs();
    return { cpuUs: after - cpuUs, units: units - (await this.#unitsLeft()) };
  }

  async #unitsLeft(): Promise<number> {
    const { headers } = await this.#asker.ask({ path: "/networks" });
    return Number(/r=(\d+)/.exec(String(headers["ratelimit"]))?.[1]);
  }

  async #cpuUs(): Promise<number> {
    const text = await this.#asker.textOf("/metrics");
    return 1e6 * Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
  }
}

/** The medians of rounds. */
export const typicalOf = (rounds: ReadonlyArray<Taken>): Taken => ({
  cpuUs: median(rounds.map(({ cpuUs }) => cpuUs)),
  units: median(rounds.map(({ units }) => units)),
});

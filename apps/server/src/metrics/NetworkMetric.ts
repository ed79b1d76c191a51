import type { Network } from "../networks/Network.ts";

/** The current value of a metric, for one set of labels. */
export interface NetworkSample {
  readonly labels?: string;
  readonly value: number | undefined;
}

/** A metric of each network. */
export interface NetworkMetric {
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly read: (network: Network, nowMs: number) => ReadonlyArray<NetworkSample>;
}

import type { PresetId } from "@millrace/networks";

/** The origin of the market: one of these. */
export type MarketOrigin =
  /** A real chain with a preset, followed over JSON-RPC: URLs of http(s), and of ws(s). */
  | { readonly network: PresetId; readonly rpcUrls: ReadonlyArray<string> }
  /** A recorded market; `network` names the chain, by default Ethereum. */
  | { readonly marketFile: string; readonly network?: PresetId }
  /**
   * The market of the past as a block left it, to be stepped forwards: from a file in which a
   * service keeps its history, with states. `network` names the chain, unless `chainId` does.
   */
  | { readonly asOf: AsOfBlock; readonly network?: PresetId }
  /** An embedded chain with real contracts and traffic: needs `@millrace/devnet`. */
  | { readonly devnet: "ETH" | "BASE" }
  /** A network in the form of the service's configuration: see docs/configuration.md. */
  | { readonly config: Readonly<Record<string, unknown>> };

export interface AsOfBlock {
  readonly file: string;
  readonly block: number;
  /** Needed for a chain without a preset. */
  readonly chainId?: number;
}

export type OpenOptions = MarketOrigin & {
  /**
   * Time until the market must be ready; default a minute. A large chain's first reading takes
   * longer.
   */
  readonly timeoutMs?: number;
  /** Aborts opening. */
  readonly signal?: AbortSignal;
  /** Receives log entries; without it nobody does. */
  readonly log?: (entry: LogEntry) => void;
  /** Where a chain's snapshots are kept, so that the next start takes seconds; default none. */
  readonly dataDirectory?: string;
  /** Threads for quotes that take milliseconds; default none. */
  readonly searchWorkers?: number;
};

export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly timeMs: number;
  readonly details: Readonly<Record<string, unknown>>;
}

import type { PresetId } from "@millrace/networks";

/** Where the market comes from: one of these. */
export type MarketOrigin =
  /** A real chain whose preset ships, followed over JSON-RPC: URLs of http(s), and of ws(s). */
  | { readonly network: PresetId; readonly rpcUrls: ReadonlyArray<string> }
  /** A recorded market; `network` says of which chain, Ethereum where nothing is said. */
  | { readonly marketFile: string; readonly network?: PresetId }
  /**
   * The market of the past as a block left it, to be stepped forwards: of a file in which a service
   * keeps its history, with states. `network` says of which chain, where `chainId` does not.
   */
  | { readonly asOf: AsOfBlock; readonly network?: PresetId }
  /** An embedded chain with real contracts and traffic: needs `@millrace/devnet`. */
  | { readonly devnet: "ETH" | "BASE" }
  /** A network as the service is configured with it: see docs/configuration.md. */
  | { readonly config: Readonly<Record<string, unknown>> };

export interface AsOfBlock {
  readonly file: string;
  readonly block: number;
  /** Needed for a chain without a preset. */
  readonly chainId?: number;
}

export type OpenOptions = MarketOrigin & {
  /** In which the market has to be ready: a minute. A large chain's first reading takes longer. */
  readonly timeoutMs?: number;
  /** Gives up opening. */
  readonly signal?: AbortSignal;
  /** Hears of what happens; without it nobody does. */
  readonly log?: (entry: LogEntry) => void;
  /** Where a chain's snapshots are kept, for the next start to take seconds; none without it. */
  readonly dataDirectory?: string;
  /** Threads for quotes that take milliseconds; none without it. */
  readonly searchWorkers?: number;
};

export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly timeMs: number;
  readonly details: Readonly<Record<string, unknown>>;
}

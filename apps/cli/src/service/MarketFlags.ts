/** The market of a command: flags that all commands have. Empty where not given. */
export interface MarketFlags {
  /** A service to ask. */
  readonly url: string;
  /**
   * A recorded market, a devnet, nodes of a chain, or a configuration, for an engine of one's own.
   */
  readonly marketFile: string;
  readonly devnet: "" | "ETH" | "BASE";
  /** URLs, separated by commas. */
  readonly rpcUrl: string;
  readonly config: string;
  /** An id or a chain id; by default the primary network. */
  readonly network: string;
  readonly json: boolean;
}

const OWN = { marketFile: "market-file", devnet: "devnet", rpcUrl: "rpc-url", config: "config" };

/** The given flags that name the source of a market of one's own, as written. */
export const ownMarketFlags = (flags: MarketFlags): string[] =>
  Object.entries(OWN)
    .filter(([field]) => flags[field as keyof typeof OWN] !== "")
    .map(([, name]) => `--${name}`);

/** Which market a command is about; flags that all commands have. Empty where nothing is said. */
export interface MarketFlags {
  /** A service to ask. */
  readonly url: string;
  /** A recorded market, a devnet, nodes of a chain, a configuration: of them an engine opens. */
  readonly marketFile: string;
  readonly devnet: "" | "ETH" | "BASE";
  /** URLs, separated by commas. */
  readonly rpcUrl: string;
  readonly config: string;
  /** An id or a chain id; else the primary network. */
  readonly network: string;
  readonly json: boolean;
}

const OWN = { marketFile: "market-file", devnet: "devnet", rpcUrl: "rpc-url", config: "config" };

/** Flags that say where a market of one's own comes from, as they were written. */
export const ownMarketFlags = (flags: MarketFlags): string[] =>
  Object.entries(OWN)
    .filter(([field]) => flags[field as keyof typeof OWN] !== "")
    .map(([, name]) => `--${name}`);

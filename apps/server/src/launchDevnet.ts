import { Effect, Exit, Logger, Scope } from "effect";
import { DEFAULT_NETWORKS } from "./config/defaults.ts";
import { type DevnetTerms, startNetwork } from "./networks/openDevnet.ts";

/** A devnet that runs until it is closed, and what its users need. */
export interface LaunchedDevnet {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly webSocketUrl: string;
  /** Funded accounts, with approvals for the routers. The node signs for them as well. */
  readonly accounts: ReadonlyArray<{ readonly address: string; readonly privateKey: string }>;
  /** The plain tokens. */
  readonly tokens: ReadonlyArray<{
    readonly address: string;
    readonly symbol: string;
    readonly name: string;
    readonly decimals: number;
  }>;
  /** A complete configuration file for a service that follows the devnet. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly close: () => Promise<void>;
}

/** Starts a devnet, in plain promises. Rejects with an Error that says why not. */
export async function launchDevnet(
  terms: DevnetTerms,
  signal?: AbortSignal,
): Promise<LaunchedDevnet> {
  const scope = Scope.makeUnsafe();
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void));
  try {
    const { network, devnet } = await Effect.runPromise(
      startNetwork(terms).pipe(Scope.provide(scope), Effect.provide(Logger.layer([]))),
      signal && { signal },
    );
    const { chainId, rpcUrl, webSocketUrl, traders, tokens } = devnet;
    const { source: _, ...known } = DEFAULT_NETWORKS.find(({ id }) => id === terms.market)!;
    // Where nothing happens by itself, no block is too old.
    const headAgeLimitMs = terms.trafficEveryMs === undefined ? { headAgeLimitMs: null } : {};
    return {
      ...{ chainId, rpcUrl, webSocketUrl, tokens, close },
      accounts: traders.map(({ address, privateKey }) => ({ address, privateKey })),
      configuration: { networks: [{ ...known, ...headAgeLimitMs, ...network }] },
    };
  } catch (cause) {
    await close();
    const { detail } = Object(cause) as { readonly detail?: unknown };
    throw typeof detail === "string" ? new Error(detail, { cause }) : cause;
  }
}

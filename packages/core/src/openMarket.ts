import { PoolGraph } from "./graph/PoolGraph.ts";
import { PoolGraphWriter } from "./graph/PoolGraphWriter.ts";
import { decodeSnapshot, encodeSnapshot } from "./graph/snapshot.ts";
import type { PoolFamily, Protocol } from "./Protocol.ts";
import { Router } from "./search/Router.ts";

/** A graph with all that works on it: the engine without Effect. */
export interface OpenMarket {
  readonly graph: PoolGraph;
  readonly protocols: ReadonlyArray<Protocol>;
  readonly options: Required<MarketOptions>;
  /** By protocol index, as `graph.poolProtocol` has it. */
  readonly families: ReadonlyArray<PoolFamily>;
  readonly writer: PoolGraphWriter;
  readonly router: Router;
  /** The whole market as bytes, in canonical form; see `openSnapshot`. */
  readonly snapshot: () => Uint8Array;
}

export interface MarketOptions {
  /** Gas that one transaction may use, which no route exceeds; Infinity for no limit. */
  readonly gasLimit?: number;
}

/** The most that Ethereum lets one transaction use (EIP-7825). */
export const GAS_LIMIT_DEFAULT = 16_777_216;
/** What a transaction spends beside the swaps of its route: its own base, calldata, a router. */
export const TRANSACTION_GAS = 100_000;

/** An empty market of one chain for the given families. Throws when a family is given twice. */
export function openMarket(
  chainId: number,
  protocols: ReadonlyArray<Protocol>,
  options: MarketOptions = {},
): OpenMarket {
  const names = protocols.map(({ name }) => name);
  if (new Set(names).size !== names.length) throw new RangeError(`a protocol twice: ${names}`);
  return open(new PoolGraph(chainId, names), protocols, options);
}

/**
 * The market of a snapshot. Throws SnapshotError when the bytes are not exactly those that were
 * written, or need a family that is not given.
 */
export function openSnapshot(
  bytes: Uint8Array,
  protocols: ReadonlyArray<Protocol>,
  options: MarketOptions = {},
): OpenMarket {
  return open(decodeSnapshot(bytes, protocols), protocols, options);
}

/** What reads a graph: its families, opened on it, and the search. */
export function openSearch(
  graph: PoolGraph,
  protocols: ReadonlyArray<Protocol>,
  gasLimit: number,
): Pick<OpenMarket, "families" | "router"> {
  const families = protocols.map((protocol) => protocol.open(graph));
  const swapsGasLimit = gasLimit - TRANSACTION_GAS;
  const router = new Router(graph, protocols, families, { gasLimit: swapsGasLimit });
  return { families, router };
}

function open(
  graph: PoolGraph,
  protocols: ReadonlyArray<Protocol>,
  { gasLimit = GAS_LIMIT_DEFAULT }: MarketOptions,
): OpenMarket {
  const search = openSearch(graph, protocols, gasLimit);
  return {
    graph,
    protocols,
    options: { gasLimit },
    ...search,
    writer: new PoolGraphWriter(graph, protocols, search.families),
    snapshot: () =>
      encodeSnapshot(graph, (pool) => protocols[graph.poolProtocol[pool]!]!.stateWords),
  };
}

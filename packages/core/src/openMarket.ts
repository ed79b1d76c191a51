import type { Curve, PoolFamily } from "./Curve.ts";
import { PoolGraph } from "./graph/PoolGraph.ts";
import { PoolGraphWriter } from "./graph/PoolGraphWriter.ts";
import { decodeSnapshot, encodeSnapshot } from "./graph/snapshot.ts";
import { Router } from "./search/Router.ts";

/** A graph with everything that reads it. */
export interface ReadMarket {
  readonly graph: PoolGraph;
  readonly curves: ReadonlyArray<Curve>;
  readonly options: Required<MarketOptions>;
  /** By curve index, as in `graph.poolCurve`. */
  readonly families: ReadonlyArray<PoolFamily>;
  readonly router: Router;
}

/** A graph with everything that works on it: the engine without Effect. */
export interface OpenMarket extends ReadMarket {
  readonly writer: PoolGraphWriter;
  /** The whole market as bytes, in canonical form; see `openSnapshot`. */
  readonly snapshot: () => Uint8Array;
}

export interface MarketOptions {
  /** Gas limit of one transaction, which no route exceeds; Infinity for no limit. */
  readonly gasLimit?: number;
}

/** Ethereum's gas limit of one transaction (EIP-7825). */
export const GAS_LIMIT_DEFAULT = 16_777_216;
/** Gas of a transaction besides the swaps of its route: its base, calldata, a router. */
export const TRANSACTION_GAS = 100_000;

/**
 * An empty market of one chain with the given curves. Throws a RangeError when a curve is given
 * twice.
 */
export function openMarket(
  chainId: number,
  curves: ReadonlyArray<Curve>,
  options: MarketOptions = {},
): OpenMarket {
  const names = curves.map(({ name }) => name);
  if (new Set(names).size !== names.length) throw new RangeError(`a curve twice: ${names}`);
  return open(new PoolGraph(chainId, names), curves, options);
}

/**
 * The market of a snapshot. Throws SnapshotError when the bytes are not exactly those that were
 * written, or need a curve that is not given.
 */
export function openSnapshot(
  bytes: Uint8Array,
  curves: ReadonlyArray<Curve>,
  options: MarketOptions = {},
): OpenMarket {
  return open(decodeSnapshot(bytes, curves), curves, options);
}

/** The readers of a graph: its families, opened on it, and the search. */
export function openSearch(
  graph: PoolGraph,
  curves: ReadonlyArray<Curve>,
  gasLimit: number,
): Pick<OpenMarket, "families" | "router"> {
  const families = curves.map((curve) => curve.open(graph));
  const swapsGasLimit = gasLimit - TRANSACTION_GAS;
  const router = new Router(graph, curves, families, { gasLimit: swapsGasLimit });
  return { families, router };
}

function open(
  graph: PoolGraph,
  curves: ReadonlyArray<Curve>,
  { gasLimit = GAS_LIMIT_DEFAULT }: MarketOptions,
): OpenMarket {
  const search = openSearch(graph, curves, gasLimit);
  return {
    graph,
    curves,
    options: { gasLimit },
    ...search,
    writer: new PoolGraphWriter(graph, curves, search.families),
    snapshot: () => encodeSnapshot(graph, curves),
  };
}

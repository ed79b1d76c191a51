import { PoolGraph } from "./graph/PoolGraph.ts";
import { PoolGraphWriter } from "./graph/PoolGraphWriter.ts";
import type { PoolFamily, Protocol } from "./Protocol.ts";
import { Router } from "./search/Router.ts";

/** A graph with all that works on it: the engine without Effect. */
export interface OpenMarket {
  readonly graph: PoolGraph;
  /** By protocol index, as `graph.poolProtocol` has it. */
  readonly families: ReadonlyArray<PoolFamily>;
  readonly writer: PoolGraphWriter;
  readonly router: Router;
}

/** An empty market of one chain for the given families. Throws when a family is given twice. */
export function openMarket(chainId: number, protocols: ReadonlyArray<Protocol>): OpenMarket {
  const names = protocols.map(({ name }) => name);
  if (new Set(names).size !== names.length) throw new RangeError(`a protocol twice: ${names}`);
  const graph = new PoolGraph(chainId, names);
  const families = protocols.map((protocol) => protocol.open(graph));
  const writer = new PoolGraphWriter(graph, protocols, families);
  return { graph, families, writer, router: new Router(graph, families) };
}

import type { QuoteStepJson } from "@millrace/api";

/** A token at one place of a route, `layer` pools after the start. */
export interface FlowNode {
  readonly layer: number;
  /** Undefined for a lane, which passes a layer without a token. */
  readonly token: string | undefined;
  /** Unique within a layer. */
  readonly name: string;
  /** The part of the whole input that passes the node. */
  readonly share: number;
}

/** The flow through one pool between two nodes, or along a lane. */
export interface FlowEdge {
  /** Unique within the route. */
  readonly key: string;
  readonly from: FlowNode;
  readonly to: FlowNode;
  /** Undefined along a lane, except for its first part. */
  readonly pool: FlowPool | undefined;
  readonly share: number;
}

/** A pool at one place of a route, with all that goes through it there. */
export interface FlowPool {
  readonly id: string;
  readonly dexId: string;
  readonly feePips: number;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly tokenIn: string;
  readonly tokenOut: string;
}

/** A route as layers of tokens, each of which the whole input passes. */
export interface RouteFlow {
  readonly layers: ReadonlyArray<ReadonlyArray<FlowNode>>;
  readonly edges: ReadonlyArray<FlowEdge>;
}

interface MutableNode {
  readonly layer: number;
  readonly token: string | undefined;
  readonly name: string;
  share: number;
}

interface MutableEdge {
  readonly key: string;
  readonly from: MutableNode;
  readonly to: MutableNode;
  pool: FlowPool | undefined;
  share: number;
}

/** Paths of a route: steps one after the other; see `SwapQuote.routePlan`. */
export function pathsOf(
  routePlan: ReadonlyArray<QuoteStepJson>,
): ReadonlyArray<ReadonlyArray<QuoteStepJson>> {
  const paths: QuoteStepJson[][] = [];
  for (const step of routePlan) {
    if (step.tokenA === routePlan[0]!.tokenA) paths.push([]);
    paths.at(-1)!.push(step);
  }
  return paths;
}

/**
 * The flow of a route. A path's input passes all of its pools, so the path is everywhere as wide as
 * its part of the input. A pool that several paths pass at one place is drawn once. The flow is
 * empty for a route without steps, which only wraps.
 */
export function routeFlow(routePlan: ReadonlyArray<QuoteStepJson>): RouteFlow {
  const paths = pathsOf(routePlan);
  const last = Math.max(0, ...paths.map((path) => path.length));
  const total = Number(paths.reduce((sum, [first]) => sum + BigInt(first!.amountIn), 0n));
  const nodes = new Map<string, MutableNode>();
  const edges = new Map<string, MutableEdge>();
  const layers: MutableNode[][] = Array.from(
    { length: paths.length === 0 ? 0 : last + 1 },
    () => [],
  );
  const pass = (layer: number, token: string | undefined, lane: string, share: number) => {
    const name = token ?? lane;
    const key = `${layer} ${name}`;
    let node = nodes.get(key);
    if (node === undefined) {
      node = { layer, token, name, share: 0 };
      nodes.set(key, node);
      layers[layer]!.push(node);
    }
    node.share += share;
    return node;
  };
  for (const path of paths) {
    const share = Number(path[0]!.amountIn) / total;
    let from = pass(0, path[0]!.tokenA, "", share);
    for (const [hop, step] of path.entries()) {
      const id = step.poolId ?? step.poolAddress;
      // A path of fewer pools reaches the end by lanes past the other paths' tokens.
      const end = hop === path.length - 1 ? last : hop + 1;
      for (let layer = hop + 1; layer <= end; layer++) {
        const lane = `${id} from ${step.tokenA}`;
        const to = pass(layer, layer === end ? step.tokenB : undefined, lane, share);
        // One path may pass a pool at a place where another path is in the pool's lane.
        const key = `${from.layer} ${from.name} ${to.name} ${id}`;
        const edge = edges.get(key) ?? { key, from, to, pool: undefined, share: 0 };
        edges.set(key, edge);
        edge.share += share;
        if (layer === hop + 1) edge.pool = joined(edge.pool, id, step);
        from = to;
      }
    }
  }
  return { layers, edges: [...edges.values()] };
}

function joined(before: FlowPool | undefined, id: string, step: QuoteStepJson): FlowPool {
  return {
    ...{ id, dexId: step.dexId, feePips: step.fee, tokenIn: step.tokenA, tokenOut: step.tokenB },
    amountIn: (before?.amountIn ?? 0n) + BigInt(step.amountIn),
    amountOut: (before?.amountOut ?? 0n) + BigInt(step.amountOut),
  };
}

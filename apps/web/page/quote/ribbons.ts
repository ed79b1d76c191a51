import type { FlowEdge, FlowNode, RouteFlow } from "./routeFlow.ts";

/** Pixels of a drawing. */
interface Placed {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

interface Ribbon {
  readonly edge: FlowEdge;
  /** The outline, as `d` of an SVG path. */
  readonly outline: string;
  readonly thickness: number;
  /** Where a label may stand. */
  readonly middle: { readonly x: number; readonly y: number };
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<FlowNode, Placed>;
  readonly ribbons: ReadonlyArray<Ribbon>;
}

export const NODE_WIDTH = 10;
/** Space between two nodes of a layer, for a label. */
const GAP = 22;
const MARGIN = 16;
const EDGE_HEIGHT = 9;
const HEIGHT_MIN = 120;
const HEIGHT_MAX = 900;
/** Sweeps that move connected nodes closer. */
const SWEEPS = 4;

/**
 * Places the nodes of a flow in columns, and its edges as ribbons, each as thick as its part of the
 * input. All parts have the same scale, so the ribbons of one layer add up to the whole. Lanes have
 * places of their own, so no ribbon crosses a foreign node.
 */
export function drawRibbons({ layers, edges }: RouteFlow, width: number): Drawing {
  const crowd = Math.max(...layers.map((_, layer) => edgesFrom(edges, layer)), 1);
  const flowHeight = Math.min(Math.max(crowd * EDGE_HEIGHT, HEIGHT_MIN), HEIGHT_MAX);
  const gaps = Math.max(...layers.map((layer) => layer.length - 1), 0) * GAP;
  const height = flowHeight + gaps + 2 * MARGIN;
  const ordered = orderedLayers(layers, edges);
  const step = layers.length < 2 ? 0 : (width - NODE_WIDTH) / (layers.length - 1);
  const nodes = new Map<FlowNode, Placed>();
  for (const [at, layer] of ordered.entries()) {
    let y = MARGIN + (gaps - (layer.length - 1) * GAP) / 2;
    for (const node of layer) {
      const placed = { x: at * step, y, height: node.share * flowHeight };
      nodes.set(node, placed);
      y += placed.height + GAP;
    }
  }
  return { width, height, nodes, ribbons: ribbonsOf(edges, nodes, flowHeight) };
}

const edgesFrom = (edges: ReadonlyArray<FlowEdge>, layer: number): number =>
  edges.filter(({ from }) => from.layer === layer).length;

/** Orders the nodes of each layer by the mean place of their neighbours (barycentres). */
function orderedLayers(
  layers: RouteFlow["layers"],
  edges: ReadonlyArray<FlowEdge>,
): ReadonlyArray<ReadonlyArray<FlowNode>> {
  const ordered = layers.map((layer) => [...layer]);
  const [into, outOf] = [edgesBy(edges, "to"), edgesBy(edges, "from")];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForward = sweep % 2 === 0;
    for (let step = 1; step < ordered.length; step++) {
      const at = isForward ? step : ordered.length - 1 - step;
      const fixed = ordered[isForward ? at - 1 : at + 1]!;
      const places = new Map(fixed.map((node, place) => [node, place]));
      const centres = new Map<FlowNode, number>();
      for (const node of ordered[at]!) {
        let sum = 0;
        let weight = 0;
        for (const { from, to, share } of (isForward ? into : outOf).get(node) ?? []) {
          sum += places.get(isForward ? from : to)! * share;
          weight += share;
        }
        centres.set(node, weight > 0 ? sum / weight : 0);
      }
      ordered[at]!.sort((one, other) => centres.get(one)! - centres.get(other)!);
    }
  }
  return ordered;
}

function edgesBy(
  edges: ReadonlyArray<FlowEdge>,
  side: "from" | "to",
): ReadonlyMap<FlowNode, ReadonlyArray<FlowEdge>> {
  const found = new Map<FlowNode, FlowEdge[]>();
  for (const edge of edges) {
    const others = found.get(edge[side]);
    if (others === undefined) found.set(edge[side], [edge]);
    else others.push(edge);
  }
  return found;
}

function ribbonsOf(
  edges: ReadonlyArray<FlowEdge>,
  nodes: ReadonlyMap<FlowNode, Placed>,
  flowHeight: number,
): Ribbon[] {
  // Ribbons at a node are ordered by the places of their other ends.
  const starts = new Map<FlowEdge, number>();
  const ends = new Map<FlowEdge, number>();
  for (const [side, far, tops] of [
    ["from", "to", starts],
    ["to", "from", ends],
  ] as const) {
    const sorted = [...edges].sort((a, b) => nodes.get(a[far])!.y - nodes.get(b[far])!.y);
    const used = new Map<FlowNode, number>();
    for (const edge of sorted) {
      const before = used.get(edge[side]) ?? 0;
      tops.set(edge, nodes.get(edge[side])!.y + before);
      used.set(edge[side], before + edge.share * flowHeight);
    }
  }
  return edges.map((edge) => {
    const thickness = edge.share * flowHeight;
    // A lane has no node to draw, so its ribbons meet.
    const passed = edge.to.token === undefined ? NODE_WIDTH : 0;
    const [x0, x1] = [nodes.get(edge.from)!.x + NODE_WIDTH, nodes.get(edge.to)!.x + passed];
    const [y0, y1] = [starts.get(edge)!, ends.get(edge)!];
    const middle = { x: (x0 + x1) / 2, y: (y0 + y1 + thickness) / 2 };
    return { edge, outline: outlineOf(x0, y0, x1, y1, thickness), thickness, middle };
  });
}

function outlineOf(x0: number, y0: number, x1: number, y1: number, thickness: number): string {
  const middle = (x0 + x1) / 2;
  const [a, b, c, d] = [y0, y1, y1 + thickness, y0 + thickness].map((y) => y.toFixed(2));
  return (
    `M${x0} ${a}C${middle} ${a} ${middle} ${b} ${x1} ${b}` +
    `V${c}C${middle} ${c} ${middle} ${d} ${x0} ${d}Z`
  );
}

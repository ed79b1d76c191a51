import type { SwapQuote } from "@millrace/api";
import { useMemo, useRef, useState } from "preact/hooks";
import { amountText, feeText, shareText } from "../format.ts";
import { goTo, pathTo } from "../location.ts";
import { useNetwork } from "../networks.ts";
import { useWidth } from "../parts/useWidth.ts";
import { safeName } from "../safeName.ts";
import type { KnownToken } from "../tokens.ts";
import { drawRibbons, NODE_WIDTH } from "./ribbons.ts";
import { type FlowEdge, type FlowNode, type FlowPool, routeFlow } from "./routeFlow.ts";

const WIDTH_MIN = 280;
/** Thinner ribbons have no room for a label; the table below lists all. */
const LABEL_HEIGHT = 13;
const SYMBOL_LENGTH_MAX = 10;
const HUES = 12;

type Tokens = ReadonlyMap<string, KnownToken>;

/** A route as ribbons from token to token, each as wide as its part of the input. */
export function RouteDrawing({
  quote,
  tokens,
}: {
  readonly quote: SwapQuote;
  readonly tokens: Tokens;
}) {
  const network = useNetwork();
  const frame = useRef<HTMLDivElement>(null);
  const width = Math.max(WIDTH_MIN, useWidth(frame));
  const flow = useMemo(() => routeFlow(quote.routePlan), [quote.routePlan]);
  const drawing = useMemo(() => drawRibbons(flow, width), [flow, width]);
  // The first of the edges that lead to each node.
  const leadingTo = useMemo(
    () => new Map(flow.edges.toReversed().map((edge) => [edge.to, edge])),
    [flow],
  );
  const dexIds = useMemo(
    () => new Set(quote.routePlan.map(({ dexId }) => dexId)),
    [quote.routePlan],
  );
  const [pointed, setPointed] = useState("");
  return (
    <div ref={frame} class="route">
      <svg
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        height={drawing.height}
        role="img"
        aria-label={`The route, through ${flow.edges.filter(({ pool }) => pool).length} pools: the table of steps says the same`}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the table of steps has links */}
        <g
          onPointerOver={(event) => setPointed(keyAt(event))}
          onClick={(event) => {
            const { pool } = flow.edges.find(({ key }) => key === keyAt(event)) ?? {};
            if (pool !== undefined) goTo(pathTo(network.id, "pools", pool.id));
          }}
        >
          {drawing.ribbons.map(({ edge, outline }) => (
            <path
              key={edge.key}
              data-key={edge.key}
              class={`ribbon hue${hueOf(dexOf(edge, leadingTo))}`}
              d={outline}
              data-share={edge.share}
            >
              {edge.pool !== undefined && pointed === edge.key && (
                <title>{titleOf(edge.pool, edge.share, tokens)}</title>
              )}
            </path>
          ))}
        </g>
        {drawing.ribbons.flatMap(({ edge: { key, pool, share }, thickness, middle }) =>
          pool === undefined || thickness < LABEL_HEIGHT
            ? []
            : [
                <text key={key} x={middle.x} y={middle.y} dy="0.35em" text-anchor="middle">
                  {labelOf(pool, share, width / Math.max(1, flow.layers.length - 1))}
                </text>,
              ],
        )}
        {[...drawing.nodes].map(([node, { x, y, height }]) =>
          node.token === undefined ? null : (
            <g key={`${node.layer} ${node.token}`} class="node">
              <rect x={x} y={y} width={NODE_WIDTH} height={Math.max(height, 1)} />
              <text
                x={node.layer === 0 ? x : x + NODE_WIDTH}
                y={y - 5}
                text-anchor={node.layer === 0 ? "start" : "end"}
              >
                {nodeText(tokens, node)}
              </text>
            </g>
          ),
        )}
      </svg>
      <Legend dexIds={dexIds} />
    </div>
  );
}

/** The key of the ribbon at a pointer: one listener serves all of them. */
const keyAt = ({ target }: Event): string => (target as SVGElement).dataset["key"] ?? "";

/** A lane has the colour of the pool that leads to it. */
function dexOf(edge: FlowEdge, leadingTo: ReadonlyMap<FlowNode, FlowEdge>): string {
  if (edge.pool !== undefined) return edge.pool.dexId;
  const before = leadingTo.get(edge.from);
  return before === undefined ? "" : dexOf(before, leadingTo);
}

/** Hues of DEXes, in the order in which they were first drawn; a DEX keeps its hue. */
const hues = new Map<string, number>();

function hueOf(dexId: string): number {
  const hue = hues.get(dexId) ?? hues.size;
  hues.set(dexId, hue);
  return hue % HUES;
}

function Legend({ dexIds }: { readonly dexIds: ReadonlySet<string> }) {
  return (
    <ul class="legend" aria-label="Colours of DEXes">
      {[...dexIds].map((dexId) => (
        <li key={dexId} class={`hue${hueOf(dexId)}`}>
          {dexName(dexId)}
        </li>
      ))}
    </ul>
  );
}

const dexName = (dexId: string): string => dexId.replaceAll("_", " ");

function nodeText(tokens: Tokens, { token }: FlowNode): string {
  const known = tokens.get(token!.toLowerCase());
  return known === undefined ? "…" : safeName(known.symbol, SYMBOL_LENGTH_MAX).text;
}

function labelOf({ dexId, feePips }: FlowPool, share: number, room: number): string {
  const long = `${dexName(dexId)} ${feeText(feePips)} · ${shareText(share)}`;
  return room > long.length * 7 ? long : shareText(share);
}

function titleOf(pool: FlowPool, share: number, tokens: Tokens): string {
  const { dexId, feePips, amountIn, amountOut, tokenIn, tokenOut, id } = pool;
  const [into, out] = [tokens.get(tokenIn), tokens.get(tokenOut)];
  const amounts =
    into && out
      ? `${amountText(amountIn, into.decimals)} ${safeName(into.symbol).text} → ` +
        `${amountText(amountOut, out.decimals)} ${safeName(out.symbol).text}`
      : "";
  return `${dexId} ${feeText(feePips)}\n${shareText(share)} of the input\n${amounts}\n${id}`;
}

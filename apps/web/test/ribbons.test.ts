import { law, type RandomSource } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { type Drawing, drawRibbons, NODE_WIDTH } from "../page/quote/ribbons.ts";
import { type RouteFlow, routeFlow } from "../page/quote/routeFlow.ts";
import { randomPlan } from "./kit/randomPlan.ts";

const WIDTH = 1_000;
const PATHS_MAX = 64;

function drawn(random: RandomSource): { flow: RouteFlow; drawing: Drawing; paths: number } {
  const paths = 1 + random.integer(PATHS_MAX);
  const flow = routeFlow(randomPlan(random, paths));
  return { flow, drawing: drawRibbons(flow, WIDTH), paths };
}

describe("a route as ribbons", () => {
  const routes = () => law("ribbons of routes", 200);

  it("has the whole input in each layer, and in what leads from one to the next", () => {
    for (const [, random] of routes().sources()) {
      const { flow } = drawn(random);
      for (const [at, layer] of flow.layers.entries()) {
        expect(layer.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
        if (at === flow.layers.length - 1) continue;
        const leaving = flow.edges.filter(({ from }) => from.layer === at);
        expect(leaving.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
        for (const node of layer) {
          const left = leaving.filter(({ from }) => from === node);
          expect(left.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(node.share, 9);
        }
      }
    }
  });

  it("has what goes through each pool, to the unit, and nothing else", () => {
    for (const [, random] of routes().sources()) {
      const plan = randomPlan(random, 1 + random.integer(PATHS_MAX));
      const { edges } = routeFlow(plan);
      const drawnIn = edges.reduce((sum, { pool }) => sum + (pool?.amountIn ?? 0n), 0n);
      const drawnOut = edges.reduce((sum, { pool }) => sum + (pool?.amountOut ?? 0n), 0n);
      expect(drawnIn).toBe(plan.reduce((sum, { amountIn }) => sum + BigInt(amountIn), 0n));
      expect(drawnOut).toBe(plan.reduce((sum, { amountOut }) => sum + BigInt(amountOut), 0n));
    }
  });

  it("is drawn in one scale, each ribbon as thick as its part", () => {
    for (const [, random] of routes().sources()) {
      const { drawing, flow } = drawn(random);
      const whole = flow.layers[0]![0]!;
      const scale = drawing.nodes.get(whole)!.height / whole.share;
      for (const { edge, outline, thickness } of drawing.ribbons) {
        expect(thickness).toBeCloseTo(edge.share * scale, 9);
        expect(outline).toMatch(/^M[\d.]+ [\d.]+C([\d.]+ ){5}[\d.]+V[\d.]+C([\d.]+ ){5}[\d.]+Z$/u);
      }
    }
  });

  it("keeps nodes of a layer apart, and within the drawing", () => {
    for (const [, random] of routes().sources()) {
      const { drawing, flow } = drawn(random);
      for (const layer of flow.layers) {
        const placed = layer.map((node) => drawing.nodes.get(node)!).sort((a, b) => a.y - b.y);
        for (const [at, { x, y, height }] of placed.entries()) {
          expect(y).toBeGreaterThanOrEqual(
            at === 0 ? 0 : placed[at - 1]!.y + placed[at - 1]!.height,
          );
          expect(y + height).toBeLessThanOrEqual(drawing.height);
          expect(x + NODE_WIDTH).toBeLessThanOrEqual(WIDTH + 1e-9);
        }
      }
    }
  });

  it("has names that are each of one node, and ribbons that are each between two of them", () => {
    for (const [, random] of routes().sources()) {
      const { edges, layers } = drawn(random).flow;
      for (const layer of layers) {
        expect(new Set(layer.map(({ name }) => name)).size).toBe(layer.length);
      }
      const names = edges.map(
        ({ from, to, pool }) => `${from.layer} ${from.name} ${to.name} ${pool?.id}`,
      );
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it("leads from one layer to the next only: what skips a token has a lane past it", () => {
    for (const [, random] of routes().sources()) {
      const { drawing } = drawn(random);
      for (const { from, to } of drawing.ribbons.map(({ edge }) => edge)) {
        expect(to.layer).toBe(from.layer + 1);
      }
    }
  });

  it("is nothing for a route without steps", () => {
    expect(routeFlow([])).toEqual({ layers: [], edges: [] });
    expect(drawRibbons({ layers: [], edges: [] }, WIDTH).ribbons).toEqual([]);
  });
});

import type { SwapQuote } from "@millrace/api";
import { type Engine, type OpenMarket, openSnapshot } from "@millrace/core";
import { curves } from "@millrace/protocols";
import { expect } from "vitest";
import type { Service } from "../kit/service.ts";

type Steps = SwapQuote["routePlan"];

/** A copy of a service's current market, for a test to change. */
export const privateMarket = (engine: Engine["Service"]): OpenMarket =>
  openSnapshot(engine.snapshot(), curves);

export const engineOf = (service: Service): Engine["Service"] =>
  service.networks.primary.market!.engine;

/** Executes steps one after the other; each must give exactly its stated output. */
export function execute(market: OpenMarket, steps: Steps): void {
  for (const { amountIn, amountOut, ...step } of steps) {
    const { family, pool, positionIn, positionOut } = findSwap(market, step);
    const swap = family.swapExactIn(pool, positionIn, positionOut, BigInt(amountIn));
    expect(String(swap?.amountOut)).toBe(amountOut);
    market.writer.applySwap(swap!);
  }
}

/** The same for a quote of an exact output: each step must need exactly its stated input. */
export function executeForOutput(market: OpenMarket, steps: Steps): void {
  for (const { amountIn, amountOut, ...step } of steps) {
    const { family, pool, positionIn, positionOut } = findSwap(market, step);
    const swap = family.swapExactOut(pool, positionIn, positionOut, BigInt(amountOut));
    expect(String(swap?.amountIn)).toBe(amountIn);
    market.writer.applySwap(swap!);
  }
}

function findSwap(
  { graph, families }: OpenMarket,
  { poolAddress, tokenA, tokenB }: Pick<Steps[number], "poolAddress" | "tokenA" | "tokenB">,
) {
  const pool = graph.findPool(poolAddress)!;
  return {
    pool,
    family: families[graph.poolCurve[pool]!]!,
    positionIn: graph.poolPosition(pool, graph.findToken(tokenA)!),
    positionOut: graph.poolPosition(pool, graph.findToken(tokenB)!),
  };
}

/** The paths of a route: a step from its first token begins one. */
export function pathsOf(steps: Steps): Steps[] {
  const paths: Array<Array<Steps[number]>> = [];
  for (const step of steps) {
    if (step.tokenA === steps[0]!.tokenA) paths.push([step]);
    else paths.at(-1)!.push(step);
  }
  return paths;
}

export const sum = (amounts: ReadonlyArray<string>): string =>
  String(amounts.reduce((total, amount) => total + BigInt(amount), 0n));

import type { AssumptionJson, Issue } from "@millrace/api";
import type { Assumption as MarketAssumption, Overlay, PoolGraph } from "@millrace/core";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import type { QuoteMarket, QuoteNetwork } from "./QuoteMarket.ts";
import { unknownPool } from "./refusals.ts";

/** The market with a request's assumptions on top; an answer where one of them is impossible. */
export function withAssumptions(
  network: QuoteNetwork,
  { engine }: QuoteMarket,
  assume: ReadonlyArray<AssumptionJson>,
): Pick<Overlay, "quoteUnsafe" | "explain"> | Answer {
  if (assume.length === 0) return engine;
  const placed: Placed[] = [];
  for (const [index, assumption] of assume.entries()) {
    const more = placedOf(network, engine, assumption, ["assume", index]);
    if ("status" in more) return more;
    placed.push(...more);
  }
  const overlay = engine.overlay(placed.map(({ assumption }) => assumption));
  return overlay.refused ? impossible(placed[overlay.index]!.path, overlay.reason) : overlay;
}

/** An assumption in terms of the market, with its path in the request. */
interface Placed {
  readonly path: Path;
  readonly assumption: MarketAssumption;
}

type Market = Pick<QuoteMarket["engine"], "familyOf" | "graph">;
type Path = Issue["path"];
type Step = NonNullable<AssumptionJson["routePlan"]>[number];

function placedOf(
  network: QuoteNetwork,
  engine: Market,
  { removePool, pool, reserves, routePlan = [] }: AssumptionJson,
  path: Path,
): ReadonlyArray<Placed> | Answer {
  if (removePool !== undefined) {
    const removed = engine.graph.findPool(removePool);
    if (removed === undefined) return unknownPool(network, removePool);
    return [{ path: [...path, "removePool"], assumption: { kind: "poolRemoved", pool: removed } }];
  }
  if (pool !== undefined && reserves !== undefined) {
    return holding(network, engine, pool, reserves, path);
  }
  const steps: Placed[] = [];
  for (const [index, step] of routePlan.entries()) {
    const swapped = executed(network, engine.graph, step, [...path, "routePlan", index]);
    if ("status" in swapped) return swapped;
    steps.push(swapped);
  }
  return steps;
}

function holding(
  network: QuoteNetwork,
  { graph, familyOf }: Market,
  address: string,
  texts: ReadonlyArray<string>,
  path: Path,
): [Placed] | Answer {
  const pool = graph.findPool(address);
  if (pool === undefined) return unknownPool(network, address);
  const { stateHolding } = familyOf(pool);
  if (stateHolding === undefined) {
    return impossible([...path, "pool"], "the pool is more than its reserves");
  }
  const tokenCount = graph.poolTokenCount[pool]!;
  if (texts.length !== tokenCount) {
    return impossible([...path, "reserves"], `the pool has ${tokenCount} tokens`);
  }
  const reserves = texts.map(BigInt);
  const tooLarge = reserves.findIndex((reserve) => reserve >= RESERVE_END);
  if (tooLarge >= 0) return impossible([...path, "reserves", tooLarge], "no pool holds that much");
  const state = stateHolding(pool, reserves);
  return [{ path: [...path, "reserves"], assumption: { kind: "poolState", pool, state } }];
}

/**
 * The most that an encoded state can hold; a pool's own limit is lower, and checked with the state.
 */
const RESERVE_END = 2n ** 128n;

function executed(
  network: QuoteNetwork,
  graph: PoolGraph,
  { poolAddress, poolId = poolAddress, tokenA, tokenB, amountIn, aToB = true }: Step,
  path: Path,
): Placed | Answer {
  const pool = graph.findPool(poolId);
  if (pool === undefined) return unknownPool(network, poolId);
  const [first, second] = [graph.findToken(tokenA), graph.findToken(tokenB)];
  if (first === undefined || graph.poolPosition(pool, first) < 0) {
    return impossible([...path, "tokenA"], "the pool has no such token");
  }
  if (second === undefined || second === first || graph.poolPosition(pool, second) < 0) {
    return impossible([...path, "tokenB"], "the pool has no such token beside tokenA");
  }
  if (amountIn === "0") return impossible([...path, "amountIn"], "no swap takes nothing");
  const [tokenIn, tokenOut] = aToB ? [first, second] : [second, first];
  const amount = BigInt(amountIn);
  return { path, assumption: { kind: "swapped", pool, tokenIn, tokenOut, amountIn: amount } };
}

function impossible(path: Path, reason: string): Answer {
  const message = `Cannot be assumed: ${reason}`;
  const issue: Issue = { code: "invalid_value", path, message };
  return problemAnswer("INVALID_REQUEST", "An assumption is impossible", { issues: [issue] });
}

import type { Curve, PoolFamily, PoolSwap } from "../../Curve.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import { HOPS_MAX, type QuoteRequest, type QuoteStep } from "../quote.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import type { PathFlows } from "./PathFlows.ts";
import { StatesAfter } from "./StatesAfter.ts";

/** The contracts' results for paths, one after the other. */
export interface ExactRoute {
  readonly refused: false;
  readonly steps: ReadonlyArray<QuoteStep>;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** By path of the flows; 0 for a path that got nothing. */
  readonly gas: ReadonlyArray<number>;
  /** Of all paths; see `PoolFamily.typicalGas`. */
  readonly typicalGas: number;
}

/**
 * A path with a pool that does not fill its amount; `isDust` where the pool would give nothing for
 * it.
 */
export interface RefusedPath {
  readonly refused: true;
  readonly path: number;
  /** Undefined where the path was to carry a negative amount. */
  readonly pool?: PoolIndex;
  readonly isDust: boolean;
}

/** Runs the paths of a float solution in integers. */
export class ExactPaths {
  readonly #graph: PoolGraph;
  readonly #edges: CandidateEdges;
  readonly #states: StatesAfter;
  #steps: QuoteStep[] = [];
  #gas: number[] = [];
  #typicalGas = 0;

  constructor(
    graph: PoolGraph,
    curves: ReadonlyArray<Curve>,
    families: ReadonlyArray<PoolFamily>,
    edges: CandidateEdges,
  ) {
    this.#graph = graph;
    this.#edges = edges;
    this.#states = new StatesAfter(graph, curves, families);
  }

  /** The fixed side adds up to the request's amount, to the wei. */
  run(request: QuoteRequest, flows: PathFlows): ExactRoute | RefusedPath {
    const isIn = request.kind === "exactIn";
    const amounts = wholeAmounts(
      request.amount,
      isIn ? flows.amountIn : flows.amountOut,
      flows.count,
    );
    this.#states.begin();
    this.#steps = [];
    this.#gas = [];
    this.#typicalGas = 0;
    let amountIn = 0n;
    let amountOut = 0n;
    for (let path = 0; path < flows.count; path++) {
      const amount = amounts[path]!;
      this.#gas.push(0);
      if (amount === 0n) continue;
      if (amount < 0n) return { refused: true, path, isDust: false };
      const start = this.#steps.length;
      const reached = isIn ? this.#runIn(flows, path, amount) : this.#runOut(flows, path, amount);
      if (!reached) {
        return { refused: true, path, pool: this.#refusing, isDust: isIn && this.#isDust };
      }
      amountIn += this.#steps[start]!.amountIn;
      amountOut += this.#steps[this.#steps.length - 1]!.amountOut;
    }
    const [steps, gas, typicalGas] = [this.#steps, this.#gas, this.#typicalGas];
    return { refused: false, steps, amountIn, amountOut, gas, typicalGas };
  }

  #isDust = false;
  #refusing = 0 as PoolIndex;

  #runIn(flows: PathFlows, path: number, amount: bigint): boolean {
    let arriving = amount;
    for (let hop = 0; hop < flows.hops[path]!; hop++) {
      const edge = flows.edges[path * HOPS_MAX + hop]!;
      const pool = this.#edges.pool[edge]! as PoolIndex;
      const positionIn = this.#edges.positionIn[edge]!;
      const positionOut = this.#edges.positionOut[edge]!;
      const family = this.#states.familyOf(pool);
      const swap = family.swapExactIn(pool, positionIn, positionOut, arriving);
      if (swap === undefined) {
        this.#refusing = pool;
        this.#isDust = family.quoteExactIn(pool, positionIn, positionOut, arriving) === 0n;
        return false;
      }
      this.#take(edge, path, family, swap);
      this.#states.apply(swap);
      arriving = swap.amountOut;
    }
    return true;
  }

  /** From the last pool back; a path uses no pool twice, so the order changes nothing. */
  #runOut(flows: PathFlows, path: number, amount: bigint): boolean {
    let leaving = amount;
    const start = this.#steps.length;
    for (let hop = flows.hops[path]! - 1; hop >= 0; hop--) {
      const edge = flows.edges[path * HOPS_MAX + hop]!;
      const pool = this.#edges.pool[edge]! as PoolIndex;
      const positionIn = this.#edges.positionIn[edge]!;
      const family = this.#states.familyOf(pool);
      const swap = family.swapExactOut(pool, positionIn, this.#edges.positionOut[edge]!, leaving);
      if (swap === undefined) {
        this.#refusing = pool;
        return false;
      }
      this.#take(edge, path, family, swap);
      this.#states.apply(swap);
      leaving = swap.amountIn;
    }
    this.#steps.push(...this.#steps.splice(start).reverse());
    return true;
  }

  #take(edge: number, path: number, family: PoolFamily, { amountIn, amountOut }: PoolSwap): void {
    const pool = this.#edges.pool[edge]! as PoolIndex;
    const positionIn = this.#edges.positionIn[edge]!;
    const positionOut = this.#edges.positionOut[edge]!;
    this.#gas[path]! += family.gas(pool, positionIn, positionOut, amountIn);
    this.#typicalGas += family.typicalGas(pool, positionIn, positionOut, amountIn);
    this.#steps.push({
      pool,
      tokenIn: this.#graph.poolToken(pool, positionIn),
      tokenOut: this.#graph.poolToken(pool, positionOut),
      amountIn,
      amountOut,
    });
  }
}

/** Floats rounded down to integers; the largest gets the rest of the whole. */
function wholeAmounts(whole: bigint, parts: Float64Array, count: number): bigint[] {
  const amounts: bigint[] = [];
  let rest = whole;
  let largest = 0;
  for (let path = 0; path < count; path++) {
    const amount = BigInt(Math.floor(parts[path]!));
    amounts.push(amount);
    rest -= amount;
    if (parts[path]! > parts[largest]!) largest = path;
  }
  if (count > 0) amounts[largest]! += rest;
  return amounts;
}

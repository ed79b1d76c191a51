import type { PoolFamily } from "../../Curve.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import { HOPS_MAX } from "../quote.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import type { PathFlows } from "./PathFlows.ts";

/** Above every amount on a chain. */
const AMOUNT_END = 2 ** 256;

/** The worth and the gas cost of single paths of a solution. */
export class PathLosses {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #edges: CandidateEdges;
  readonly #flows: PathFlows;

  constructor(
    graph: PoolGraph,
    families: ReadonlyArray<PoolFamily>,
    edges: CandidateEdges,
    flows: PathFlows,
  ) {
    this.#graph = graph;
    this.#families = families;
    this.#edges = edges;
    this.#flows = flows;
  }

  /**
   * The loss of all paths together without this one, if the others took its input at their final
   * rates: for each of its edges, what its amount a gave beyond the rate r after it, seen at the
   * goal. An edge whose total input q gave s beyond r counts as the curve with that surplus, whose
   * depth is d = q + r × q² / s: its last a gave r × a² / (d − a). A path that a full pool limits
   * ends above the common rate, and loses the difference too.
   */
  loss(path: number, commonRate: number): number {
    const flows = this.#flows;
    const start = path * HOPS_MAX;
    let loss = Math.max(0, flows.gradient[path]! - commonRate) * flows.amountIn[path]!;
    let rest = 1;
    for (let at = start + flows.hops[path]! - 1; at >= start; at--) {
      const edge = flows.edges[at]!;
      const amount = flows.amounts[at]!;
      const whole = flows.edgeIn[edge]!;
      const rate = flows.edgeRate[edge]!;
      const surplus = flows.edgeOut[edge]! - rate * whole;
      if (flows.isMixed(edge)) {
        loss += rest * this.#lastOfMixed(at);
      } else if (surplus > 0) {
        const others = whole - amount;
        const last = (rate * amount * amount) / (others + (rate * whole * whole) / surplus);
        loss += rest * (others > 0 && rate > 0 ? last : surplus);
      }
      rest *= rate;
    }
    return loss;
  }

  /** What the last use of a pool gave beyond the rate after it, had it been this one. */
  #lastOfMixed(at: number): number {
    const flows = this.#flows;
    const edge = flows.edges[at]!;
    const amount = flows.amounts[at]!;
    const rate = flows.edgeRate[edge]!;
    const surplus = Math.max(0, flows.given[at]! - rate * amount);
    const before = flows.edgeDepth[edge]! - amount;
    return before > 0 ? Math.min(surplus, (rate * amount * amount) / before) : surplus;
  }

  /** About the gas that the swaps of a path add to a transaction; see `PoolFamily.typicalGas`. */
  gas(path: number): number {
    const flows = this.#flows;
    const { pool, positionIn, positionOut } = this.#edges;
    const start = path * HOPS_MAX;
    let gas = 0;
    for (let at = start; at < start + flows.hops[path]!; at++) {
      const edge = flows.edges[at]!;
      const index = pool[edge]! as PoolIndex;
      const family = this.#families[this.#graph.poolCurve[index]!]!;
      const amount = flows.amounts[at]!;
      // With pools at the limits of the arithmetic, a solution may have amounts that are NaN.
      const amountIn = amount >= 1 && amount < AMOUNT_END ? BigInt(Math.floor(amount)) : 1n;
      gas += family.typicalGas(index, positionIn[edge]!, positionOut[edge]!, amountIn);
    }
    return gas;
  }
}

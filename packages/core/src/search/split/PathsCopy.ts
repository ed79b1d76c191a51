import { HOPS_MAX } from "../quote.ts";
import type { PathFlows } from "./PathFlows.ts";

/** A copy of a solution's paths and their inputs, to restore after others were tried. */
export class PathsCopy {
  readonly count: number;
  // Index: path; for edges: path × HOPS_MAX + hop.
  readonly #hops: Uint8Array;
  readonly #amountIn: Float64Array;
  readonly #edges: Uint32Array;

  constructor({ count, hops, amountIn, edges }: PathFlows) {
    this.count = count;
    this.#hops = hops.slice(0, count);
    this.#amountIn = amountIn.slice(0, count);
    this.#edges = edges.slice(0, count * HOPS_MAX);
  }

  /** Replaces the current paths with these; `run` computes the outputs. */
  restoreTo(flows: PathFlows): void {
    flows.removeEvery();
    for (let path = 0; path < this.count; path++) {
      const start = path * HOPS_MAX;
      flows.add(this.#edges.subarray(start, start + this.#hops[path]!));
      flows.amountIn[path] = this.#amountIn[path]!;
    }
  }
}

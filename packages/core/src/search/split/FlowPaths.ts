import { allocate, grown } from "../../graph/buffers.ts";
import { HOPS_MAX } from "../quote.ts";
import { type CandidateEdges, ORIGIN } from "./CandidateEdges.ts";
import type { LayeredFlow } from "./LayeredFlow.ts";
import type { Layers } from "./Layers.ts";

/** Parts of the whole up to this size are left out. */
const PART_MIN = 1e-6;

/** Splits a flow into paths. */
export class FlowPaths {
  readonly #edges: CandidateEdges;
  readonly #layers: Layers;
  readonly #flow: LayeredFlow;
  // Index: layer × edges + edge. The part of the total input that is left there.
  #parts = allocate(Float64Array, 0);
  // Index: layer × tokens + token. The part that arrives there; and where its places are listed.
  #arriving = allocate(Float64Array, 0);
  #start = allocate(Uint32Array, 0);
  #end = allocate(Uint32Array, 0);
  // The edges' places with a part left, by the token that they leave.
  #places = allocate(Uint32Array, 0);
  readonly #path = new Uint32Array(HOPS_MAX);

  constructor(layers: Layers, flow: LayeredFlow) {
    this.#edges = layers.edges;
    this.#layers = layers;
    this.#flow = flow;
  }

  /** Splits the flow: each path follows, from each token, the greatest part that is left. */
  take(each: (path: Uint32Array, part: number) => void): void {
    this.#list();
    const path = this.#path;
    for (let hops = this.#follow(); hops > 0; hops = this.#follow()) {
      let part = Number.POSITIVE_INFINITY;
      for (let hop = 0; hop < hops; hop++) part = Math.min(part, this.#parts[this.#placeOf(hop)]!);
      for (let hop = 0; hop < hops; hop++) this.#parts[this.#placeOf(hop)]! -= part;
      each(path.subarray(0, hops), part);
    }
  }

  #placeOf(hop: number): number {
    return hop * this.#edges.count + this.#path[hop]!;
  }

  /** Writes a path, and returns its hops; 0 where nothing is left. */
  #follow(): number {
    const { count, middleEnd, to } = this.#edges;
    let token = ORIGIN;
    for (let hop = 0; ; ) {
      const place = this.#greatest(hop, token);
      if (place >= 0) {
        const edge = place - hop * count;
        this.#path[hop++] = edge;
        if (edge >= middleEnd) return hop;
        token = to[edge]!;
        continue;
      }
      if (hop === 0) return 0;
      // Too little goes on from here: restart the search for a path.
      this.#parts[this.#placeOf(hop - 1)] = 0;
      token = ORIGIN;
      hop = 0;
    }
  }

  /** The place of a token with the greatest part; drops places with none left. */
  #greatest(layer: number, token: number): number {
    const node = layer * this.#edges.tokenCount + token;
    const places = this.#places;
    let greatest = -1;
    let most = PART_MIN;
    let kept = this.#start[node]!;
    for (let at = kept; at < this.#end[node]!; at++) {
      const place = places[at]!;
      const part = this.#parts[place]!;
      if (!(part > PART_MIN)) continue;
      places[kept++] = place;
      if (part <= most) continue;
      most = part;
      greatest = place;
    }
    this.#end[node] = kept;
    return greatest;
  }

  #list(): void {
    const { count, middleEnd, to, tokenCount } = this.#edges;
    const { amounts } = this.#flow;
    const { count: maxHops, tokens } = this.#layers;
    this.#reserve(maxHops * count, maxHops * tokenCount);
    this.#arriving.fill(0, 0, maxHops * tokenCount);
    this.#arriving[ORIGIN] = 1;
    let listed = 0;
    for (let layer = 0; layer < maxHops; layer++) {
      for (const token of tokens[layer]!) {
        const node = layer * tokenCount + token;
        const end = this.#layers.endOf(token);
        let whole = 0;
        this.#start[node] = listed;
        for (let at = this.#layers.startOf(layer, token); at < end; at++) {
          const place = layer * count + this.#layers.edgeAt(at);
          if (!(amounts[place]! > 0)) continue;
          this.#places[listed++] = place;
          whole += amounts[place]!;
        }
        this.#end[node] = listed;
        for (let at = this.#start[node]!; at < listed; at++) {
          const place = this.#places[at]!;
          const part = (this.#arriving[node]! * amounts[place]!) / whole;
          const edge = place - layer * count;
          this.#parts[place] = part;
          if (edge < middleEnd) this.#arriving[(layer + 1) * tokenCount + to[edge]!]! += part;
        }
      }
    }
  }

  #reserve(places: number, nodes: number): void {
    this.#parts = grown(Float64Array, this.#parts, places);
    this.#places = grown(Uint32Array, this.#places, places);
    this.#arriving = grown(Float64Array, this.#arriving, nodes);
    this.#start = grown(Uint32Array, this.#start, nodes);
    this.#end = grown(Uint32Array, this.#end, nodes);
  }
}

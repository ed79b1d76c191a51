import type { PoolFamily } from "../../Curve.ts";
import { PIECE_STRIDE, type PoolGraph, type PoolIndex } from "../../graph/PoolGraph.ts";
import type { PoolMask } from "../PoolMask.ts";
import type { TokenWorths } from "./TokenWorths.ts";

/** Worths that differ by less count as equal. */
const SAME = 1 + 2 ** -40;

/** A pool of more than two tokens. */
interface SharedPool {
  readonly tokens: ReadonlyArray<number>;
  /** The price of each token in the first one. */
  readonly prices: ReadonlyArray<number>;
  /** The pool's holdings at these prices. */
  readonly holdings: number;
  /** The most that a unit of the prices is worth at the goal, over any swap of the pool. */
  worth: number;
}

/** The prices of a pool in one state; undefined where floats cannot represent them. */
interface PricedPool extends Omit<SharedPool, "prices" | "worth"> {
  readonly version: number;
  readonly prices: ReadonlyArray<number> | undefined;
}

/**
 * Pools of more than two tokens: a swap of one pair moves the others, so no edge has a curve of its
 * own. All swaps of a pool together give, at its prices, at most what went in, wherever they stand
 * on their paths. So a token that the pool takes is worth, over as few pools as it may be swapped
 * with, at least what the pool's best token is worth over any number.
 */
export class SharedPools {
  readonly #graph: PoolGraph;
  readonly #mask: PoolMask;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #worths: TokenWorths;
  #origin = 0;
  #goal = 0;
  #maxHops = 0;
  #pools: SharedPool[] = [];
  /** All such pools of the graph, at a version of its topology. */
  #candidates: PoolIndex[] = [];
  #topologyVersion = -1;
  /** Prices are expensive to compute, and change only with the pool's state. */
  readonly #known = new Map<PoolIndex, PricedPool>();

  constructor(
    graph: PoolGraph,
    families: ReadonlyArray<PoolFamily>,
    mask: PoolMask,
    worths: TokenWorths,
  ) {
    this.#graph = graph;
    this.#families = families;
    this.#mask = mask;
    this.#worths = worths;
  }

  /** Whether all pools that matter have prices: without prices, nothing bounds their output. */
  hasPrices = true;

  begin(origin: number, goal: number, maxHops: number): void {
    this.#origin = origin;
    this.#goal = goal;
    this.#maxHops = maxHops;
    this.#findCandidates();
    this.#pools = [];
    this.hasPrices = true;
    for (const pool of this.#candidates) if (!this.#mask.blocks(pool)) this.#add(pool);
  }

  /** See `TokenWorths.label`. */
  readonly raise = (hops: number): void => {
    for (const shared of this.#pools) {
      if (shared.worth === 0 || !this.#isEnteredAt(shared, hops)) continue;
      for (let position = 0; position < shared.tokens.length; position++) {
        const token = shared.tokens[position]!;
        this.#worths.raise(hops, token, shared.prices[position]! * shared.worth);
      }
    }
  };

  /** The least worth of the origin over these pools. */
  worthOfOrigin(): number {
    let most = 0;
    for (const { tokens, prices, worth } of this.#pools) {
      const position = tokens.indexOf(this.#origin);
      if (position >= 0) most = Math.max(most, prices[position]! * worth);
    }
    return most;
  }

  /** Takes the current worths of tokens; returns whether these must be computed again. */
  update(): boolean {
    let isRaised = false;
    for (const shared of this.#pools) {
      const worth = this.#worthOf(shared);
      if (!(worth > shared.worth * SAME)) continue;
      shared.worth = worth;
      if (this.#isMissed(shared)) isRaised = true;
    }
    return isRaised;
  }

  /** The most that swaps of these pools are worth beyond their input, at the current worths. */
  offset(): number {
    let sum = 0;
    for (const shared of this.#pools) {
      sum += Math.max(this.#worthOf(shared) - shared.worth, 0) * shared.holdings;
    }
    return sum;
  }

  /** The first pool of a path takes the origin, the last gives the goal, the others neither. */
  #isEnteredAt({ tokens }: SharedPool, hops: number): boolean {
    if (hops === this.#maxHops) return tokens.includes(this.#origin);
    if (hops === 1) return tokens.includes(this.#goal);
    let between = 0;
    for (const token of tokens) if (token !== this.#origin && token !== this.#goal) between++;
    return between >= 2;
  }

  /** The most that a unit of the prices is worth in a token that a swap of the pool gives. */
  #worthOf(shared: SharedPool): number {
    let most = 0;
    for (let hops = 1; hops <= this.#maxHops; hops++) {
      if (!this.#isEnteredAt(shared, hops)) continue;
      for (let position = 0; position < shared.tokens.length; position++) {
        const token = shared.tokens[position]!;
        if (token === this.#origin) continue;
        const worth = this.#worths.at(hops - 1, token);
        most = Math.max(most, worth / shared.prices[position]!);
      }
    }
    return most;
  }

  /** Whether a token is worth less than what the pool makes of it. */
  #isMissed(shared: SharedPool): boolean {
    for (let hops = 1; hops < this.#maxHops; hops++) {
      if (!this.#isEnteredAt(shared, hops)) continue;
      for (let position = 0; position < shared.tokens.length; position++) {
        const token = shared.tokens[position]!;
        if (token === this.#origin || token === this.#goal) continue;
        const least = shared.prices[position]! * shared.worth;
        if (least > this.#worths.at(hops, token) * SAME) return true;
      }
    }
    return false;
  }

  #findCandidates(): void {
    const graph = this.#graph;
    if (this.#topologyVersion === graph.topologyVersion) return;
    this.#topologyVersion = graph.topologyVersion;
    this.#known.clear();
    this.#candidates = [];
    for (let pool = 0; pool < graph.poolCount; pool++) {
      if (graph.poolTokenCount[pool]! > 2) this.#candidates.push(pool as PoolIndex);
    }
  }

  #add(pool: PoolIndex): void {
    const version = this.#graph.poolVersion[pool]!;
    const known = this.#known.get(pool);
    const priced = known?.version === version ? known : this.#priced(pool, version);
    if (priced !== known) this.#known.set(pool, priced);
    const { prices, ...shared } = priced;
    if (prices !== undefined) this.#pools.push({ ...shared, prices, worth: 0 });
    else if (!this.#givesNothing(pool)) this.hasPrices = false;
  }

  #priced(pool: PoolIndex, version: number): PricedPool {
    const graph = this.#graph;
    const family = this.#families[graph.poolCurve[pool]!]!;
    const count = graph.poolTokenCount[pool]!;
    const positions = Array.from({ length: count }, (_, position) => position);
    const tokens = positions.map((position) => graph.poolToken(pool, position));
    const prices = positions.map((from) => (from === 0 ? 1 : family.midPrice(pool, from, 0)));
    if (!prices.every((price) => price > 0 && price < Number.POSITIVE_INFINITY)) {
      return { version, tokens, prices: undefined, holdings: 0 };
    }
    const amounts = family.tokenAmounts(pool);
    const holdings = prices.reduce((sum, price, at) => sum + price * Number(amounts[at]!), 0);
    return { version, tokens, prices, holdings };
  }

  /** A pool without prices does not matter if it can give nothing. */
  #givesNothing(pool: PoolIndex): boolean {
    const { poolTokenCount, slotOut } = this.#graph;
    const count = poolTokenCount[pool]!;
    for (let from = 0; from < count; from++) {
      for (let to = 0; to < count; to++) {
        if (from === to) continue;
        if (slotOut[this.#graph.poolSlot(pool, from, to) * PIECE_STRIDE + 1]! > 0) return false;
      }
    }
    return true;
  }
}

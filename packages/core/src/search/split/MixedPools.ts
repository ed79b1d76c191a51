import { CURVE_STRIDE, type Curve, type PoolFamily } from "../../Curve.ts";
import { allocate, grown } from "../../graph/buffers.ts";
import {
  POOL_TOKENS_MAX,
  type PoolGraph,
  type PoolIndex,
  type TokenPosition,
} from "../../graph/PoolGraph.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import { StatesAfter } from "./StatesAfter.ts";

/** Above every amount on a chain. */
const AMOUNT_END = 2 ** 256;
/** The user of a group with several edges in use. */
const MIXED = 2 ** 32 - 1;

/** The positions of edges on their curves; index: edge. See `PathFlows`. */
export interface StandingEdges {
  readonly edgeIn: Float64Array;
  readonly edgeRate: Float64Array;
  readonly edgeDepth: Float64Array;
  readonly edgeRoom: Float64Array;
}

/**
 * Pools that the paths of a run use with several pairs of tokens. Each use finds the pool in the
 * exact state that the use before left: after a swap of the whole units of its amount.
 *
 * Backwards, a pool's states count as a surface with its prices as the slope: the derivative of the
 * total output by each token in the pool is carried from use to use.
 */
export class MixedPools {
  readonly #edges: CandidateEdges;
  readonly #states: StatesAfter;
  readonly #piece = new Float64Array(CURVE_STRIDE);
  /** Whether any pool is used so. */
  any = false;
  // Index: group. The edge that uses it plus one, or MIXED; one of its edges; the positions of the
  // used tokens, as bits; the worth of the total input.
  #user = allocate(Uint32Array, 1);
  #edge = allocate(Uint32Array, 1);
  #positions = allocate(Uint8Array, 1);
  #worth = allocate(Float64Array, 1);
  // Index: group × POOL_TOKENS_MAX + position. The derivative of the total output by the amount
  // there; and the final worth of a unit.
  #adjoint = allocate(Float64Array, 0);
  #units = allocate(Float64Array, 0);
  // Index: place × POOL_TOKENS_MAX + position. Prices right after the use, in the token it gave.
  #prices = allocate(Float64Array, 0);

  constructor(
    graph: PoolGraph,
    curves: ReadonlyArray<Curve>,
    families: ReadonlyArray<PoolFamily>,
    edges: CandidateEdges,
  ) {
    this.#edges = edges;
    this.#states = new StatesAfter(graph, curves, families);
  }

  /** Starts on newly collected edges. */
  open(): void {
    const { groupCount } = this.#edges;
    this.any = false;
    this.#user = grown(Uint32Array, this.#user, groupCount + 1);
    this.#user.fill(0, 0, groupCount + 1);
    if (groupCount === 0) return;
    this.#edge = grown(Uint32Array, this.#edge, groupCount + 1);
    this.#positions = grown(Uint8Array, this.#positions, groupCount + 1);
    this.#worth = grown(Float64Array, this.#worth, groupCount + 1);
    const cells = (groupCount + 1) * POOL_TOKENS_MAX;
    this.#adjoint = grown(Float64Array, this.#adjoint, cells);
    this.#units = grown(Float64Array, this.#units, cells);
    this.#states.begin();
  }

  /** Begins a run of paths with so many places. Note each of their edges before any moves. */
  begin(places: number): void {
    this.any = false;
    this.#user.fill(0, 0, this.#edges.groupCount + 1);
    this.#prices = grown(Float64Array, this.#prices, places * POOL_TOKENS_MAX);
  }

  note(edge: number): void {
    const { group, pool, positionIn, positionOut } = this.#edges;
    const own = group[edge]!;
    if (own === 0) return;
    const user = this.#user[own]!;
    if (user === 0) {
      this.#user[own] = edge + 1;
      this.#edge[own] = edge;
      this.#positions[own] = 0;
      this.#adjoint.fill(0, own * POOL_TOKENS_MAX, (own + 1) * POOL_TOKENS_MAX);
      this.#states.rewind(pool[edge]! as PoolIndex);
    } else if (user !== edge + 1) {
      this.#user[own] = MIXED;
      this.any = true;
    }
    this.#positions[own]! |= (1 << positionIn[edge]!) | (1 << positionOut[edge]!);
  }

  /** Whether the edge belongs to such a pool. */
  has(edge: number): boolean {
    return this.#user[this.#edges.group[edge]!] === MIXED;
  }

  /** Writes the piece at an amount after the earlier uses; see `pieceAt`. */
  findPiece(edge: number, amount: number, into: Float64Array, at: number): void {
    const { pool, positionIn, positionOut } = this.#edges;
    const index = pool[edge]! as PoolIndex;
    this.#familyOf(index).pieceAt(index, positionIn[edge]!, positionOut[edge]!, amount, into, at);
  }

  /** Moves the pool, and notes its prices for a place. */
  pass(edge: number, amount: number, place: number): void {
    const { group, pool, positionOut } = this.#edges;
    const index = pool[edge]! as PoolIndex;
    swapWhole(this.#states, this.#edges, edge, amount);
    this.#writePrices(
      index,
      positionOut[edge]!,
      this.#positions[group[edge]!]!,
      this.#prices,
      place * POOL_TOKENS_MAX,
    );
  }

  /** Writes the positions of the pools' edges after all paths. */
  end({ edgeIn, edgeRate, edgeDepth, edgeRoom }: StandingEdges): void {
    const { group, groupCount, nextInGroup, pool, positionIn } = this.#edges;
    const piece = this.#piece;
    for (let own = 1; own <= groupCount; own++) {
      if (this.#user[own] !== MIXED) continue;
      const first = this.#edge[own]!;
      const positions = this.#positions[own]!;
      const cells = group[first]! * POOL_TOKENS_MAX;
      const index = pool[first]! as PoolIndex;
      this.#writePrices(index, positionIn[first]!, positions, this.#units, cells);
      let worth = 0;
      let edge = first;
      do {
        if (edgeIn[edge]! > 0) {
          worth += edgeIn[edge]! * this.#units[cells + positionIn[edge]!]!;
          this.findPiece(edge, 0, piece, 0);
          edgeRate[edge] = piece[1]! / piece[0]!;
          edgeDepth[edge] = piece[0]!;
          edgeRoom[edge] = piece[2]!;
        }
        edge = nextInGroup[edge]!;
      } while (edge !== first);
      this.#worth[own] = worth;
    }
  }

  /** The share of an amount in the total input of the edge's pool. */
  shareOf(edge: number, amount: number): number {
    const own = this.#edges.group[edge]!;
    const unit = this.#units[own * POOL_TOKENS_MAX + this.#edges.positionIn[edge]!]!;
    return (amount * unit) / this.#worth[own]!;
  }

  /**
   * The use at a place, backwards. `adjoint` is the derivative of the total output by the output of
   * the use, the result that by its input, of which a unit gave `rate`.
   */
  back(edge: number, place: number, adjoint: number, rate: number): number {
    const { group, positionIn, positionOut } = this.#edges;
    const own = group[edge]!;
    const cells = own * POOL_TOKENS_MAX;
    const prices = place * POOL_TOKENS_MAX;
    const later = this.#adjoint;
    // Later uses no longer find what this use gives.
    const excess = adjoint - later[cells + positionOut[edge]!]!;
    const price = this.#prices[prices + positionIn[edge]!]!;
    const kept = price > 0 ? (rate / price) * later[cells + positionIn[edge]!]! : 0;
    const positions = this.#positions[own]!;
    for (let position = 0; position < POOL_TOKENS_MAX; position++) {
      if ((positions & (1 << position)) === 0) continue;
      later[cells + position]! += excess * this.#prices[prices + position]!;
    }
    return rate * excess + kept;
  }

  /** Copies the pool of each used group into other states, as the last run left it. */
  copyTo(states: StatesAfter, edgeIn: Float64Array, moved: (edge: number) => void): void {
    const { groupCount, pool } = this.#edges;
    for (let own = 1; own <= groupCount; own++) {
      const user = this.#user[own]!;
      if (user === 0) continue;
      const edge = this.#edge[own]!;
      if (user === MIXED) states.copy(pool[edge]! as PoolIndex, this.#states);
      else swapWhole(states, this.#edges, edge, edgeIn[edge]!);
      moved(edge);
    }
  }

  /** The price of each token at `positions` in the token at `other`; 0 where there is none. */
  #writePrices(
    pool: PoolIndex,
    other: TokenPosition,
    positions: number,
    into: Float64Array,
    at: number,
  ): void {
    const family = this.#familyOf(pool);
    for (let position = 0; position < POOL_TOKENS_MAX; position++) {
      if ((positions & (1 << position)) === 0) continue;
      const price = position === other ? 1 : family.midPrice(pool, position, other);
      into[at + position] = price > 0 && price < Number.POSITIVE_INFINITY ? price : 0;
    }
  }

  #familyOf(pool: PoolIndex): PoolFamily {
    return this.#states.familyOf(pool);
  }
}

/** Swaps the whole units of an amount through an edge; leaves the pool as it is if it refuses. */
export function swapWhole(
  states: StatesAfter,
  { pool, positionIn, positionOut }: CandidateEdges,
  edge: number,
  amount: number,
): void {
  if (!(amount >= 1 && amount < AMOUNT_END)) return;
  const index = pool[edge]! as PoolIndex;
  const whole = BigInt(Math.floor(amount));
  const family = states.familyOf(index);
  const swap = family.swapExactIn(index, positionIn[edge]!, positionOut[edge]!, whole);
  if (swap !== undefined) states.apply(swap);
}

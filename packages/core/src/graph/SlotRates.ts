import type { ExtendedList } from "./Adjacency.ts";
import { PIECE_STRIDE, type PoolGraph } from "./PoolGraph.ts";

/**
 * The values that bounds need from the pieces of all slots with every block, in arrays that one
 * pass reads in order: pieces are four times as wide, and are read in no order.
 */
export class SlotRates {
  /** The best rate of the edge neighbour → own of a slot; 0 for an empty pool. */
  inward = new Float64Array(0);
  /** The same for the edge own → neighbour. */
  outward = new Float64Array(0);
  /** Slots whose edge own → neighbour has a bonus, with the token of their list. */
  readonly bonusOwners = new Map<number, number>();

  /** To be called after slots were laid out anew: all have to be taken again. */
  clear(slotsLength: number): void {
    if (this.inward.length < slotsLength) {
      this.inward = new Float64Array(slotsLength);
      this.outward = new Float64Array(slotsLength);
    }
    this.bonusOwners.clear();
  }

  /** Follows slots of some lists that moved, and takes new ones. */
  move(graph: PoolGraph, lists: ReadonlyArray<ExtendedList>): void {
    this.inward = grownLocally(this.inward, graph.slotsLength);
    this.outward = grownLocally(this.outward, graph.slotsLength);
    const starts = new Map(lists.map(({ token, fromBefore }) => [token, fromBefore]));
    for (const [slot, token] of this.bonusOwners) {
      if (slot >= (starts.get(token) ?? Number.POSITIVE_INFINITY)) this.bonusOwners.delete(slot);
    }
    for (const { token, from } of lists) {
      for (let slot = from; slot < graph.slotEnd[token]!; slot++) this.#takeNew(graph, token, slot);
    }
  }

  /** Takes the pieces of a slot in the list of a token. */
  take(graph: PoolGraph, token: number, slot: number): void {
    this.bonusOwners.delete(slot);
    this.#takeNew(graph, token, slot);
  }

  #takeNew({ slotIn, slotOut }: PoolGraph, token: number, slot: number): void {
    this.inward[slot] = rateAt(slotIn, slot);
    this.outward[slot] = rateAt(slotOut, slot);
    if (slotOut[slot * PIECE_STRIDE + 3] !== 0) this.bonusOwners.set(slot, token);
  }
}

/** The best rate of an edge; 0 for an empty pool. */
export function rateAt(pieces: Float64Array, slot: number): number {
  const x = pieces[slot * PIECE_STRIDE]!;
  return pieces[slot * PIECE_STRIDE + 1]! / x;
}

function grownLocally(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  if (array.length >= length) return array;
  const larger = new Float64Array(Math.ceil(1.5 * length));
  larger.set(array);
  return larger;
}

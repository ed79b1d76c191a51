import type { ExtendedList } from "./Adjacency.ts";
import { PIECE_STRIDE, type PoolGraph } from "./PoolGraph.ts";

/** The slots whose edge own → neighbour has a bonus, so that bounds need not look at all slots. */
export class BonusSlots {
  /** The token of the list of each slot. */
  readonly owners = new Map<number, number>();

  /** To be called after slots were laid out anew: all have to be taken again. */
  clear(): void {
    this.owners.clear();
  }

  /** Follows slots of some lists that moved, and takes new ones. */
  move(graph: PoolGraph, lists: ReadonlyArray<ExtendedList>): void {
    const starts = new Map(lists.map(({ token, fromBefore }) => [token, fromBefore]));
    for (const [slot, token] of this.owners) {
      if (slot >= (starts.get(token) ?? Number.POSITIVE_INFINITY)) this.owners.delete(slot);
    }
    for (const { token, from } of lists) {
      for (let slot = from; slot < graph.slotEnd[token]!; slot++) this.take(graph, token, slot);
    }
  }

  /** Takes the piece of a slot in the list of a token. */
  take({ slotOut }: PoolGraph, token: number, slot: number): void {
    if (slotOut[slot * PIECE_STRIDE + 3] === 0) this.owners.delete(slot);
    else this.owners.set(slot, token);
  }
}

import { PIECE_STRIDE, type PoolGraph } from "./PoolGraph.ts";

/**
 * What bounds take from the pieces of all slots with every block, where one pass finds it in order:
 * pieces are four times as wide, and are read in no order.
 */
export class SlotRates {
  /** The best rate of the edge neighbour → own of a slot; 0 of an empty pool. */
  inward = new Float64Array(0);
  /** The same of the edge own → neighbour. */
  outward = new Float64Array(0);
  /** Slots whose edge own → neighbour has a bonus, with the token whose list they are in. */
  readonly bonusOwners = new Map<number, number>();

  /** Slots are laid out anew: all have to be taken again. */
  clear(slotCount: number): void {
    if (this.inward.length < slotCount) {
      this.inward = new Float64Array(slotCount);
      this.outward = new Float64Array(slotCount);
    }
    this.bonusOwners.clear();
  }

  /** Takes the pieces of a slot in the list of a token. */
  take({ slotIn, slotOut }: PoolGraph, token: number, slot: number): void {
    this.inward[slot] = rateAt(slotIn, slot);
    this.outward[slot] = rateAt(slotOut, slot);
    if (slotOut[slot * PIECE_STRIDE + 3] !== 0) this.bonusOwners.set(slot, token);
    else this.bonusOwners.delete(slot);
  }
}

/** The best rate of an edge; 0 of an empty pool. */
export function rateAt(pieces: Float64Array, slot: number): number {
  const x = pieces[slot * PIECE_STRIDE]!;
  return pieces[slot * PIECE_STRIDE + 1]! / x;
}

import { NO_RANK, type PoolGraph } from "./PoolGraph.ts";

/** A slot that a list gains. */
export interface NewSlot {
  readonly pool: number;
  readonly positions: number;
  readonly neighbour: number;
}

/** An existing slot, or −1 − the place of a new one. */
type Item = number;

/** Slots in a row that stay together: existing ones from `first` on, or one item. */
export interface Run {
  readonly first: Item;
  /** It is new, or comes from another part of the list since its neighbour became a transit. */
  readonly isInserted: boolean;
  length: number;
}

/** A list with its new slots. */
interface MergedList {
  /** All slots of the list, in order. */
  readonly runs: ReadonlyArray<Run>;
  /** Number of slots in the whole list, and of those that lead to transits. */
  readonly count: number;
  readonly transitCount: number;
}

/**
 * The slots of a list in order, merged with new ones. `hasNewTransits`: some of its neighbours have
 * become transits. Takes time for the new slots, not for those that the list has, unless there are
 * new transits.
 */
export function mergedList(
  graph: PoolGraph,
  token: number,
  added: ReadonlyArray<NewSlot>,
  hasNewTransits: boolean,
): MergedList {
  const { slotNeighbour, slotPool, tokenRank } = graph;
  const [start, transitEnd] = [graph.slotStart[token]!, graph.slotTransitEnd[token]!];
  const end = graph.slotEnd[token]!;
  const neighbourOf = (item: Item) =>
    item < 0 ? added[-1 - item]!.neighbour : slotNeighbour[item]!;
  const poolOf = (item: Item) => (item < 0 ? added[-1 - item]!.pool : slotPool[item]!);
  const isTransit = (item: Item) => tokenRank[neighbourOf(item)] !== NO_RANK;
  const compare = (a: Item, b: Item) => neighbourOf(a) - neighbourOf(b) || poolOf(a) - poolOf(b);
  const leaving: Item[] = [];
  for (let slot = transitEnd; hasNewTransits && slot < end; slot++)
    if (isTransit(slot)) leaving.push(slot);
  const transits = [...leaving];
  const others: Item[] = [];
  for (let item = -1; item >= -added.length; item--)
    (isTransit(item) ? transits : others).push(item);
  transits.sort(compare);
  others.sort(compare);

  const runs: Run[] = [];
  const keep = (first: number, last: number) => {
    const before = runs.at(-1);
    if (first >= last) return;
    if (before?.isInserted === false && before.first + before.length === first)
      before.length += last - first;
    else runs.push({ first, isInserted: false, length: last - first });
  };
  /** The first slot of a part that comes after an item. */
  const placeOf = (item: Item, first: number, last: number): number => {
    let [low, high] = [first, last];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(middle, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  /** Adds a part with its new items, without the slots that leave it. */
  const merge = (
    first: number,
    last: number,
    fresh: ReadonlyArray<Item>,
    gone: ReadonlyArray<Item>,
  ) => {
    let slot = first;
    let goneCount = 0;
    const keepUntil = (place: number) => {
      for (; goneCount < gone.length && gone[goneCount]! < place; goneCount++) {
        keep(slot, gone[goneCount]!);
        slot = gone[goneCount]! + 1;
      }
      keep(slot, place);
      slot = Math.max(slot, place);
    };
    for (const item of fresh) {
      keepUntil(placeOf(item, first, last));
      runs.push({ first: item, isInserted: true, length: 1 });
    }
    keepUntil(last);
  };
  merge(start, transitEnd, transits, []);
  merge(transitEnd, end, others, leaving);
  const count = end - start + added.length;
  return { runs, count, transitCount: transitEnd - start + transits.length };
}

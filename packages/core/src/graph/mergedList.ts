import { NO_RANK, type PoolGraph } from "./PoolGraph.ts";

/** A slot that a list gains. */
export interface NewSlot {
  readonly pool: number;
  readonly positions: number;
  readonly neighbour: number;
}

/** An existing slot, or −1 − the place of a new one. */
type Item = number;

/** A list with its new slots. */
interface MergedList {
  /** The first slot that changes, or the list's end. */
  readonly from: number;
  /** The items from there on, in order. */
  readonly items: ReadonlyArray<Item>;
  /** Number of slots in the whole list that lead to transits. */
  readonly transitCount: number;
}

/**
 * The slots of a list in order, merged with new ones. `hasNewTransits`: some of its neighbours have
 * become transits.
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
  const transits: Item[] = [];
  const others: Item[] = [];
  for (let item = -1; item >= -added.length; item--)
    (isTransit(item) ? transits : others).push(item);
  const leaving = new Set<Item>();
  for (let slot = transitEnd; hasNewTransits && slot < end; slot++)
    if (isTransit(slot)) leaving.add(slot);
  transits.push(...leaving);
  transits.sort(compare);
  others.sort(compare);
  const transitCount = transitEnd - start + transits.length;
  const items: Item[] = [];
  const merge = (first: number, last: number, fresh: ReadonlyArray<Item>) => {
    let at = 0;
    for (let slot = first; slot < last; slot++) {
      while (at < fresh.length && compare(fresh[at]!, slot) < 0) items.push(fresh[at++]!);
      if (!leaving.has(slot)) items.push(slot);
    }
    while (at < fresh.length) items.push(fresh[at++]!);
  };
  /** The first slot of a part that comes after an item. */
  const placeOf = (item: Item | undefined, first: number, last: number): number => {
    let [low, high] = [first, last];
    while (item !== undefined && low < high) {
      const middle = (low + high) >>> 1;
      if (compare(middle, item) < 0) low = middle + 1;
      else high = middle;
    }
    return item === undefined ? last : low;
  };
  if (transits.length > 0) {
    const from = placeOf(transits[0], start, transitEnd);
    merge(from, transitEnd, transits);
    merge(transitEnd, end, others);
    return { from, items, transitCount };
  }
  const from = placeOf(others[0], transitEnd, end);
  merge(from, end, others);
  return { from, items, transitCount };
}

import { NO_RANK, type PoolGraph } from "./PoolGraph.ts";

/** A slot that a list gets. */
export interface NewSlot {
  readonly pool: number;
  readonly positions: number;
  readonly neighbour: number;
}

/** A slot that there was, or one less than the negative place of a new one. */
type Item = number;

/** The slots of a list in their order, with new ones among them. */
export function mergedList(
  graph: PoolGraph,
  token: number,
  added: ReadonlyArray<NewSlot>,
): { readonly items: ReadonlyArray<Item>; readonly transitCount: number } {
  const { slotNeighbour, slotPool, tokenRank } = graph;
  const [start, transitEnd] = [graph.slotStart[token]!, graph.slotTransitEnd[token]!];
  const neighbourOf = (item: Item) => (item < 0 ? added[-1 - item]! : undefined)?.neighbour;
  const poolOf = (item: Item) => (item < 0 ? added[-1 - item]!.pool : slotPool[item]!);
  const isTransit = (item: Item) =>
    tokenRank[neighbourOf(item) ?? slotNeighbour[item]!] !== NO_RANK;
  const isBefore = (a: Item, b: Item) => {
    const [first, second] = [
      neighbourOf(a) ?? slotNeighbour[a]!,
      neighbourOf(b) ?? slotNeighbour[b]!,
    ];
    return first === second ? poolOf(a) < poolOf(b) : first < second;
  };
  const ascending = (a: Item, b: Item) => (isBefore(a, b) ? -1 : 1);
  const transits: Item[] = [];
  const others: Item[] = [];
  added.forEach((_, place) => {
    (isTransit(-1 - place) ? transits : others).push(-1 - place);
  });
  const stay: Item[] = [];
  for (let slot = transitEnd; slot < graph.slotEnd[token]!; slot++) {
    (tokenRank[slotNeighbour[slot]!] === NO_RANK ? stay : transits).push(slot);
  }
  const items: Item[] = [];
  for (let slot = start; slot < transitEnd; slot++) items.push(slot);
  const transitItems = mergeInto(items, transits.sort(ascending), isBefore);
  const otherItems = mergeInto(stay, others.sort(ascending), isBefore);
  return { items: transitItems.concat(otherItems), transitCount: transitItems.length };
}

/** Both in order; few are added. */
function mergeInto(
  items: Item[],
  added: ReadonlyArray<Item>,
  isBefore: (a: Item, b: Item) => boolean,
): Item[] {
  if (added.length === 0) return items;
  if (items.length === 0 || isBefore(items.at(-1)!, added[0]!)) return items.concat(added);
  const merged: Item[] = [];
  let at = 0;
  for (const item of items) {
    while (at < added.length && isBefore(added[at]!, item)) merged.push(added[at++]!);
    merged.push(item);
  }
  return merged.concat(added.slice(at));
}

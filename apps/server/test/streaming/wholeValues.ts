import type { Parameters } from "./mixedSubscriptions.ts";
import type { StateMessage } from "./streamReader.ts";

type Item = Readonly<Record<string, unknown>>;

interface ListRule {
  /** Equal for items that replace each other. */
  readonly keyOf: (item: Item) => unknown;
  /** The list in its order after news; by default new items take the places of the old ones. */
  readonly arranged?: (items: ReadonlyArray<Item>) => ReadonlyArray<Item>;
}

const RULES: Readonly<Record<string, ListRule>> = {
  price: { keyOf: ({ token }) => token },
  trades: {
    keyOf: ({ id }) => id,
    arranged: (items) => items.toSorted((a, b) => placeOf(b) - placeOf(a)).slice(0, 50),
  },
  candles: {
    keyOf: ({ timestamp }) => timestamp,
    arranged: (items) =>
      items.toSorted((a, b) => Number(a["timestamp"]) - Number(b["timestamp"])).slice(-2),
  },
};

/**
 * The whole value after each message, for a reader that follows the rules: an update of a list has
 * the new items, or all of them after trades or candles were reverted.
 */
export function wholeValues(
  { channel }: Parameters,
  told: ReadonlyArray<StateMessage>,
): ReadonlyArray<unknown> {
  if (!Array.isArray(told[0]?.data)) return told.map(({ data }) => data);
  const { keyOf, arranged = (items) => items } = RULES[channel]!;
  let whole: ReadonlyArray<Item> = [];
  return told.map((message) => {
    const news = message.data as ReadonlyArray<Item>;
    const isReorg = message.op === "update" && message.reorg === true;
    if (message.op === "snapshot" || (isReorg && channel !== "price")) {
      whole = news;
      return whole;
    }
    const texts = new Set(whole.map((item) => JSON.stringify(item)));
    const isNews = news.length > 0 && news.every((item) => !texts.has(JSON.stringify(item)));
    const items = new Map(whole.map((item) => [keyOf(item), item]));
    for (const item of news) items.set(keyOf(item), item);
    whole = arranged([...items.values()]);
    // An update has no unchanged items.
    return isNews ? whole : [];
  });
}

const placeOf = ({ blockNumber, logIndex }: Item): number =>
  1e6 * Number(blockNumber) + Number(logIndex);

import { problemText } from "@millrace/api";
import type { MarketData } from "@millrace/market";
import { EvaluatedTopic } from "./EvaluatedTopic.ts";
import type { Head, HeadPosition } from "./Topic.ts";

interface Entry<Item> {
  readonly item: Item;
  readonly text: string;
  /** The version in which the entry got its current content. */
  readonly since: number;
}

/**
 * The newest entries of a list that only grows, except for reorganisations. An update has the
 * entries that are new or changed for its reader; one that announces a reorganisation has all. So a
 * lost entry counts as a reorganisation, even where no block announced one.
 */
export abstract class StreamedList<Item> extends EvaluatedTopic {
  readonly #head: Head;
  readonly #data: MarketData;
  readonly #most: number;
  /** Undefined once the pool has left the market. */
  #entries: ReadonlyArray<Entry<Item>> | undefined = [];
  #lossCount = 0;
  /** Reorganisations whose reverted entries have all left the list. */
  #settledReorganisations = -1;
  /** The last text: readers that keep up all get the same. */
  #last = { since: 0, version: 0, text: "" };

  /** `most` is the maximum number of entries. */
  constructor(head: Head, data: MarketData, most: number) {
    super(head);
    this.#head = head;
    this.#data = data;
    this.#most = most;
  }

  override get validAt(): HeadPosition {
    const { stamp, reorganisations } = super.validAt;
    return { stamp, reorganisations: reorganisations + this.#lossCount };
  }

  dataSince(version: number, isReorg = false): string {
    const entries = this.#entries;
    if (entries === undefined) {
      return problemText("UNKNOWN_POOL", "The pool has left the market");
    }
    const since = isReorg ? 0 : version;
    if (this.#last.since !== since || this.#last.version !== this.version) {
      const news = entries.filter((entry) => entry.since > since).map(({ text }) => text);
      this.#last = { since, version: this.version, text: `[${news.join()}]` };
    }
    return this.#last.text;
  }

  /** The current newest entries, in the order of messages; undefined where the pool has left. */
  protected abstract look(most: number): ReadonlyArray<Item> | undefined;

  /** Equal for the same entry before and after it changes. */
  protected abstract keyOf(item: Item): string | number;

  protected abstract isSame(item: Item, other: Item): boolean;

  protected abstract isAfter(item: Item, other: Item): boolean;

  /** As JSON. */
  protected abstract textOf(item: Item): string;

  protected revalue(): boolean {
    const before = this.#entries;
    const items = this.look(this.#most);
    if (items === undefined) {
      this.#entries = undefined;
      return before !== undefined;
    }
    const lost = new Map(before?.map((entry) => [this.keyOf(entry.item), entry]));
    // A subscriber to something that never traded gets an empty list.
    let isChanged = before === undefined || this.version === 0;
    const since = this.version + 1;
    this.#entries = items.map((item) => {
      const key = this.keyOf(item);
      const known = lost.get(key);
      lost.delete(key);
      if (known !== undefined && this.isSame(known.item, item)) return known;
      isChanged = true;
      return { item, text: this.textOf(item), since };
    });
    if (this.#isReverted([...lost.values()], items)) {
      this.#lossCount++;
      isChanged = true;
    }
    return isChanged;
  }

  /** Whether the chain lost any of these, rather than newer entries displacing them. */
  #isReverted(lost: ReadonlyArray<Entry<Item>>, items: ReadonlyArray<Item>): boolean {
    const { reorganisations } = this.#head.position;
    const isReorganised = reorganisations !== this.#settledReorganisations;
    // After a large block, or during a save, reverted entries leave some time later.
    if (this.#data.hasAllTrades()) this.#settledReorganisations = reorganisations;
    // The oldest entries also leave when they are too old to be kept, which is no news.
    const isShort = isReorganised && items.length < this.#most;
    return lost.some(
      ({ item }) => isShort || items.some((remaining) => this.isAfter(item, remaining)),
    );
  }
}

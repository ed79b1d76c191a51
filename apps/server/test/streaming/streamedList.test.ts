import { law, surely } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { StreamedList } from "../../src/streaming/StreamedList.ts";
import { Subscription } from "../../src/streaming/Subscription.ts";
import type { HeadPosition, Publisher } from "../../src/streaming/Topic.ts";

const MOST = 5;

interface Item {
  readonly place: number;
  readonly hash: number;
}

/**
 * A list that grows at its new end, loses items there in reorganisations, and forgets at its old
 * end.
 */
class World {
  items: Item[] = [];
  reorganisations = 0;
  hasAllTrades = true;
  isThere = true;
  #blocks = 0;
  /** The newest forgotten position: no item is inserted below it. */
  #floor = 0;
  head = { position: this.#position() };

  /** A block, which changes the list now or later. */
  block(reorganisations = 0): HeadPosition {
    const before = this.head.position;
    this.#blocks++;
    this.reorganisations += reorganisations;
    this.head.position = this.#position();
    return before;
  }

  add(): void {
    const last = this.items.at(-1)?.place ?? Math.max(1_000, this.#floor);
    this.items.push({ place: last + 1, hash: this.#blocks });
  }

  addPast(): void {
    const place = (this.items[0]?.place ?? 1_000) - 1;
    if (place > this.#floor) this.items.unshift({ place, hash: this.#blocks });
  }

  forget(): void {
    this.#floor = this.items.shift()?.place ?? this.#floor;
  }

  #position(): HeadPosition {
    const { reorganisations } = this;
    const stamp = { number: this.#blocks, hash: `0x${this.#blocks}`, timestampMs: 0 } as const;
    return { stamp, reorganisations };
  }
}

class Items extends StreamedList<Item> {
  readonly #world: World;

  constructor(world: World) {
    super(world.head, { hasAllTrades: () => world.hasAllTrades } as never, MOST);
    this.#world = world;
  }

  protected look(most: number): ReadonlyArray<Item> | undefined {
    return this.#world.isThere ? this.#world.items.slice(-most).reverse() : undefined;
  }
  protected keyOf = ({ place }: Item): number => place;
  protected isSame = (item: Item, other: Item): boolean => item.hash === other.hash;
  protected isAfter = (item: Item, other: Item): boolean => item.place > other.place;
  protected textOf = (item: Item): string => JSON.stringify(item);
}

const FEED = { release: () => {}, hasNews: () => {} } as unknown as Publisher;

/** Reads at arbitrary times, and handles each message as docs/streams.md says. */
class Reader {
  held: ReadonlyArray<Item> = [];
  readonly #subscription: Subscription;

  constructor(topic: Items) {
    const request = { channel: "trades", network: "N", subject: { token: "0x" } } as const;
    const idle = { flush: () => {} };
    this.#subscription = new Subscription("s", request, FEED, topic, "", idle, () => {});
  }

  read(): { readonly data: ReadonlyArray<Item>; readonly reorg?: boolean } | undefined {
    if (!this.#subscription.hasNews()) return undefined;
    const message = JSON.parse(this.#subscription.next(0));
    const isWhole = message.op === "snapshot" || message.reorg === true;
    const items = new Map((isWhole ? [] : this.held).map((item) => [item.place, item]));
    for (const item of message.data as ReadonlyArray<Item>) items.set(item.place, item);
    this.held = [...items.values()].sort((a, b) => b.place - a.place);
    return message;
  }
}

function open() {
  const world = new World();
  const topic = new Items(world);
  topic.evaluate();
  const evaluate = (before = world.head.position) => {
    topic.invalidate(before);
    topic.evaluate();
  };
  return { world, topic, evaluate };
}

describe("a streamed list", () => {
  it("is held by who follows the rules, at any pace, whatever is reverted and when", () => {
    let wholes = 0;
    let checks = 0;
    for (const [, { next }] of law("a streamed list: held at any pace", 60).sources()) {
      const upTo = (most: number) => Math.floor((most + 1) * next());
      const { world, topic, evaluate } = open();
      let readers = [new Reader(topic)];
      for (let turn = 0; turn < 120; turn++) {
        const roll = next();
        if (roll < 0.5) {
          const before = world.block();
          for (let count = upTo(next() < 0.1 ? 9 : 2); count > 0; count--) world.add();
          evaluate(before);
        } else if (roll < 0.75) {
          const before = world.block(1);
          // Large blocks leave the list some time later.
          if (next() < 0.5) {
            world.hasAllTrades = false;
            evaluate(before);
            if (next() < 0.5) readers.push(new Reader(topic));
            readSome();
          }
          for (let depth = upTo(3); depth > 0; depth--) world.items.pop();
          for (let count = upTo(2); count > 0; count--) world.add();
          world.hasAllTrades = true;
          evaluate(before);
        } else if (roll < 0.85) {
          world.forget();
          evaluate();
        } else if (roll < 0.95) {
          world.addPast();
          evaluate();
        } else {
          readers = [...readers.slice(-3), new Reader(topic)];
        }
        readSome();
      }

      function readSome(): void {
        for (const reader of readers) {
          if (next() < 0.4) continue;
          if (reader.read()?.reorg === true) wholes++;
          // Readers keep items that the list has forgotten at its old end.
          const newest = world.items.slice(-MOST).reverse();
          expect(reader.held.slice(0, newest.length)).toEqual(newest);
          checks++;
        }
      }
    }
    expect(wholes).toBeGreaterThanOrEqual(surely(100));
    expect(checks).toBeGreaterThanOrEqual(surely(1_000));
  });

  it("tells who was spared some values all that is new since, and others what is new to them", () => {
    const { world, topic, evaluate } = open();
    const [fast, slow] = [new Reader(topic), new Reader(topic)];
    for (const reader of [fast, slow]) expect(reader.read()!.data).toEqual([]);
    const places = (reader: Reader) => reader.read()?.data.map(({ place }) => place);
    for (let count = 1; count <= 3; count++) {
      world.add();
      evaluate(world.block());
      expect(places(fast)).toEqual([1_000 + count]);
      expect(fast.read()).toBe(undefined);
    }
    expect(places(slow)).toEqual([1_003, 1_002, 1_001]);
    for (let count = 0; count < 9; count++) world.add();
    evaluate(world.block());
    expect(places(slow)).toEqual([1_012, 1_011, 1_010, 1_009, 1_008]);
  });

  it("counts what is forgotten as no change, and what is lost without a word as a reorganisation", () => {
    const { world, topic, evaluate } = open();
    const reader = new Reader(topic);
    for (let count = 0; count < 3; count++) world.add();
    evaluate(world.block());
    reader.read();
    world.forget();
    evaluate();
    expect(reader.read()).toBe(undefined);
    world.items.splice(0, 1);
    world.items.splice(0, 0, { place: 1_000, hash: 0 });
    evaluate();
    expect(reader.read()).toMatchObject({
      reorg: true,
      data: [{ place: 1_003 }, { place: 1_000 }],
    });
    expect(topic.validAt.reorganisations).toBe(1);
  });

  it("is a problem once its pool has left the market, and all there is when that is back", () => {
    const { world, topic, evaluate } = open();
    world.add();
    evaluate(world.block());
    const [reader, slow] = [new Reader(topic), new Reader(topic)];
    for (const one of [reader, slow]) one.read();
    world.isThere = false;
    evaluate(world.block());
    const { version } = topic;
    expect(JSON.parse(topic.dataSince(version - 1))).toMatchObject({ code: "UNKNOWN_POOL" });
    evaluate(world.block());
    expect(topic.version).toBe(version);
    world.isThere = true;
    world.add();
    evaluate(world.block());
    expect(JSON.parse(topic.dataSince(version))).toHaveLength(2);
    expect(slow.read()!.data).toHaveLength(2);
    expect(slow.held).toHaveLength(2);
  });
});

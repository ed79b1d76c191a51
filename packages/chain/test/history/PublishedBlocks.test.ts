import type { Hex } from "@millrace/protocols";
import { budget, law, surely } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Header } from "../../src/follow/Header.ts";
import { PublishedBlocks } from "../../src/history/PublishedBlocks.ts";

const START = 20;

/** Steps of a follower: blocks are added, reverted, skipped, and read late. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("follow" as const) }) },
  fc.record({ kind: fc.constant("rewind" as const), depth: fc.nat(4) }),
  fc.record({
    kind: fc.constant("reset" as const),
    kept: fc.nat(30),
    ahead: fc.integer({ min: 0, max: 6 }),
  }),
  fc.record({
    kind: fc.constant("republish" as const),
    from: fc.nat(40),
    length: fc.nat(8),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("fill" as const),
      count: fc.integer({ min: 1, max: 5 }),
    }),
  },
);

describe("the record of what was published", () => {
  it("agree with a list of all blocks, one by one, whatever happens", () => {
    const seen = { gaps: 0, complete: 0, late: 0, deep: 0, again: 0 };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(15), (steps, fromBlock) => {
        const books = new PublishedBlocks();
        const plain = new PlainBooks(books);
        plain.reset(-1, START);
        for (const { kind, ...how } of steps) {
          if (kind === "follow") plain.follow();
          else if (kind === "rewind") {
            const { depth } = how as { depth: number };
            // A journal starts where the market was opened.
            plain.rewind(Math.max(plain.opened, plain.head - depth));
          } else if (kind === "reset") {
            const { kept, ahead } = how as { kept: number; ahead: number };
            if (plain.wouldLose(kept)) seen.deep++;
            plain.reset(kept, Math.max(kept, 0) + ahead);
          } else if (kind === "republish") {
            const { from, length } = how as { from: number; length: number };
            if (plain.republish(from, from + length)) seen.again++;
          } else {
            const { count } = how as { count: number };
            const gap = books.gapBelow(plain.headId, fromBlock);
            if (gap === undefined) continue;
            plain.fill(Math.max(gap.fromBlock, gap.to.number - count + 1), gap.to.number);
            seen.late++;
          }
          const expected = plain.gapBelow(fromBlock);
          expect(books.gapBelow(plain.headId, fromBlock)).toEqual(expected);
          if (expected === undefined) seen.complete++;
          else seen.gaps++;
          // Republished blocks were published before, so the start of the range is not checked.
          if (!plain.isAgain) expect(books.rangeTo(plain.headId)?.fromMs).toBe(plain.sinceMs());
          expect(books.blocks.map(({ hash }) => hash)).toEqual(plain.heardHashes());
        }
      }),
      law("published blocks as a list of all", 1_500).options,
    );
    for (const count of Object.values(seen)) {
      expect(count).toBeGreaterThanOrEqual(surely(budget(1_500) / 12));
    }
  });

  it("remembers the newest hashes only, and what was published for good", () => {
    const books = new PublishedBlocks();
    const count = 20_000;
    for (let number = 1; number <= count; number++) books.followed(headerOf(number, 0));
    expect(books.blocks.length).toBe(16_384);
    expect(books.blocks.at(-1)?.number).toBe(count);
    expect(books.gapBelow({ number: count, hash: hashOf(count, 0) }, 1)).toBeUndefined();
    expect(books.revertAfter(-1).length).toBe(16_384);
    expect(books.rangeTo({ number: count, hash: hashOf(count, 0) })).toBeUndefined();
  });
});

/**
 * The plain model: for each block number, whether it was published, and whether its hash is known.
 */
class PlainBooks {
  head = 0;
  opened = 0;
  isAgain = false;
  readonly #books: PublishedBlocks;
  #branch = 0;
  /** Index: number. */
  #hashes: Hex[] = [];
  readonly #told = new Set<number>();
  readonly #heard = new Set<number>();

  constructor(books: PublishedBlocks) {
    this.#books = books;
  }

  get headId() {
    return { number: this.head, hash: this.#hashes[this.head]! };
  }

  follow(): void {
    this.head++;
    this.#hashes[this.head] = hashOf(this.head, this.#branch);
    this.#told.add(this.head);
    this.#heard.add(this.head);
    this.#books.followed({
      ...headerOf(this.head, this.#branch),
      parentHash: this.#hashes[this.head - 1]!,
    });
  }

  rewind(to: number): void {
    this.#takeBack(to);
    this.head = to;
    this.#branch++;
  }

  /** The chain forks above `kept`, and the market opens anew at `opened`. */
  reset(kept: number, opened: number): void {
    this.#takeBack(kept);
    this.#branch++;
    this.#hashes = Array.from({ length: opened + 1 }, (_, number) =>
      number <= kept && this.#hashes[number] !== undefined
        ? this.#hashes[number]
        : hashOf(number, this.#branch),
    );
    this.head = opened;
    this.opened = opened;
    this.#heard.add(opened);
    this.#books.stoodAt(this.headId);
  }

  /** Publishes every third block, which has swaps, and always the last one. */
  fill(from: number, to: number): void {
    const blocks = [];
    for (let number = from; number <= to; number++) {
      this.#told.add(number);
      if (number % 3 !== 0 && number !== to) continue;
      this.#heard.add(number);
      blocks.push({ number, hash: this.#hashes[number]! });
    }
    const parentHash = this.#hashes[from - 1] ?? hashOf(-1, 0);
    this.#books.filled({ fromBlock: from, toBlock: to, fromMs: from * 1_000, parentHash }, blocks);
  }

  /** False where none of the blocks was published. */
  republish(from: number, to: number): boolean {
    const known = [...this.#heard].filter((number) => number >= to);
    const last = Math.min(...known);
    const gone = [...this.#told].filter((number) => number >= from && number <= last);
    for (const number of gone) this.#told.delete(number);
    this.#books.republish(from, to);
    if (gone.length > 0) this.isAgain = true;
    return gone.length > 0;
  }

  wouldLose(kept: number): boolean {
    return [...this.#heard].some((number) => number > kept && number < this.opened);
  }

  gapBelow(fromBlock: number) {
    let to = this.head;
    while (to >= fromBlock && this.#told.has(to)) to--;
    if (to < fromBlock) return undefined;
    let from = to;
    while (from > fromBlock && !this.#told.has(from - 1)) from--;
    return { fromBlock: from, to: { number: to, hash: this.#hashes[to]! } };
  }

  sinceMs(): number | undefined {
    if (!this.#told.has(this.head)) return undefined;
    let since = this.head;
    while (this.#told.has(since - 1)) since--;
    return since * 1_000;
  }

  heardHashes(): Hex[] {
    return [...this.#heard].sort((a, b) => a - b).map((number) => this.#hashes[number]!);
  }

  #takeBack(to: number): void {
    const expected = [...this.#heard].filter((number) => number > to).sort((a, b) => b - a);
    const hashes = expected.map((number) => this.#hashes[number]!);
    expect(this.#books.revertAfter(to)).toEqual(hashes);
    for (const number of expected) this.#heard.delete(number);
    for (const number of this.#told) if (number > to) this.#told.delete(number);
  }
}

function headerOf(number: number, branch: number): Header {
  const hash = hashOf(number, branch);
  const parentHash = hashOf(number - 1, branch);
  const timestampMs = number * 1_000;
  return { number, hash, parentHash, timestampMs, logsBloom: "0x", receiptsRoot: undefined };
}

function hashOf(number: number, branch: number): Hex {
  return `0x${branch.toString(16)}-${number}`;
}

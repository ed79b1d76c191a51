import type { MarketBlock } from "@millrace/core";
import { decodeEntry, encodeEntry, FeedBytesError, type FeedEntry } from "@millrace/feed";
import { law, type RandomSource } from "@millrace/testing";
import { assert, describe, expect, it } from "vitest";
import { decodeFeedSnapshot, encodeFeedSnapshot } from "../src/bytes/snapshotBytes.ts";
import { differenceOf } from "../src/market/differenceOf.ts";
import { MarketReplica } from "../src/market/MarketReplica.ts";
import { FeedChain, messagesBetween, wholeMarket } from "./simulator/FeedChain.ts";

const START_MS = 1_750_000_000_000;
const CHAIN_ID = 31_337;
const POSITION = { epoch: START_MS, sequence: 7 };

describe("the bytes of a feed", () => {
  it("give an entry back as it was", () => {
    for (const [, random] of law("entries as bytes", 100).sources()) {
      const entry = anyEntry(random);
      const read = decodeEntry(encodeEntry(entry));
      assert.deepEqual(read, entry);
    }
  });

  it("are refused when any of them is flipped, missing or added", () => {
    const random = law("damaged entries", 1).random();
    const bytes = encodeEntry(anyEntry(random));
    for (let at = 0; at < bytes.length; at++) {
      const flipped = bytes.slice();
      flipped[at]! ^= 1 << random.integer(8);
      assert.throws(() => decodeEntry(flipped), FeedBytesError);
      assert.throws(() => decodeEntry(bytes.subarray(0, at)), FeedBytesError);
    }
    assert.throws(() => decodeEntry(Uint8Array.of(...bytes, 0)), FeedBytesError);
  });

  it("say that they are of a later version", () => {
    const bytes = encodeEntry(anyEntry(law("versions of entries", 1).random()));
    expect(() => decodeEntry(bytes.slice().fill(2, 4, 5))).toThrow("Damaged");
  });

  it("give a market back, in pieces that belong together and in no other way", () => {
    const random = law("snapshots as bytes", 1).random();
    const replica = marketAt(random);
    const attachment = Uint8Array.from({ length: 2_500_000 }, () => random.integer(256));
    const pieces = piecesOf(replica, attachment);
    assert.equal(pieces.length, 3);
    const read = decodeFeedSnapshot(pieces);
    assert.deepEqual(read.replica.point, replica.point);
    assert.deepEqual(read.replica.line, replica.line);
    assert.equal(Buffer.compare(read.attachment!, attachment), 0);
    const between = differenceOf(read.replica, replica, false);
    assert.equal(between.states.length + between.pools.length + between.removedPools.length, 0);
    const others = piecesOf(marketAt(random), attachment, { ...POSITION, sequence: 8 });
    for (const wrong of [
      pieces.slice(1),
      pieces.slice(0, -1),
      [pieces[1]!, pieces[0]!, pieces[2]!],
      [pieces[0]!, others[1]!, pieces[2]!],
      [...pieces, pieces[2]!],
    ]) {
      assert.throws(() => decodeFeedSnapshot(wrong), FeedBytesError);
    }
    for (let index = 0; index < 50; index++) {
      const flipped = pieces.map((piece) => piece.slice());
      const piece = random.pick(flipped);
      piece[random.integer(piece.length)]! ^= 1 << random.integer(8);
      assert.throws(() => decodeFeedSnapshot(flipped), FeedBytesError);
    }
  });
});

describe("the digest of a market", () => {
  it("is that of the same market, whichever way led there", () => {
    for (const [, random] of law("ways to a market", 60).sources()) {
      const chain = new FeedChain(random, START_MS);
      const follower = new MarketReplica();
      commit(follower, wholeMarket(chain.head));
      for (let count = 0; count < 10; count++) {
        const before = chain.head;
        chain.grow();
        for (const message of messagesBetween(before, chain.head)) commit(follower, message);
      }
      const fresh = new MarketReplica();
      commit(fresh, wholeMarket(chain.head));
      assert.equal(follower.digest, fresh.digest);
      const jumped = new MarketReplica();
      commit(jumped, wholeMarket(new FeedChain(random, START_MS).head));
      commit(jumped, differenceOf(jumped, fresh, false));
      assert.equal(jumped.digest, fresh.digest);
      const [pool] = fresh.pools.values();
      const words = pool!.words.slice();
      words[0]! ^= 1n;
      const changed = { ...differenceOf(fresh, fresh, false) };
      const states = [{ pool: pool!.listing.address, state: { words } }];
      assert.notEqual(fresh.plan({ ...changed, states }).point.digest, fresh.digest);
    }
  });
});

const commit = (replica: MarketReplica, block: MarketBlock) => replica.commit(replica.plan(block));

function marketAt(random: RandomSource): MarketReplica {
  const chain = new FeedChain(random, START_MS);
  const replica = new MarketReplica();
  commit(replica, wholeMarket(chain.head));
  replica.notes.set("a name", "a text");
  return replica;
}

function piecesOf(replica: MarketReplica, attachment: Uint8Array, position = POSITION) {
  const content = { chainId: CHAIN_ID, position, market: replica.frozen(), attachment };
  const writing = encodeFeedSnapshot(content);
  for (;;) {
    const step = writing.next();
    if (step.done === true) return step.value;
  }
}

function anyEntry(random: RandomSource): FeedEntry {
  const chain = new FeedChain(random, START_MS);
  const before = chain.head;
  chain.grow();
  const messages = messagesBetween(before, chain.head);
  const block = random.chance(0.3) ? wholeMarket(before) : random.pick(messages);
  const maker = { maker: random.hex(20) };
  const swaps = block.swaps.map((swap) => (random.chance(0.5) ? { ...swap, ...maker } : swap));
  const history = messages.map(({ stamp }) => ({ stamp, swaps }));
  const isTold = random.chance(0.7);
  const excluded = new Set([random.hex(20), random.hex(20)]);
  const pools = block.pools.map((pool) => ({ ...pool, constants: pool.constants! }));
  return {
    chainId: CHAIN_ID,
    position: { epoch: START_MS + random.integer(1_000), sequence: 1 + random.integer(500) },
    before: { number: random.integer(1e9), hash: random.hex(32), digest: BigInt(random.hex(16)) },
    digest: BigInt(random.hex(16)),
    publishedAtMs: START_MS + random.next(),
    history: isTold
      ? { isComplete: random.chance(0.5), sinceMs: random.chance(0.5) ? START_MS : undefined }
      : undefined,
    notes: new Map(random.chance(0.5) ? [["verdict 0x1", '{"ü":1}']] : []),
    block: {
      ...{ ...block, orphaned: random.chance(0.5) ? [random.hex(32)] : [], pools, swaps },
      supplies: random.chance(0.5)
        ? [{ token: random.hex(20), totalSupply: random.amount(250) }]
        : [],
      ...(random.chance(0.5) && { history }),
      ...(random.chance(0.5) && { excludedFromTransit: excluded }),
    },
  };
}

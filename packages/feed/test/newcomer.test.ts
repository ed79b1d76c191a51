import type { MarketBlock, PastBlock } from "@millrace/core";
import { MemoryLog, type OwnSource, openFeed } from "@millrace/feed";
import { eventually, RandomSource, TestScope } from "@millrace/testing";
import { Effect, Queue, Stream } from "effect";
import { afterEach, describe, expect, it } from "vitest";
import { FeedChain, messagesBetween, wholeMarket } from "./simulator/FeedChain.ts";

const CHAIN_ID = 9_000_017;

const scope = new TestScope();
afterEach(() => scope.close());

/** Starts a server of the feed; gives all blocks that it emits from then on. */
async function join(log: MemoryLog, holder: string, own?: OwnSource) {
  const feed = await scope.run(openFeed({ log, chainId: CHAIN_ID, holder, leaseMs: 500, own }));
  const blocks: MarketBlock[] = [];
  const take = (block: MarketBlock) => Effect.sync(() => void blocks.push(block));
  await scope.run(Effect.forkScoped(Stream.runForEach(feed.source.blocks, take)));
  return { feed, blocks };
}

/** Swaps of each block by hash, in the order in which they were emitted. */
function told(blocks: ReadonlyArray<MarketBlock>): Map<string, ReadonlyArray<string>> {
  const swaps = new Map<string, ReadonlyArray<string>>();
  const note = ({ stamp, swaps: of }: PastBlock) => {
    if (of.length > 0)
      swaps.set(
        stamp.hash,
        of.map(({ transactionHash }) => transactionHash),
      );
  };
  for (const block of blocks) {
    for (const orphan of block.orphaned ?? []) swaps.delete(orphan);
    for (const each of [block, ...(block.history ?? [])]) note(each);
  }
  return swaps;
}

describe("a server that joins a feed", () => {
  it("is told what the others were, block by block, those included of which the leader told later", async () => {
    const chain = new FeedChain(new RandomSource(5), Date.UTC(2026, 10, 26));
    while (chain.head.stamp.number < 110 || chain.head.swaps.length === 0) chain.grow();
    const opening = chain.head;
    const past: PastBlock[] = [];
    for (let at = opening; past.length < 4; at = at.parent!) {
      past.push({ stamp: at.stamp, swaps: at.swaps });
    }
    const messages: MarketBlock[] = [];
    while (chain.head.stamp.number < 130) {
      const before = chain.head;
      chain.grow();
      messages.push(...messagesBetween(before, chain.head));
    }
    const whole = wholeMarket(opening);
    const nothingMore = { ...whole, dexes: [], tokens: [], pools: [], states: [] };
    // The swaps of its first block come later, with those of the past.
    const behind = [nothingMore, { ...nothingMore, history: past }, ...messages];
    const emitted = await Effect.runPromise(Queue.unbounded<MarketBlock>());
    const source = { chainId: CHAIN_ID, blocks: Stream.fromQueue(emitted) };
    const log = new MemoryLog();
    const leader = await join(log, "leader", {
      isStandby: false,
      open: Effect.succeed({ source }),
    });
    Queue.offerUnsafe(emitted, whole);
    await eventually(() => leader.feed.status().savedSnapshots === 1);
    for (const block of behind) Queue.offerUnsafe(emitted, block);
    await eventually(() => leader.blocks.length === 1 + behind.length);
    const newcomer = await join(log, "newcomer");
    const { number } = chain.head.stamp;
    await eventually(() => newcomer.blocks.at(-1)?.stamp.number === number);
    const stamps = ({ blocks: all }: typeof leader) => all.map(({ stamp }) => stamp);
    expect.soft(stamps(newcomer)).toEqual(stamps(leader).slice(-newcomer.blocks.length));
    expect(told(newcomer.blocks)).toEqual(told(leader.blocks));
    expect(told(newcomer.blocks).get(opening.stamp.hash)).toHaveLength(opening.swaps.length);
  });
});

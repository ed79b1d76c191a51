import { type ChainOptions, type ChainSource, chainSource } from "@millrace/chain";
import type { MarketBlock, PastBlock } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import { TestScope, until } from "@millrace/testing";
import { chainOptionsOf } from "@millrace/testing/devnet";
import { Effect, Stream } from "effect";
import { numberToHex } from "viem";
import { afterEach, describe, expect, it } from "vitest";
import { Chain } from "../live/Chain.ts";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";
import { RandomTraders } from "../live/RandomTraders.ts";
import { readPools } from "../live/readPools.ts";
import { swapsOfChain } from "../live/swapsOfChain.ts";
import {
  everTold,
  expectPrices,
  expectTimes,
  net,
  textOf,
  textsOf,
  transportThrough,
} from "./historySupport.ts";

// Swaps from before the start of a source are published late: all of them, once, as on the chain.

const SEED = 20_261_124;
const PATIENCE_MS = 300_000;
/** Most of the past lies below the journal, and is read in ranges. */
const JOURNAL_DEPTH = 8;

/** A source, and its messages. */
interface Other {
  readonly source: ChainSource;
  readonly blocks: ReadonlyArray<MarketBlock>;
}

describe("the past of a chain", { timeout: PATIENCE_MS }, () => {
  let live: LiveMarket;
  const others: TestScope[] = [];
  afterEach(async () => {
    for (const scope of others.splice(0)) await scope.close();
    await live?.close();
  });

  /** A devnet with some blocks of random trades, and a source that starts late. */
  async function openLate(
    blocks: number,
    options: Partial<ChainOptions> = {},
  ): Promise<RandomTraders> {
    live = await openLiveMarket("ETH", SEED, async (devnet) => {
      const chain = new Chain(devnet.rpcUrl, devnet.contracts.multicall3);
      // Block times as on Ethereum, independent of the real clock.
      await chain.request("anvil_setBlockTimestampInterval", [12]);
      await crowdOf(devnet).blocks(blocks, 6);
      return { auditedPools: 0, journalDepth: JOURNAL_DEPTH, ...options };
    });
    await live.caughtUp();
    return crowdOf(live.devnet);
  }

  const told = () => net(live.told);
  /** Waits until all of the past was published and received. */
  const complete = ({ source, blocks }: Other = { source: live.source, blocks: live.told }) =>
    until(
      () => source.history().isComplete && source.published().messageCount === blocks.length,
      () => JSON.stringify(source.history()),
    );

  it("is told whole: every swap once, with amounts, times and prices as the chain has them", async () => {
    const crowd = await openLate(40);
    await complete();
    await crowd.blocks(6, 6);
    await live.caughtUp();
    const { chain, devnet } = live;
    const pools = await readPools(chain, devnet);
    const { number } = await chain.head();
    const swaps = await swapsOfChain(chain, pools, 0, number);
    expect(swaps.length).toBeGreaterThan(60);
    expect(textsOf(told())).toEqual(swaps.map(textOf));
    await expectTimes(chain, told());
    await expectPrices(chain, told(), swaps, pools);
    const past = live.told.flatMap(({ history = [] }) => history);
    expect(past.length).toBeGreaterThan(30);
    const numbers = past.map(({ stamp }) => stamp.number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    const startBlock = Math.min(...devnet.dexes.map((dex) => dex.startBlock));
    expect(live.source.history()).toEqual({ sinceMs: await timeOf(startBlock), isComplete: true });
    // Messages with history change nothing else.
    for (const block of live.told.filter(({ history }) => history !== undefined)) {
      const { pools: listed, states, removedPools, tokens, swaps: live0 } = block;
      expect([listed, states, removedPools, tokens, live0].flat()).toEqual([]);
    }
  });

  it("is told as far back as is wanted, by the chain's time", async () => {
    await openLate(30, { historyMs: 0 });
    expect(live.source.history().isComplete).toBe(true);
    expect(live.told.flatMap(({ history = [] }) => history)).toEqual([]);
    const { chain, devnet } = live;
    const { number, timestampMs } = await chain.head();
    const pools = await readPools(chain, devnet);
    const fromMs = await timeOf(number - 15);
    const { source, blocks } = await another(live.devnet, { historyMs: timestampMs - fromMs });
    await complete({ source, blocks });
    const { sinceMs } = source.history();
    expect(sinceMs).toBe(fromMs);
    const times = new Map(net(blocks).map(({ stamp }) => [stamp.hash, stamp.timestampMs]));
    expect([...times.values()].every((time) => time >= fromMs)).toBe(true);
    const swaps = await swapsOfChain(chain, pools, 0, number);
    const wanted = swaps.filter(({ blockNumber }) => blockNumber >= number - 15);
    expect(textsOf(net(blocks))).toEqual(wanted.map(textOf));
    expect(wanted.length).toBeGreaterThan(10);
    expect(wanted.length).toBeLessThan(swaps.length);
  });

  it("is told as far back as is wanted across ten hours in which the chain stood still", async () => {
    const hourMs = 3_600_000;
    const crowd = await openLate(15);
    const before = await live.chain.head();
    const nextSeconds = before.timestampMs / 1_000 + 36_000;
    await live.chain.request("evm_setNextBlockTimestamp", [nextSeconds]);
    await crowd.blocks(15, 6);
    await live.caughtUp();
    const resumedMs = await timeOf(before.number + 1);
    expect(resumedMs - before.timestampMs).toBeGreaterThan(9 * hourMs);
    const near = await another(live.devnet, { historyMs: 5 * hourMs });
    const far = await another(live.devnet, { historyMs: 24 * hourMs });
    await complete(near);
    await complete(far);
    await complete();
    expect(near.source.history().sinceMs).toBe(resumedMs);
    expect(far.source.history()).toEqual(live.source.history());
    const since = told().filter(({ stamp }) => stamp.number > before.number);
    expect(textsOf(net(near.blocks))).toEqual(textsOf(since));
    expect(textsOf(net(far.blocks))).toEqual(textsOf(told()));
    expect(since.length).toBeGreaterThan(5);
    expect(since.length).toBeLessThan(told().length);
  });

  it("is not read again where the reader knows it, unless the chain has it no longer", async () => {
    await openLate(30);
    await complete();
    const { number } = await live.chain.head();
    const toBlock = number - 12;
    const fromBlock = Math.min(...live.devnet.dexes.map((dex) => dex.startBlock));
    const { hash: toHash } = await live.chain.request<{ hash: Hex }>("eth_getBlockByNumber", [
      numberToHex(toBlock),
      false,
    ]);
    const options = { journalDepth: JOURNAL_DEPTH };
    const known = await another(live.devnet, {
      ...options,
      knownHistory: [{ fromBlock, toBlock, toHash }],
    });
    const orphan: Hex = `0x${"77".repeat(32)}`;
    const mistaken = await another(live.devnet, {
      ...options,
      knownHistory: [{ fromBlock, toBlock, toHash: orphan }],
    });
    await complete(known);
    await complete(mistaken);
    expect(known.source.confirmedTo()).toBe(toBlock);
    expect(mistaken.source.confirmedTo()).toBeUndefined();
    const whole = told();
    const since = whole.filter(({ stamp }) => stamp.number > toBlock);
    expect(textsOf(net(known.blocks))).toEqual(textsOf(since));
    expect(since.length).toBeGreaterThan(3);
    expect(textsOf(net(mistaken.blocks))).toEqual(textsOf(whole));
    expect(known.source.history()).toEqual(live.source.history());
  });

  it("is gone on with from where the chain still has it, when its end was taken back meanwhile", async () => {
    const crowd = await openLate(40);
    await complete();
    const { ranges } = live.source.published();
    const { number } = await live.chain.head();
    expect(ranges.map(({ toBlock }) => toBlock)).toEqual([number]);
    await live.chain.request("anvil_reorg", [12, []]);
    await crowd.blocks(8, 6);
    await live.caughtUp();
    await complete();
    const heard = new Set(told().map(({ stamp }) => stamp.hash));
    const kept = ranges[0]!.blocks!.filter(({ hash }) => heard.has(hash)).at(-1)!;
    expect(kept.number).toBeGreaterThan(number - 20);
    const { source, blocks } = await another(live.devnet, {
      journalDepth: JOURNAL_DEPTH,
      knownHistory: ranges,
    });
    await complete({ source, blocks });
    expect(source.confirmedTo()).toBe(kept.number);
    const since = told().filter(({ stamp }) => stamp.number > kept.number);
    expect(textsOf(net(blocks))).toEqual(textsOf(since));
    expect(since.length).toBeGreaterThan(3);
    expect(source.history()).toEqual(live.source.history());
  });

  it("is told further back where an archive wants it, but for what that has, and again where it asks", async () => {
    await openLate(40);
    await complete();
    const whole = told();
    const { ranges } = live.source.published();
    const { number } = await live.chain.head();
    const options = { journalDepth: JOURNAL_DEPTH, historyMs: 10_000 };
    let hasRoom = false;
    const archive = { historyMs: 86_400_000, known: [], hasRoom: () => hasRoom };
    const { source, blocks } = await another(live.devnet, { ...options, archive });
    await complete({ source, blocks });
    // The reader's own past does not wait for the archive.
    expect(net(blocks).length).toBeLessThan(whole.length);
    hasRoom = true;
    await until(
      () => isArchived(source) && net(blocks).length === whole.length,
      () => `${net(blocks).length}`,
    );
    expect(textsOf(net(blocks))).toEqual(textsOf(whole));
    const [, one] = whole;
    source.republish(one!.stamp.number, one!.stamp.number);
    const times = () => blocks.flatMap(({ history = [] }) => history).filter(isSame(one!)).length;
    const before = times();
    await until(
      () => times() === before + 1,
      () => `${times()}`,
    );
    // Swaps in the archive are not published again, unless the reader lacks them.
    const known = ranges.map((range) => ({ ...range, toBlock: number - 5 }));
    const ofBoth = known.map(({ blocks: heard, ...range }) => {
      const kept = heard!.filter((block) => block.number <= number - 5);
      return { ...range, toBlock: kept.at(-1)!.number, toHash: kept.at(-1)!.hash, blocks: kept };
    });
    const keeping = { historyMs: 86_400_000, known: ofBoth, hasRoom: () => true };
    const later = await another(live.devnet, { ...options, archive: keeping });
    await complete(later);
    await until(
      () =>
        isArchived(later.source) && later.source.published().messageCount === later.blocks.length,
      () => JSON.stringify(later.source.archiveProgress()),
    );
    expect(later.source.archiveConfirmedTo()).toBe(ofBoth[0]!.toBlock);
    const sinceMs = later.source.history().sinceMs!;
    const expected = whole.filter(
      ({ stamp }) => stamp.timestampMs >= sinceMs || stamp.number > ofBoth[0]!.toBlock,
    );
    expect(textsOf(net(later.blocks))).toEqual(textsOf(expected));
  });

  it("holds no block up that comes while it is read, nor one of a node that is slow with it", async () => {
    let held = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const transport = transportThrough(async (answer) => {
      held++;
      await released;
      return answer;
    });
    const crowd = await openLate(30, { transport });
    await until(
      () => held > 0,
      () => "nobody reads the past",
    );
    for (let count = 0; count < 5; count++) {
      await crowd.blocks(1, 6);
      await live.caughtUp();
      expect(live.source.history().isComplete).toBe(false);
    }
    release();
    await complete();
    await expectWhole();
  });

  it("is read block by block, and whole, of a node whose ranges are not to be trusted", async () => {
    let asked = 0;
    const transport = transportThrough(async (answer) => {
      asked++;
      return answer.replaceAll('"removed":false', '"removed":true');
    });
    await openLate(30, { transport });
    await complete();
    expect(asked).toBeGreaterThan(3);
    await expectWhole();
  });

  it("is taken back with the blocks that a deep reorganisation takes, and told anew", async () => {
    const crowd = await openLate(40);
    await complete();
    for (const depth of [30, 12]) {
      const before = await live.chain.newestHashes(depth);
      await live.chain.request("anvil_reorg", [depth, []]);
      await crowd.blocks(10, 6);
      await live.caughtUp();
      await complete();
      const { chain, devnet } = live;
      const { number } = await chain.head();
      const swaps = await swapsOfChain(chain, await readPools(chain, devnet), 0, number);
      expect(textsOf(told())).toEqual(swaps.map(textOf));
      const orphaned = new Set(live.told.flatMap((block) => block.orphaned ?? []));
      const hadSwaps = before.filter((hash) => everTold(live.told).has(hash));
      expect(hadSwaps.length).toBeGreaterThan(4);
      expect(hadSwaps.filter((hash) => !orphaned.has(hash))).toEqual([]);
    }
    expect(live.source.status().resynchronisations).toBeGreaterThan(0);
  });

  async function expectWhole(): Promise<void> {
    const { chain, devnet } = live;
    const { number } = await chain.head();
    const swaps = await swapsOfChain(chain, await readPools(chain, devnet), 0, number);
    expect(swaps.length).toBeGreaterThan(60);
    expect(textsOf(told())).toEqual(swaps.map(textOf));
  }

  async function timeOf(block: number): Promise<number> {
    const header = await live.chain.request<{ timestamp: Hex }>("eth_getBlockByNumber", [
      numberToHex(block),
      false,
    ]);
    return Number(header.timestamp) * 1_000;
  }

  /** Starts another source of the same chain. */
  async function another(devnet: Devnet, options: Partial<ChainOptions>): Promise<Other> {
    const scope = new TestScope();
    others.push(scope);
    const blocks: MarketBlock[] = [];
    const source = await scope.run(chainSource({ ...chainOptionsOf(devnet), ...options }));
    const hear = (block: MarketBlock) => Effect.sync(() => blocks.push(block));
    await scope.run(Effect.forkScoped(Stream.runForEach(source.blocks, hear)));
    return { source, blocks };
  }
});

function isArchived({ archiveProgress }: ChainSource): boolean {
  const progress = archiveProgress();
  return progress !== undefined && progress.missingTo === undefined;
}

const isSame =
  ({ stamp: { hash } }: PastBlock) =>
  ({ stamp }: PastBlock) =>
    stamp.hash === hash;

function crowdOf(devnet: Devnet): RandomTraders {
  return new RandomTraders(new Chain(devnet.rpcUrl, devnet.contracts.multicall3), devnet, SEED);
}

import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATIVE, type Service, startConfigured, WETH } from "../kit/service.ts";
import { openPausedStream, type PausedStream } from "./pausedStream.ts";
import { openReader, type StreamReader } from "./streamReader.ts";

const FAST_READERS = 200;
const LADDERS = 100;
const BLOCKS_HELD_BACK = 20;

let service: Service;
let fast: ReadonlyArray<StreamReader>;
let names: ReadonlyArray<string>;
/** Tokens that have a route. */
let tokens: ReadonlyArray<string>;

/** Services of one thread, and of two that serve. */
for (const servingThreads of [1, 2]) {
  describe(`a slow reader among 200 fast ones, servingThreads: ${servingThreads}`, () => {
    beforeAll(async () => {
      const source = { kind: "generated", seed: 3, poolCount: 12, blockEveryMs: 100 };
      const streams = { connectionsPerAddress: FAST_READERS + 10, operationsPerSecond: 1_000 };
      const networks = [{ id: "ETH", chainId: 1, source }];
      service = await startConfigured({ networks, streams, servingThreads });
      const { json } = await service.get("/ETH/tokenList");
      tokens = json.result.filter(
        (token: string) => token.toLowerCase() !== WETH && token !== NATIVE,
      );
      fast = await Promise.all(Array.from({ length: FAST_READERS }, () => openReader(service.url)));
      names = await Promise.all(
        fast.map((reader) => reader.subscribe({ channel: "block", network: "ETH" })),
      );
    }, 60_000);

    afterAll(async () => {
      await Promise.all(fast?.map((reader) => reader.close()) ?? []);
      await service?.stop();
    });

    it("is told the newest of each subscription when it reads on, and nothing queued", async () => {
      const spared = await metric("millrace_stream_spared_updates_total");
      const slow = await stalled();
      const stopped = slow.messages.length;
      const stoppedBytes = slow.byteCount();
      const newest = headNumber();
      slow.resume();
      await eventually(() => isToldOf(slow, newest));
      expect(await metric("millrace_stream_spared_updates_total")).toBeGreaterThan(spared);
      let missed = 0;
      for (let ladder = 1; ladder <= LADDERS; ladder++) {
        const own = slow.messages.filter(({ subscription }) => subscription === `s${ladder}`);
        const updates = own.filter(({ op }) => op === "update");
        const gaps = updates.map(({ seq }, at) => seq - (updates[at - 1]?.seq ?? 0) - 1);
        // The gap lies between the messages on their way and the newest one.
        expect(gaps.every((gap) => gap >= 0)).toBe(true);
        missed += gaps.reduce((sum, gap) => sum + gap, 0);
      }
      const told = slow.messages.length - stopped;
      expect(missed).toBeGreaterThan(LADDERS);
      const bytesATold = (slow.byteCount() - stoppedBytes) / told;
      // A megabyte of messages, and on a machine that keeps up several, were never sent.
      expect(missed * bytesATold).toBeGreaterThan(2 ** 20);
      expect(slow.closing()).toBe(undefined);
      slow.close();
      await expectNothingMissed();
    }, 120_000);

    it("is closed with 1013 and a reason where it asks on without reading", async () => {
      await eventually(() => service.streams.counts().connections === FAST_READERS);
      const closed = await metric("millrace_stream_slow_readers_closed_total");
      const slow = await stalled();
      let asked = 0;
      await eventually(() => {
        slow.send({ op: "list", id: asked++ });
        return service.streams.counts().connections === FAST_READERS;
      });
      // Each list has tens of kilobytes: a few fill the limit of waiting bytes, and no more are
      // accepted.
      expect(asked).toBeLessThan(1_000);
      expect(await metric("millrace_stream_slow_readers_closed_total")).toBe(closed + 1);
      slow.resume();
      expect(await eventually(() => slow.closing())).toEqual([1013, "the reader is too slow"]);
      slow.close();
      await expectNothingMissed();
    }, 120_000);
  });
}

/** A ladder in a market so small that nearly every block moves it. */
const ladder = (index: number) => ({
  ...{ op: "subscribe", id: index, channel: "quote", network: "ETH", tokenA: WETH },
  tokenB: tokens[index % tokens.length],
  amounts: Array.from({ length: 16 }, (_, size) => String(10n ** 17n + BigInt(size))),
});

const headNumber = (): number => service.networks.primary.market!.engine.graph.stamp.number;

/** A counter of the service. */
async function metric(name: string): Promise<number> {
  const { text } = await service.get("/metrics");
  return Number(new RegExp(`^${name} (\\d+)$`, "mu").exec(text)?.[1]);
}

/**
 * A reader of a hundred ladders that has paused for so long that the service sends nothing more.
 */
async function stalled(): Promise<PausedStream> {
  const slow = await openPausedStream(service.url);
  for (let index = 0; index < LADDERS; index++) slow.send(ladder(index));
  await eventually(() => new Set(slow.messages.map((one) => one.subscription)).size > LADDERS);
  slow.pause();
  // The operating system buffers some megabytes first.
  await eventually(async () => (await metric("millrace_stream_readers_behind")) === 1);
  const since = headNumber();
  await eventually(() => headNumber() >= since + BLOCKS_HELD_BACK);
  return slow;
}

/**
 * Whether the last message of every ladder, except a few that nothing moves, is of a block or
 * later.
 */
function isToldOf({ messages }: PausedStream, newest: number): boolean {
  const numbers = new Map<string, number>();
  for (const { op, subscription, blockNumber } of messages) {
    if (op === "update") numbers.set(subscription, Number(blockNumber));
  }
  const told = [...numbers.values()];
  return told.length >= LADDERS / 2 && told.every((number) => number >= newest);
}

/** Checks that fast readers got all blocks, one after another, up to now. */
async function expectNothingMissed(): Promise<void> {
  const head = headNumber();
  for (const [index, reader] of fast.entries()) {
    const told = () => reader.told(names[index]!);
    await eventually(() => Number(told().at(-1)?.blockNumber) >= head);
    for (const [at, { seq, blockNumber }] of told().entries()) {
      expect(seq).toBe(at);
      expect(Number(blockNumber)).toBe(Number(told()[0]!.blockNumber) + at);
    }
  }
}

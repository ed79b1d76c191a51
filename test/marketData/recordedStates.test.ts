import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Engine, type MarketBlock, openMarket } from "@millrace/core";
import {
  embeddedHistory,
  type HistoryStore,
  recordedMarket,
  recordStates,
} from "@millrace/history";
import { curves } from "@millrace/protocols";
import { law, type RandomSource, TestScope } from "@millrace/testing";
import { Effect, Queue, Stream } from "effect";
import { assert, describe, expect, it } from "vitest";
import { DEPTH_MAX, ReorganisedMarket } from "../markets/reorganisedMarket.ts";

const BLOCKS = 40;
/** With many pools, a whole market takes several slices, and blocks come in between. */
const POOLS = [20, 40, 800];

describe("recorded states", () => {
  it("are at each block that stands the market that was there then, whatever was taken back", async () => {
    const cases = law("recorded states", 5);
    let compared = 0;
    for (const [index, random] of cases.sources()) {
      compared += await withStore(async (store, scope) => {
        const { line } = await record(store, random, scope);
        const { fromBlock } = (await scope.run(store.stateRange))!;
        const known = line.filter(({ stamp }) => stamp.number >= fromBlock);
        for (const [place, { stamp }] of known.entries()) {
          if (!random.chance(0.4)) continue;
          const about = `case ${index}, as of block ${stamp.number}`;
          const ends = random.chance(0.2) ? known.length : place + 2;
          const blocks = await read(store, scope, stamp.number, known.at(ends - 1)?.stamp.number);
          const market = openMarket(1, curves);
          for (const [step, block] of blocks.entries()) {
            assert.deepEqual(market.writer.applyBlock(block).rejected, [], about);
            const { snapshot } = known[place + step]!;
            assert.isTrue(Buffer.from(market.snapshot()).equals(snapshot), `${about}, + ${step}`);
          }
          assert.equal(blocks.length, Math.min(ends, known.length) - place, about);
        }
        return known.length;
      });
    }
    expect(compared).toBeGreaterThanOrEqual(cases.cases);
  });
});

/** Runs a market and records it. */
async function record(store: HistoryStore, random: RandomSource, scope: TestScope) {
  const market = new ReorganisedMarket(random, random.pick(POOLS));
  const recording = new TestScope();
  const blocks = await scope.run(Queue.unbounded<MarketBlock>());
  await scope.run(Queue.offer(blocks, market.first));
  const source = { chainId: 1, blocks: Stream.fromQueue(blocks) };
  const engine = await scope.run(Engine.make({ source, curves }));
  const write = (change: Parameters<HistoryStore["write"]>[0][number]) => {
    // Another writer writes and reverts the other data of a block.
    assert.include(["state", "revertStates"], change.kind);
    return scope.run(Effect.as(store.write([change]), true));
  };
  const everyBlocks = random.between(2, 12);
  await recording.run(recordStates({ engine, curves, everyBlocks, write }));
  /** Whether there is a whole market, which no reorganisation on its way takes back. */
  const hasState = async () => {
    const { fromBlock = Infinity } = (await scope.run(store.stateRange)) ?? {};
    return fromBlock + DEPTH_MAX <= market.line.at(-1)!.stamp.number;
  };
  for (let block = 0; block < BLOCKS || !(await hasState()); block++) {
    for (const part of market.next()) {
      const applied = new Promise<void>((resolve) => {
        const stop = engine.onPart(() => {
          stop();
          resolve();
        });
      });
      await scope.run(Queue.offer(blocks, part));
      await applied;
      for (let turn = random.integer(4); turn > 0; turn--) await setImmediate();
    }
  }
  await recording.close();
  return { line: market.line, engine };
}

async function read(store: HistoryStore, scope: TestScope, asOf: number, toBlock?: number) {
  const source = await scope.run(recordedMarket({ store, chainId: 1, asOf, toBlock }));
  return scope.run(Stream.runCollect(source.blocks));
}

async function withStore<A>(use: (store: HistoryStore, scope: TestScope) => Promise<A>) {
  const folder = await mkdtemp(join(tmpdir(), "millrace-states-"));
  const scope = new TestScope();
  try {
    const path = join(folder, "history.sqlite");
    return await use(await scope.run(embeddedHistory({ path, chainId: 1 })), scope);
  } finally {
    await scope.close();
    await rm(folder, { recursive: true });
  }
}

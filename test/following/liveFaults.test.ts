import { env } from "node:process";
import { budget, law, RandomSource, TEST_SEED, until } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";
import { RESTLESS } from "../live/acts.ts";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";
import { type Outage, Proxy } from "../live/Proxy.ts";
import { GAS, RandomTraders } from "../live/RandomTraders.ts";
import { rebuild } from "../live/rebuild.ts";

// A real chain reorganises, and the connection to it breaks: the followed graph must still equal,
// byte for byte, one that is built from scratch at the chain's head.

const OUTAGE_MS = Number(env["MILLRACE_LIVE_OUTAGE_MS"] ?? 3_000);
const OUTAGES: ReadonlyArray<Outage> = ["refused", "held", "lost"];
const PATIENCE_MS = 600_000;
/** Depths of the reorganisations; a deep one needs many blocks before it. */
const DEPTHS = [1, 2, 7, 1, 2, 64, 1, 2, 7, 1, 2, 1, 1, 2, 7, 1, 2, 1, 2, 1];

describe("a chain that takes blocks back", { timeout: PATIENCE_MS }, () => {
  let live: LiveMarket;
  let crowd: RandomTraders;
  afterEach(() => live?.close());

  async function open(
    options: Parameters<typeof openLiveMarket>[2],
    network: "ETH" | "BASE" = "ETH",
  ): Promise<void> {
    live = await openLiveMarket(network, TEST_SEED, options, { families: true });
    crowd = new RandomTraders(live.chain, live.devnet, TEST_SEED, RESTLESS);
  }

  async function expectAsFromScratch(): Promise<void> {
    await live.caughtUp();
    const differs = Buffer.compare(live.engine.snapshot(), await rebuild(live)) !== 0;
    const { differences } = differs
      ? await live.run(live.source.verify(live.engine.snapshot()))
      : { differences: [] };
    expect(differences).toEqual([]);
    expect(differs).toBe(false);
  }

  it("is followed through hundreds of reorganisations, byte for byte", async () => {
    const { cases } = law("reorganisations of a followed chain", 16);
    await open(async () => ({ auditedPools: 0 }), "BASE");
    const random = new RandomSource(TEST_SEED);
    const { chain, devnet, source, told } = live;
    let followed = 0;
    let removed = 0;
    for (let count = 0; count < cases; count++) {
      const depth = DEPTHS[count % DEPTHS.length]!;
      if (depth > 1) await crowd.blocks(depth - 1, 3);
      await live.run(devnet.traffic.block(6));
      // Every other time the source has not seen all blocks, or is just reading the reverted ones.
      const hasSeen = count % 2 === 0;
      if (hasSeen) await live.caughtUp();
      const orphans = await chain.newestHashes(depth);
      const before = { blocks: told.length, ...source.status() };
      const replacing = random.integer(2) === 0 ? [] : await crowd.decide(Math.min(depth, 4));
      await chain.request("anvil_reorg", [
        depth,
        replacing.map((sending, index) => [{ ...sending, gas: GAS }, index]),
      ]);
      if (random.integer(3) === 0) await crowd.blocks(1 + random.integer(2), 3);
      await expectAsFromScratch();
      const since = told.slice(before.blocks);
      removed += since.reduce((sum, block) => sum + block.removedPools.length, 0);
      if (!hasSeen) continue;
      followed++;
      expect(since.flatMap(({ orphaned = [] }) => orphaned)).toEqual(orphans);
      expect(source.status().reorganisations).toBeGreaterThan(before.reorganisations);
      if (count % 20 === 0)
        expect(await live.run(source.verify(live.engine.snapshot()))).toMatchObject({
          equal: true,
        });
    }
    expect(followed).toBeGreaterThanOrEqual(cases / 2);
    expect(removed).toBeGreaterThan(cases / 20);
    expect(source.status()).toMatchObject({ resynchronisations: 0, driftedPools: 0 });
    expect(live.rejected).toEqual([]);
    expect(live.engine.graph.livePoolCount).toBeGreaterThanOrEqual(devnet.pools.length);
  });

  it("that goes back without a word, and on from there, is followed", async () => {
    await open(async () => ({ auditedPools: 0 }));
    const { chain } = live;
    // Without a later block, the node might just lag, so the source does nothing.
    for (const after of [3, 1, 5].slice(0, budget(3))) {
      const snapshot = await chain.request("evm_snapshot");
      await crowd.blocks(3, 3);
      await live.caughtUp();
      await chain.request("evm_revert", [snapshot]);
      if (after > 0) await crowd.blocks(after, 3);
      await expectAsFromScratch();
    }
    for (const after of [3, 1, 5].slice(0, budget(3))) {
      await crowd.blocks(4, 3);
      await live.caughtUp();
      await chain.request("anvil_rollback", [3]);
      if (after > 0) await crowd.blocks(after, 3);
      await expectAsFromScratch();
    }
    expect(live.source.status()).toMatchObject({ resynchronisations: 0, driftedPools: 0 });
  });

  it("deeper than the journal is read anew, and not relied on meanwhile", async () => {
    await open(async () => ({ auditedPools: 0, journalDepth: 8 }));
    const { chain, source, engine } = live;
    for (let round = 1; round <= 2; round++) {
      await crowd.blocks(24, 3);
      await live.caughtUp();
      await chain.request("anvil_reorg", [20, []]);
      // A branch that is not longer must be announced many times.
      if (round % 2 === 0) await crowd.blocks(2, 3);
      await until(
        () => source.obstacle() !== undefined,
        () => "no obstacle",
      );
      await expectAsFromScratch();
      expect(source.status()).toMatchObject({ resynchronisations: round, driftedPools: 0 });
    }
    expect(engine.graph.livePoolCount).toBeGreaterThan(live.devnet.pools.length);
  });
});

describe("an endpoint that goes away and comes back", { timeout: PATIENCE_MS }, () => {
  it("is followed at the right head again, whatever became of what was under way", async () => {
    const proxies: Proxy[] = [];
    const live = await openLiveMarket("ETH", TEST_SEED, async ({ rpcUrl }) => {
      const proxy = new Proxy(Number(new URL(rpcUrl).port));
      proxies.push(proxy);
      const host = `127.0.0.1:${await proxy.open()}`;
      return { endpoints: [{ url: `http://${host}`, webSocketUrl: `ws://${host}` }] };
    });
    const [proxy] = proxies as [Proxy];
    const crowd = new RandomTraders(live.chain, live.devnet, TEST_SEED, RESTLESS);
    const recoveries: string[] = [];
    try {
      for (const outage of OUTAGES) {
        await crowd.blocks(2, 3);
        await live.caughtUp();
        await proxy.breakDown(outage);
        const end = performance.now() + OUTAGE_MS;
        while (performance.now() < end) {
          await crowd.blocks(1, 3);
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
        const { hash } = await live.chain.head();
        expect(live.engine.graph.stamp.hash).not.toBe(hash);
        const back = performance.now();
        await proxy.comeBack();
        await live.caughtUp();
        recoveries.push(`${outage} ${Math.round(performance.now() - back)} ms`);
        expect(Buffer.compare(live.engine.snapshot(), await rebuild(live))).toBe(0);
      }
    } finally {
      await live.close();
      await proxy.close();
    }
    if (env["MILLRACE_LIVE_TELL"] !== undefined) console.log(recoveries.join(", "));
  });
});

import { law, TEST_SEED, until } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countChanges } from "../live/countChanges.ts";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";
import { RandomTraders } from "../live/RandomTraders.ts";
import { familyStateOf, readFamilies } from "../live/readFamilies.ts";
import { poolOf, readPools } from "../live/readPools.ts";

// A real chain has heavy traffic; the followed graph is compared with its contracts.

const PATIENCE_MS = 600_000;

describe("the graph that follows a chain", { timeout: PATIENCE_MS }, () => {
  let live: LiveMarket;
  beforeAll(async () => {
    // Without audits, so that errors of the follower persist and are found here.
    live = await openLiveMarket("BASE", TEST_SEED, async () => ({ auditedPools: 0 }), {
      families: true,
    });
  });
  afterAll(() => live?.close());

  it("has every pool as its contract has it after thousands of swaps, mints and burns", async () => {
    const { chain, devnet, engine, source } = live;
    const crowd = new RandomTraders(chain, devnet, TEST_SEED);
    const { number: start } = await chain.head();
    let changes = 0;
    const { cases } = law("swaps, mints and burns of a followed chain", 4_000);
    while (changes < cases) {
      await crowd.blocks(4, 200);
      // Few at once: transactions beyond a block's limit would be mined later, among the crowd's.
      for (let block = 0; block < 4; block++) await live.run(devnet.traffic.block(4));
      const head = await live.caughtUp();
      changes = await countChanges(chain, start + 1, head.number);
      await expectSameAsChain(live);
    }
    const pools = await readPools(chain, devnet);
    const ticks = [...pools.values()].flatMap((pool) => pool.ticks);
    expect(ticks.filter(([, liquidityNet]) => liquidityNet === 0n).length).toBeGreaterThan(0);
    expect(pools.size).toBeGreaterThan(devnet.pools.length);
    expect(await live.run(source.verify(engine.snapshot()))).toMatchObject({
      ...{ equal: true, pools: engine.graph.livePoolCount, differences: [] },
      stamp: { hash: (await chain.head()).hash },
    });
    expect(source.status()).toMatchObject({ driftedPools: 0, resynchronisations: 0 });
    expect(live.rejected).toEqual([]);
  });

  it("is audited, and no pool is found to differ", async () => {
    const options = async () => ({ auditedPools: 40 });
    const audited = await openLiveMarket("ETH", TEST_SEED, options, { families: true });
    try {
      let auditedPools = await nextAudit(audited, 0);
      const crowd = new RandomTraders(audited.chain, audited.devnet, TEST_SEED);
      for (let round = 0; round < 5; round++) {
        await crowd.blocks(1, 20);
        await audited.caughtUp();
        // While it mines, the node answers for the previous block with another state.
        auditedPools = await nextAudit(audited, auditedPools);
      }
      expect(audited.source.status().driftedPools).toBe(0);
      expect(auditedPools).toBeGreaterThan(3 * 20);
      await expectSameAsChain(audited);
    } finally {
      await audited.close();
    }
  });
});

/** Waits for one more audit: there is one at the opening of the market, and one for each block. */
async function nextAudit({ source }: LiveMarket, before: number): Promise<number> {
  await until(
    () => source.status().auditedPools > before,
    () => "nothing is audited",
  );
  return source.status().auditedPools;
}

async function expectSameAsChain({ chain, devnet, engine }: LiveMarket): Promise<void> {
  const pools = await readPools(chain, devnet);
  const { graph } = engine;
  const families = await readFamilies(chain, devnet);
  expect(graph.livePoolCount).toBe(pools.size + families.length);
  for (const { pool, listing, state } of families) {
    const found = graph.findPool(listing.address);
    expect(found, pool.id).toBeDefined();
    expect(familyStateOf(engine, found!), `${pool.kind} ${pool.id}`).toEqual(state);
  }
  for (const [address, reading] of pools) {
    const pool = graph.findPool(address);
    expect(pool, address).toBeDefined();
    expect(poolOf(engine, pool!)).toEqual(reading);
  }
}

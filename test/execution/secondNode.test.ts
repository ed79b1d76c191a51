import type { Address } from "@millrace/core";
import { approvalsFor } from "@millrace/execution";
import { law, RandomSource, TEST_EFFORT, TEST_SEED } from "@millrace/testing";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EdrNode } from "../live/EdrNode.ts";
import { withDeployment } from "../live/paths.ts";
import { readPools } from "../live/readPools.ts";
import { SwapSender } from "../live/SwapSender.ts";
import { drawSwap } from "../live/swapCases.ts";

// The live tests run on anvil. This one runs on Hardhat's implementation of the EVM and of
// JSON-RPC, which lacks some of anvil's methods, and is used without WebSockets.

const PATIENCE_MS = 300_000;
/** Of the devnet ETH. */
const CHAIN_ID = 0x6d696c01;
const RECIPIENT: Address = "0x00000000000000000000000000000000feed0003";

// The set-up takes half a minute there, too long for a push.
describe.runIf(TEST_EFFORT >= 1)("a chain on Hardhat's node", { timeout: PATIENCE_MS }, () => {
  const random = new RandomSource(TEST_SEED);
  let node: EdrNode;
  let desk: SwapSender;
  beforeAll(async () => {
    node = await EdrNode.start(CHAIN_ID);
    const webSocketUrl = node.url.replace("http", "ws");
    desk = await SwapSender.open("ETH", TEST_SEED, false, { url: node.url, webSocketUrl });
  }, PATIENCE_MS);
  afterAll(async () => {
    await desk?.close();
    await node?.close();
  });

  it("is followed: every pool is as one who reads the chain anew has it", async () => {
    const { live } = desk;
    const { number: first } = live.engine.graph.stamp;
    for (let block = 0; block < 6; block++) await live.run(live.devnet.traffic.block(4));
    const head = await live.caughtUp();
    expect(head.number).toBeGreaterThanOrEqual(first + 6);
    expect(await live.run(live.source.verify(live.engine.snapshot()))).toMatchObject({
      ...{ equal: true, pools: live.engine.graph.livePoolCount, differences: [] },
      stamp: { hash: head.hash },
    });
    expect(live.source.status()).toMatchObject({ driftedPools: 0, resynchronisations: 0 });
    expect(live.rejected).toEqual([]);
    // A method of anvil that the set-up does not need.
    expect([...node.unsupported]).toContain("eth_getBlockReceipts");
  });

  it("is swapped on: what was quoted comes out, to the wei", async () => {
    const { live } = desk;
    await live.caughtUp();
    const readings = await readPools(live.chain, live.devnet);
    const pools = [...readings.values()].map((pool) => withDeployment(pool, live.devnet));
    const tokens = live.devnet.tokens.map(({ address }) => address);
    const { cases } = law("swaps on a second node", 20);
    const routers = new Set<string>();
    for (let done = 0; done < cases; ) {
      await live.caughtUp();
      const drawn = drawSwap(desk, pools, random);
      // The sender's balance is not exact to the wei where gas is paid in a token of the swap.
      if (drawn === undefined || drawn.order.isNativeIn || drawn.order.isNativeOut) continue;
      const order = { ...drawn.order, recipient: RECIPIENT };
      const [owned] = await desk.balances([desk.sender], tokens);
      if (order.fee !== undefined || order.amountIn * 8n >= owned!.get(order.tokenIn)!) continue;
      const built = desk.build(order);
      if (built.refused) {
        expect(["NO_ROUTER", "AMOUNT_TOO_SMALL"]).toContain(built.code);
        continue;
      }
      const { intent, router, swap } = built;
      const resetTokens = new Set<Address>();
      const terms = { table: desk.table, resetTokens, chain: desk.access };
      const approvals = await Effect.runPromise(approvalsFor(intent, router, false, terms));
      // Some fees move with every second, so the swap is mined at the quoted block's time.
      const quotedAt = live.engine.graph.stamp.timestampMs;
      for (const approval of approvals)
        expect((await desk.send(approval, quotedAt)).status).toBe("0x1");
      const before = await desk.balances([desk.sender, RECIPIENT], tokens);
      expect((await desk.send(swap, quotedAt)).status).toBe("0x1");
      const after = await desk.balances([desk.sender, RECIPIENT], tokens);
      const change = (holder: number, token: Address) =>
        after[holder]!.get(token)! - before[holder]!.get(token)!;
      const paid = -change(0, order.tokenIn);
      const gained = change(1, order.tokenOut);
      if (order.kind === "exactIn") {
        expect([paid, gained]).toEqual([order.amountIn, order.amountOut]);
      } else {
        expect(paid).toBeGreaterThanOrEqual(order.amountIn);
        expect(paid).toBeLessThanOrEqual(intent.amountInMax);
        expect(gained).toBeGreaterThanOrEqual(order.amountOut);
      }
      routers.add(router.kind);
      done++;
    }
    expect(routers.size).toBeGreaterThan(0);
  });
});

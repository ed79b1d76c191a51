import { env } from "node:process";
import { describe, expect, it } from "vitest";
import { RESTLESS } from "./live/acts.ts";
import { Crowd } from "./live/Crowd.ts";
import { openLiveMarket } from "./live/LiveMarket.ts";
import { type Outage, Proxy } from "./live/Proxy.ts";
import { rebuild } from "./live/rebuild.ts";

// The wire to a real chain breaks while blocks are made.

const OUTAGE_MS = Number(env["MILLRACE_LIVE_OUTAGE_MS"] ?? 3_000);
const OUTAGES: ReadonlyArray<Outage> = ["refused", "held", "lost"];
const SEED = 20_261_123;

describe("an endpoint that goes away and comes back", () => {
  it("is followed at the right head again, whatever became of what was under way", async () => {
    const proxies: Proxy[] = [];
    const live = await openLiveMarket("ETH", SEED, async ({ rpcUrl }) => {
      const proxy = new Proxy(Number(new URL(rpcUrl).port));
      proxies.push(proxy);
      const host = `127.0.0.1:${await proxy.open()}`;
      return { endpoints: [{ url: `http://${host}`, webSocketUrl: `ws://${host}` }] };
    });
    const [proxy] = proxies as [Proxy];
    const crowd = new Crowd(live.chain, live.devnet, SEED, RESTLESS);
    const recoveries: string[] = [];
    try {
      for (const outage of OUTAGES) {
        await crowd.blocks(2, 3);
        await live.caughtUp();
        await proxy.breakDown(outage);
        // What is on its way at that moment is lost as well.
        const end = performance.now() + OUTAGE_MS;
        while (performance.now() < end) {
          await crowd.blocks(1, 3);
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
        const { hash } = await live.chain.head();
        expect(live.engine.graph.stamp.hash).not.toBe(hash);
        expect(live.source.status().endpoints).toMatchObject([{ healthy: false }]);
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

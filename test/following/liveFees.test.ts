import type { TokenPosition } from "@millrace/core";
import { law, surely } from "@millrace/testing";
import { toFunctionSelector } from "viem";
import { describe, expect, it } from "vitest";
import { openLiveMarket } from "../live/LiveMarket.ts";

// Fees that move with the time and without a log are followed through an hour of a chain's time.

const PATIENCE_MS = 600_000;
const HOUR_SECONDS = 3_600;
const FEE = toFunctionSelector("fee()");

describe("fees that move with the time", { timeout: PATIENCE_MS }, () => {
  it.each([
    ["BASE", "slipstream"],
    ["ETH", "algebra-integral"],
  ] as const)("are at every block of an hour of %s what pools of %s say", async (network, kind) => {
    const hour = law(`fees of ${kind} through an hour`, 16);
    const options = async () => ({ auditedPools: 0 });
    const live = await openLiveMarket(network, hour.seed, options, { families: true });
    try {
      const { chain, devnet, engine } = live;
      const { graph, familyOf } = engine;
      const pools = devnet.families!.pools.filter(({ family }) => family === kind);
      const followed = (address: `0x${string}`, positionIn: TokenPosition) => {
        const pool = graph.findPool(address)!;
        return familyOf(pool).feePips(pool, positionIn, 1 - positionIn);
      };
      let before: ReadonlyArray<number> = [];
      let changes = 0;
      for (const [block, random] of hour.sources()) {
        // An hour in total, in steps of very different length.
        const seconds = 1 + random.integer((2 * HOUR_SECONDS) / hour.cases);
        await chain.request("evm_increaseTime", [seconds]);
        if (block % 4 === 3) await chain.request("evm_mine");
        else await live.run(devnet.traffic.block(6));
        await live.caughtUp();
        const answers = await chain.callAll(pools.map(({ address: to }) => ({ to, data: FEE })));
        const fees = answers.map(Number);
        for (const positionIn of [0, 1])
          expect(pools.map(({ address }) => followed(address, positionIn))).toEqual(fees);
        changes += fees.filter((fee, index) => fee !== before[index]).length;
        before = fees;
      }
      expect(changes).toBeGreaterThanOrEqual(surely(hour.cases));
      expect(live.rejected).toEqual([]);
    } finally {
      await live.close();
    }
  });
});

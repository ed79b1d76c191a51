import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { TestScope } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { openData } from "../../src/networks/openData.ts";
import { configOf, startService, UNIVERSE_A } from "../kit/service.ts";

describe("market data that is opened", () => {
  it("lets go of what was saved, which may be large, once the market has it", async () => {
    const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const service = await startService(config);
    const scope = new TestScope();
    try {
      const { engine, data } = service.networks.primary.market!;
      data.settle();
      /** A market restored from another one's save, and a weak reference to the save. */
      const restored = async () => {
        const saved = data.save();
        const lists = { listedTokens: new Map(), circulatingSupply: () => undefined };
        const market = await scope.run(openData(engine, config.networks[0], lists, { saved }));
        return { market, saved: new WeakRef(saved.buffer), copy: saved.slice() };
      };
      const { market, saved, copy } = await restored();
      expect(Buffer.compare(market.save(), copy)).toBe(0);
      setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc") as () => void;
      for (let turns = 0; turns < 20 && saved.deref() !== undefined; turns++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        collect();
      }
      expect(saved.deref() === undefined).toBe(true);
      expect(market.token(0 as Parameters<typeof market.token>[0]).decimals).toBeGreaterThan(0);
    } finally {
      await scope.close();
      await service.stop();
    }
  });
});

import { eventually } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";
import { configOf, type Service, startService, UNIVERSE_A, WETH } from "../kit/service.ts";
import { openReader } from "./streamReader.ts";

let service: Service;
afterEach(() => service?.stop());

const channel = "networks";

describe("the state of a network that is not ready", () => {
  it("is told with the reason, while all other channels are refused", async () => {
    const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const networks = [{ ...config.networks[0], headAgeLimitMs: 60_000 }] as const;
    service = await startService({ ...config, networks });
    const { stamp } = (await eventually(() => service.networks.primary.market)).engine.graph;
    const reader = await openReader(service.url);
    const name = await reader.subscribe({ channel, network: "ETH" });
    const snapshot = await eventually(() => reader.told(name)[0]);
    expect(snapshot).toMatchObject({ op: "snapshot", blockHash: stamp.hash });
    expect(snapshot.data).toEqual({
      ...{ id: "ETH", ready: false, reason: "the newest block is older than 60000 ms" },
      ...{ blockNumber: String(stamp.number), blockHash: stamp.hash },
      ...{ timestamp: stamp.timestampMs, reorganisations: 0 },
    });
    for (const parameters of [
      { channel: "block" },
      { channel: "trades", token: WETH },
      { channel: "candles", token: WETH },
    ]) {
      reader.send({ op: "subscribe", id: parameters.channel, network: "ETH", ...parameters });
      const refusal = await reader.answered(parameters.channel);
      expect(refusal).toMatchObject({ op: "error", code: "NOT_READY" });
    }
    await reader.close();
  });

  it("is refused before there was a block, as there is none to tell of", async () => {
    const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const [first] = config.networks;
    // The recording is of another chain.
    const broken = { ...first, id: "BASE", chainId: 8453 };
    service = await startService({ ...config, logLevel: "none", networks: [first, broken] });
    const reader = await openReader(service.url);
    reader.send({ op: "subscribe", id: 1, channel, network: "BASE" });
    expect(await reader.answered(1)).toMatchObject({ op: "error", code: "NOT_READY" });
    await reader.close();
  });
});

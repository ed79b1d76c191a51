import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configOf, type Service, startService, UNIVERSE_A, USDC, WETH } from "../kit/service.ts";
import { openRawStream } from "./rawStream.ts";

const UNITS_A_SECOND = 4_000;

/** The test acts as a proxy, so that each stream is a client of its own. */
let service: Service;
beforeAll(async () => {
  const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
  const limits = {
    ...config.limits,
    address: { perSecond: UNITS_A_SECOND },
    trustedProxies: ["127.0.0.1"],
  };
  service = await startService({ ...config, limits });
});
afterAll(() => service?.stop());

const ladder = (id: number, amounts: number) =>
  JSON.stringify({
    ...{ op: "subscribe", id, channel: "quote", network: "ETH", tokenA: WETH, tokenB: USDC },
    ...{ maxSplits: 64, maxHops: 4 },
    amounts: Array.from({ length: amounts }, (_, index) =>
      String(10n ** 18n + BigInt(99 * id + index)),
    ),
  });

describe("one client that subscribes to ladders of heavy quotes, as many as it may", () => {
  it("does not keep another from the first value of a stream: they take turns", async () => {
    const hostile = await openRawStream(service.url, "198.51.100.1");
    for (let id = 1; id <= 200; id++) hostile.send(ladder(id, 16));
    const toldOf = (stream: typeof hostile, op: string) =>
      stream.messages().filter((message) => message.op === op).length;
    await hostile.message(0);
    const other = await openRawStream(service.url, "203.0.113.1");
    const before = toldOf(hostile, "snapshot");
    other.send(ladder(0, 1));
    // The other client is subscribed, and has its value.
    await other.message(1);
    const meanwhile = toldOf(hostile, "snapshot") - before;
    expect(other.messages().map(({ op }) => op)).toEqual(["subscribed", "snapshot"]);
    // The hostile client gets all that it may: its other requests are refused, and cost almost
    // nothing.
    expect(toldOf(hostile, "error")).toBeGreaterThan(0);
    expect(meanwhile).toBeLessThanOrEqual(LADDERS_MEANWHILE);
    for (const { socket } of [hostile, other]) socket.destroy();
  });
});

/** One that is under way, one turn, and some that are read late. */
const LADDERS_MEANWHILE = 4;

describe("one client that subscribes to as many quotes as it can", () => {
  it("has its share of those that are streamed, and others have theirs", async () => {
    const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const open = await startService({
      ...config,
      limits: { ...config.limits, trustedProxies: ["127.0.0.1"] },
      streams: { ...config.streams, operationsPerSecond: 1_000, subscriptionsMax: 1_000 },
    });
    try {
      const hostile = await openRawStream(open.url, "198.51.100.1");
      for (let id = 0; id < QUOTES_OF_CLIENT / 16; id++) hostile.send(lightLadder(id));
      // One more, from another connection of the same client.
      const again = await openRawStream(open.url, "198.51.100.1");
      await hostile.message(2 * (QUOTES_OF_CLIENT / 16) - 1);
      again.send(lightLadder(1_000));
      expect(await again.message(0)).toMatchObject({ op: "error", code: "RATE_LIMITED" });
      expect(hostile.messages().filter(({ op }) => op === "error")).toEqual([]);
      const other = await openRawStream(open.url, "203.0.113.1");
      other.send(lightLadder(1_001));
      expect(await other.message(0)).toMatchObject({ op: "subscribed" });
      // A subscription that it gives up, it may have again.
      hostile.socket.destroy();
      await hostile.closed;
      await eventually(() => {
        again.send(lightLadder(1_002));
        return again.messages().some(({ op }) => op === "subscribed");
      });
      for (const { socket } of [again, other]) socket.destroy();
    } finally {
      await open.stop();
    }
  });
});

const QUOTES_OF_CLIENT = 2_000;

const lightLadder = (id: number) =>
  JSON.stringify({
    ...{ op: "subscribe", id, channel: "quote", network: "ETH", tokenA: WETH, tokenB: USDC },
    maxHops: 1,
    amounts: Array.from({ length: 16 }, (_, index) => String(10n ** 15n + BigInt(16 * id + index))),
  });

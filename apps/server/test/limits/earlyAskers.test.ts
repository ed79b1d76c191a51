import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { EarlyAskers } from "../../src/limits/EarlyAskers.ts";
import { Limits, makeLimits } from "../../src/limits/Limits.ts";
import { LOCAL_BUDGETS } from "../../src/limits/SharedBudgets.ts";

const BURST = 60;

/** One unit an hour comes back, so no test waits for one. */
const PER_SECOND = 1 / 3_600;

const limits = Effect.runSync(
  Limits.pipe(
    Effect.provide(
      Limits.layer({
        limits: {
          address: { perSecond: PER_SECOND, burst: BURST },
          keys: [],
          trustedProxies: [],
          shedding: true,
          waitMs: 100,
        },
      }),
    ),
  ),
);

const clientAt = (address: string) =>
  limits.identify({ peerAddress: () => address, header: () => "" });

describe("a client that is told to ask later", () => {
  it("is early until its budget holds what it was refused for", () => {
    const client = clientAt("192.0.2.1");
    expect(limits.charge(client, BURST).refusal).toBeUndefined();
    expect(client.isEarly).toBe(false);
    expect(limits.charge(client, 10).refusal?.code).toBe("RATE_LIMITED");
    expect(client.isEarly).toBe(true);
    expect(clientAt("192.0.2.1").isEarly).toBe(true);
    expect(clientAt("192.0.2.2").isEarly).toBe(false);
    expect(clientAt("2001:db8:0:0:0:0:0:1").isEarly).toBe(false);
  });

  it("is early by the clock that its budget has", () => {
    let nowMs = 5e12;
    const times = { ...LOCAL_BUDGETS, nowMs: () => nowMs };
    const settings = { keys: [], trustedProxies: [], shedding: true, waitMs: 100 };
    const shared = makeLimits({ ...settings, address: { perSecond: 1, burst: BURST } }, times);
    const client = shared.identify({ peerAddress: () => "192.0.2.7", header: () => "" });
    shared.charge(client, BURST);
    expect(shared.charge(client, 10).refusal?.code).toBe("RATE_LIMITED");
    expect(client.isEarly).toBe(true);
    nowMs += 60_000;
    expect(client.isEarly).toBe(false);
  });

  it("is early no longer than it was told", () => {
    const early = new EarlyAskers();
    early.refused("a", 1_000);
    expect([999, 1_000, 999].map((nowMs) => early.isEarly("a", nowMs))).toEqual([
      true,
      false,
      false,
    ]);
    expect(early.size).toBe(0);
  });

  it("may be forgotten where too many are, those first who were told first", () => {
    const early = new EarlyAskers();
    early.refused("first", 1_000);
    early.refused("second", 1_000);
    early.refused("first", 2_000);
    for (let count = 0; count < 9_999; count++) early.refused(`${count}`, 1_000);
    expect(early.size).toBe(10_000);
    expect(early.isEarly("second", 0)).toBe(false);
    expect(early.isEarly("first", 0)).toBe(true);
  });
});

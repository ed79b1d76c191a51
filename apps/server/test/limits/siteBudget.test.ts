import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { Limits } from "../../src/limits/Limits.ts";

const BURST = 60;

const limits = Effect.runSync(
  Limits.pipe(
    Effect.provide(
      Limits.layer({
        limits: {
          address: { perSecond: 1, burst: BURST },
          keys: [],
          trustedProxies: ["10.0.0.0/8"],
          shedding: true,
          waitMs: 100,
        },
      }),
    ),
  ),
);

/** Whether a client of that address may ask for so much: by default for all of its budget. */
const affords = (address: string, cost = BURST): boolean => {
  const client = limits.identify({ peerAddress: () => address, header: () => "" });
  return limits.charge(client, cost).refusal === undefined;
};

describe("the budget of a /48 of IPv6", () => {
  it("is that of sixteen clients, however many of its /64s ask", () => {
    const granted = Array.from({ length: 100 }, (_, net) =>
      affords(`2001:db8:77:${net.toString(16)}:0:0:0:1`),
    );
    expect(granted.filter(Boolean).length).toBe(16);
    expect(granted.lastIndexOf(true)).toBe(15);
    expect(affords("2001:db8:78:0:0:0:0:1")).toBe(true);
  });

  it("is not used up by one /64, whatever it asks", () => {
    for (let count = 0; count < 100; count++) affords("2001:db8:79:1:0:0:0:1");
    const others = [2, 3, 4].map((net) => affords(`2001:db8:79:${net}:0:0:0:1`));
    expect(others).toEqual([true, true, true]);
  });

  it("takes nothing of a client that it refuses, nor a client of it", () => {
    const net = (number: number) => `2001:db8:80:${number}:0:0:0:1`;
    for (let count = 0; count < 15; count++) expect(affords(net(count))).toBe(true);
    expect(affords(net(15), BURST / 2)).toBe(true);
    // The site has half of a client's budget left.
    for (let count = 0; count < 5; count++) expect(affords(net(16))).toBe(false);
    const client = limits.identify({ peerAddress: () => net(16), header: () => "" });
    // More than half of the site's budget is gone.
    expect(limits.pays(client.name, BURST / 4)).toBe(false);
    const { headers } = limits.charge(client, BURST / 2);
    expect(new Map(headers).get("ratelimit")).toContain(`r=${BURST / 2};`);
  });

  it("loses nothing to subscriptions that a client of it cannot pay for", () => {
    const net = (number: number) => `2001:db8:81:${number}:0:0:0:1`;
    expect(affords(net(0))).toBe(true);
    // Its name, as a client's identity has it.
    const { name } = limits.identify({ peerAddress: () => net(0), header: () => "" });
    for (let count = 0; count < 1_000; count++) expect(limits.pays(name, BURST / 2)).toBe(false);
    for (let count = 1; count < 16; count++) expect(affords(net(count))).toBe(true);
  });

  it("is none of IPv4", () => {
    const granted = Array.from({ length: 100 }, (_, host) => affords(`192.0.2.${host}`));
    expect(granted.every(Boolean)).toBe(true);
  });
});

describe("connections", () => {
  it("count together by address or /64, and not those of proxies and of the machine itself", () => {
    expect(limits.peerOf("192.0.2.1")).toBe("192.0.2.1");
    expect(limits.peerOf("2001:db8:0:7:0:0:0:1")).toBe(limits.peerOf("2001:db8:0:7:1:2:3:4"));
    for (const address of ["127.0.0.1", "127.9.9.9", "0:0:0:0:0:0:0:1", "10.1.2.3"]) {
      expect(limits.peerOf(address)).toBeUndefined();
    }
  });
});

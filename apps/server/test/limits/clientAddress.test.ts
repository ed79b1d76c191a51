import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressKey, canonicalAddress, siteOf } from "../../src/limits/canonicalAddress.ts";
import { isAddressRange, TrustedProxies } from "../../src/limits/TrustedProxies.ts";

describe("an address", () => {
  it("has one form, however it is written", () => {
    for (const [written, form] of [
      ["192.0.2.1", "192.0.2.1"],
      ["::ffff:192.0.2.1", "192.0.2.1"],
      ["::FFFF:C000:0201", "192.0.2.1"],
      ["0:0:0:0:0:ffff:c000:201", "192.0.2.1"],
      ["2001:db8::1", "2001:db8:0:0:0:0:0:1"],
      ["2001:0DB8:0000:0000:0000:0000:0000:0001", "2001:db8:0:0:0:0:0:1"],
      ["2001:db8:1:2:3:4:5::", "2001:db8:1:2:3:4:5:0"],
      ["64:ff9b::192.0.2.1", "64:ff9b:0:0:0:0:c000:201"],
      ["::", "0:0:0:0:0:0:0:0"],
      ["::1", "0:0:0:0:0:0:0:1"],
    ] as const) {
      expect([written, canonicalAddress(written)]).toEqual([written, form]);
    }
  });

  it("is none in any other form", () => {
    for (const text of [
      ...["", "unknown", "192.0.2", "192.0.2.256", "192.0.02.1", "0x7f.1", "2130706433"],
      ...["fe80::1%eth0", "2001:db8:::1", "1:2:3:4:5:6:7:8:9", "[::1]", " ::1", "::1 ", "::g"],
    ]) {
      expect([text, canonicalAddress(text)]).toEqual([text, undefined]);
    }
  });

  it("of IPv6 has the same form for all ways to shorten it", () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 8, maxLength: 8 }),
        fc.nat(7),
        fc.integer({ min: 1, max: 8 }),
        (groups, at, length) => {
          const end = Math.min(8, at + length);
          const shortened = groups.map((value, index) => (index >= at && index < end ? 0 : value));
          const hex = shortened.map((value) => value.toString(16));
          const short = `${hex.slice(0, at).join(":")}::${hex.slice(end).join(":")}`;
          const long = shortened.map((value) => value.toString(16).padStart(4, "0")).join(":");
          expect(canonicalAddress(short)).toBe(canonicalAddress(long.toUpperCase()));
        },
      ),
      law("addresses of IPv6 have one form", 500).options,
    );
  });

  it("of IPv6 counts as its /64, of IPv4 as itself", () => {
    const key = (text: string) => addressKey(canonicalAddress(text)!);
    expect(key("2001:db8:1:2:3:4:5:6")).toBe(key("2001:db8:1:2::"));
    expect(key("2001:db8:1:2:ffff:ffff:ffff:ffff")).toBe(key("2001:db8:1:2::"));
    expect(key("2001:db8:1:3::")).not.toBe(key("2001:db8:1:2::"));
    expect(siteOf(key("2001:db8:1:2::"))).toBe(siteOf(key("2001:db8:1:ffff::1")));
    expect(siteOf(key("2001:db8:1:2::"))).not.toBe(siteOf(key("2001:db8:2:2::")));
    expect(siteOf(key("192.0.2.1"))).toBe(undefined);
    expect(key("192.0.2.1")).not.toBe(key("192.0.2.2"));
    expect(key("::ffff:192.0.2.1")).toBe(key("192.0.2.1"));
  });
});

describe("a client's address", () => {
  const proxies = new TrustedProxies(["10.0.0.0/8", "2001:db8:aa::/48", "192.0.2.7"]);
  const from = (peer: string, forwarded: string) => proxies.clientAddress(peer, () => forwarded);

  it("is the peer's, whatever it claims, unless the peer is a trusted proxy", () => {
    for (const peer of ["198.51.100.1", "11.0.0.1", "192.0.2.8", "2001:db8:ab:0:0:0:0:1"]) {
      expect(from(peer, "203.0.113.9")).toBe(peer);
    }
    const trusting = new TrustedProxies([]);
    const asked = () => {
      throw new Error("nobody's word counts");
    };
    expect(trusting.clientAddress("10.0.0.1", asked)).toBe("10.0.0.1");
  });

  it("is the rightmost one that is no trusted proxy's", () => {
    for (const [forwarded, address] of [
      ["203.0.113.9", "203.0.113.9"],
      // The client wrote the left one itself.
      ["1.1.1.1, 203.0.113.9", "203.0.113.9"],
      ["10.0.0.5, 203.0.113.9", "203.0.113.9"],
      ["203.0.113.9, 10.1.1.1, 192.0.2.7", "203.0.113.9"],
      ["1.1.1.1,203.0.113.9,2001:db8:aa::5", "203.0.113.9"],
      ["203.0.113.9, ::ffff:10.0.0.3", "203.0.113.9"],
      ["2001:DB8:bb::9", "2001:db8:bb:0:0:0:0:9"],
      ["203.0.113.9:4711", "203.0.113.9"],
      ["[2001:db8:bb::9]:4711", "2001:db8:bb:0:0:0:0:9"],
      ["[2001:db8:bb::9]", "2001:db8:bb:0:0:0:0:9"],
    ] as const) {
      expect([forwarded, from("10.0.0.1", forwarded)]).toEqual([forwarded, address]);
    }
  });

  it("is the last proxy's where that tells nothing that is an address", () => {
    for (const forwarded of ["", "unknown", "_hidden", "203.0.113.9, garbage", "203.0.113.9,"]) {
      expect(from("10.0.0.1", forwarded)).toBe("10.0.0.1");
    }
    expect(from("10.0.0.1", "unknown, 10.0.0.2")).toBe("10.0.0.2");
    expect(from("10.0.0.1", "10.0.0.3, 10.0.0.2")).toBe("10.0.0.3");
  });

  it("cannot be chosen by a client behind a proxy that adds whom it speaks for", () => {
    const claims = fc.array(
      fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom("10.0.0.9", "", ",", "unknown"), fc.string()),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(claims, (claimed) => {
        const forwarded = [...claimed, "203.0.113.9"].join(", ");
        expect(from("10.0.0.1", forwarded)).toBe("203.0.113.9");
      }),
      law("clients behind proxies choose no address", 500).options,
    );
  });
});

describe("trusted ranges of addresses", () => {
  it("include the same addresses whoever asked before", () => {
    const proxies = new TrustedProxies(["10.0.0.0/8", "2001:db8:aa::/48"]);
    for (let asked = 0; asked < 6_000; asked++) {
      const [high, low] = [(asked % 3_000) >> 8, asked & 255];
      expect(proxies.includes(`10.0.${high}.${low}`)).toBe(true);
      expect(proxies.includes(`11.0.${high}.${low}`)).toBe(false);
      expect(proxies.includes(`2001:db8:aa:0:0:0:${high}:${low}`)).toBe(true);
    }
  });

  it("ranges are addresses with the length of a prefix that fits, or without one", () => {
    for (const range of ["10.0.0.0/8", "0.0.0.0/0", "192.0.2.7", "::1", "2001:db8::/128", "::/0"]) {
      expect([range, isAddressRange(range)]).toEqual([range, true]);
    }
    for (const range of [
      "10.0.0.0/33",
      "::/129",
      "10.0.0.0/",
      "10.0.0.0/-1",
      "example.org",
      "/8",
    ]) {
      expect([range, isAddressRange(range)]).toEqual([range, false]);
    }
  });
});

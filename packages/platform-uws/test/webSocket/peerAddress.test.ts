import { assert, describe, it } from "@effect/vitest";
import { peerAddress } from "../../src/webSocket/peerAddress.ts";

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values).buffer;
const zeros = (count: number) => Array.from({ length: count }, () => 0);

describe("the address of a peer", () => {
  for (const [what, given, text] of [
    ["of IPv4", bytes(192, 0, 2, 1), "192.0.2.1"],
    ["of IPv4 mapped into IPv6", bytes(...zeros(10), 255, 255, 192, 0, 2, 1), "192.0.2.1"],
    ["of IPv6", bytes(32, 1, 13, 184, ...zeros(11), 1), "2001:db8:0:0:0:0:0:1"],
    [
      "of IPv6 that merely ends like it",
      bytes(1, ...zeros(9), 255, 255, 1, 2, 3, 4),
      "100:0:0:0:0:ffff:102:304",
    ],
    ["of the loopback of IPv6", bytes(...zeros(15), 1), "0:0:0:0:0:0:0:1"],
    ["that is gone already", bytes(), ""],
  ] as const) {
    it(`${what} is always written the same`, () => {
      assert.strictEqual(peerAddress(given), text);
    });
  }
});

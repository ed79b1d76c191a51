import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AddressIndex } from "../src/graph/AddressIndex.ts";
import { ADDRESS_BYTES, type Address, formatAddress, parseAddress } from "../src/graph/address.ts";

const byte = fc.integer({ min: 0, max: 255 });
const addressBytes = fc.array(byte, { minLength: ADDRESS_BYTES, maxLength: ADDRESS_BYTES });

describe("the index of addresses", () => {
  test("an address reads back as it was written, in any case", () => {
    fc.assert(
      fc.property(addressBytes, (bytes) => {
        const text = formatAddress(Uint8Array.from(bytes));
        for (const variant of [text, `0x${text.slice(2).toUpperCase()}`]) {
          const into = new Uint8Array(ADDRESS_BYTES);
          expect(parseAddress(variant, into)).toBe(true);
          expect([...into]).toEqual(bytes);
        }
      }),
      law("addresses read back as written", 100).options,
    );
  });

  test.each([
    "",
    "0x",
    `0x${"0".repeat(39)}`,
    `0x${"0".repeat(41)}`,
    `0X${"0".repeat(40)}`,
    `0x${"g".repeat(40)}`,
    `0x${"é".repeat(40)}`,
    `0x${"0".repeat(39)}\0`,
    `  ${"0".repeat(40)}`,
  ])("'%s' is no address", (text) => {
    expect(parseAddress(text, new Uint8Array(ADDRESS_BYTES))).toBe(false);
  });

  test("finds what was added and not removed, through any order of both", () => {
    const command = fc.record({ add: fc.boolean(), key: fc.integer({ min: 0, max: 60 }) });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 300 }), (commands) => {
        const addresses = new Uint8Array(61 * ADDRESS_BYTES);
        for (let key = 0; key < 61; key++)
          parseAddress(addressOf(key), addresses, key * ADDRESS_BYTES);
        const index = new AddressIndex();
        const model = new Set<number>();
        for (const { add, key } of commands) {
          if (add === model.has(key)) continue;
          if (add) index.add(addresses, key);
          else index.remove(addresses, key);
          if (add) model.add(key);
          else model.delete(key);
          for (let other = 0; other < 61; other++) {
            expect(index.find(addresses, addresses, other * ADDRESS_BYTES)).toBe(
              model.has(other) ? other : -1,
            );
          }
        }
      }),
      law("addresses found as added", 30).options,
    );
  });
});

function addressOf(key: number): Address {
  return `0x${(key * 0x9e3779b1).toString(16).padStart(40, "0")}`;
}

import { hexToBytes } from "viem";
import { describe, expect, it } from "vitest";
import { minimal, receiptsRoot, rlp } from "../../src/follow/receiptsRoot.ts";

describe("the receipts root", () => {
  it("of no receipts is that of the empty trie", () => {
    expect(receiptsRoot([])).toBe(
      "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
    );
  });

  it("of short values, whose nodes stand within their parents, changes with each of them", () => {
    const values = Array.from({ length: 140 }, (_, index) => rlp(minimal(index)));
    const roots = new Set(
      values.map((_, index) => receiptsRoot(values.with(index, hexToBytes("0x820400")))),
    );
    expect(roots.size).toBe(values.length);
  });

  it("changes when a value is missing at the end", () => {
    const values = Array.from({ length: 129 }, (_, index) => rlp(minimal(index)));
    expect(receiptsRoot(values)).not.toBe(receiptsRoot(values.slice(0, -1)));
  });
});

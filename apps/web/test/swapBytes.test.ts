import { describe, expect, it } from "vitest";
import { readSwapCall } from "../page/wallet/readSwapCall.ts";
import { SWAP_BYTES } from "./kit/swapBytes.ts";

const SENDER = "0x77777777777777777777777777777777c0de0900";

describe("what the page reads of a swap's bytes", () => {
  it("is what they mean, for every router", () => {
    expect(new Set(SWAP_BYTES.map(({ router }) => router))).toEqual(
      new Set(["executor", "universal-router", "wrapper"]),
    );
    for (const { data, value, mostIn, leastOut, recipient, fee, deadline } of SWAP_BYTES) {
      const read = readSwapCall({ data, value })!;
      expect(String(read.leastOut)).toBe(leastOut);
      expect(String(read.mostIn ?? mostIn)).toBe(mostIn);
      expect(read.recipient ?? SENDER).toBe(recipient);
      expect(read.feeBps === 0 ? "none" : `${read.feeBps} to ${read.feeRecipient}`).toBe(fee);
      expect(read.deadline ?? 0).toBe(deadline);
    }
  });

  it("is nothing where they are of another form, or cut short", () => {
    const { data } = SWAP_BYTES.find(({ router }) => router === "executor")!;
    for (const other of [
      "",
      "0x",
      "0x12345678",
      data.slice(0, 10 + 5 * 64),
      `${data.slice(0, 10)}zz`,
    ]) {
      expect(readSwapCall({ data: other, value: "0" }), other).toBeUndefined();
    }
  });
});

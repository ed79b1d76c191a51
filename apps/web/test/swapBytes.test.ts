import { describe, expect, it } from "vitest";
import { readSwapCall } from "../page/wallet/readSwapCall.ts";
import { SWAP_BYTES } from "./kit/swapBytes.ts";

/** The tokens of the orders have such addresses. */
const TOKEN = /77777777777777777777777777777777c0de0/u;
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

  it("names the tokens where the bytes do", () => {
    for (const { router, data, value } of SWAP_BYTES) {
      const { tokenIn, tokenOut } = readSwapCall({ data, value })!;
      const word = (at: number) => `0x${data.slice(10 + 64 * at + 24, 10 + 64 * (at + 1))}`;
      if (router === "executor") expect([tokenIn, tokenOut]).toEqual([word(0), word(1)]);
      else expect(tokenOut ?? TOKEN.source).toMatch(TOKEN);
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

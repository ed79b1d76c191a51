import { law } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { amountText, shortAddress, smallestUnits, wholeUnits } from "../page/format.ts";
import { safeName } from "../page/safeName.ts";
import { HOSTILE_NAMES } from "./kit/hostileNames.ts";

describe("amounts", () => {
  it("go from smallest units to text and back without a loss", () => {
    for (const [, random] of law("amounts as text", 500).sources()) {
      const decimals = random.integer(37);
      const amount = random.bigint(10n ** BigInt(1 + random.integer(60)));
      expect(smallestUnits(wholeUnits(amount, decimals), decimals)).toBe(amount);
    }
  });

  it("are typed with a point or a comma, and refused with more decimals than the token has", () => {
    expect(smallestUnits("1.5", 6)).toBe(1_500_000n);
    expect(smallestUnits("1,5", 6)).toBe(1_500_000n);
    expect(smallestUnits(" .5 ", 1)).toBe(5n);
    expect(smallestUnits("1.50", 1)).toBe(15n);
    for (const text of ["", ".", "1.2.3", "-1", "1e3", "0x1", "1 000", "²"]) {
      expect(smallestUnits(text, 18), text).toBeUndefined();
    }
    expect(smallestUnits("1.05", 1)).toBeUndefined();
  });

  it("are typed in the digits of any script", () => {
    for (const text of [
      "1234567890.5",
      "١٢٣٤٥٦٧٨٩٠٫٥",
      "१२३४५६७८९०.५",
      "１２３４５６７８９０.５",
    ]) {
      expect(smallestUnits(text, 1), text).toBe(12_345_678_905n);
    }
    // Rows of several alphabets that have none between them.
    expect(smallestUnits("𝟎𝟗𝟘𝟡𝟢𝟫", 0)).toBe(90_909n);
  });

  it("are shown with seven digits, of numbers that no float holds too", () => {
    expect(amountText(1_234_567_890_123_456_789n, 18)).toBe("1.234568");
    expect(amountText(10n ** 30n, 6)).toBe("1,000,000,000,000,000,000,000,000");
    expect(amountText(1n, 18)).toBe("0.000000000000000001");
  });
});

describe("names that somebody gave a token", () => {
  it("are shown without what cannot be seen, and clipped", () => {
    expect(HOSTILE_NAMES.length).toBeGreaterThanOrEqual(40);
    for (const name of HOSTILE_NAMES) {
      const { text } = safeName(name);
      expect([...text].length).toBeLessThanOrEqual(41);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(text).not.toBe("");
    }
  });

  it("are marked where they were changed, and not where they are sound", () => {
    const changed = HOSTILE_NAMES.filter((name) => safeName(name).text !== name.trim());
    for (const name of changed) expect(safeName(name).warning).toBeDefined();
    for (const name of ["Dai Stablecoin", "币安币", "ﬆETH", "שקל", "é"]) {
      expect(safeName(name)).toEqual({ text: name });
    }
  });

  it("are addresses in short at both ends", () => {
    expect(shortAddress(`0x${"ab".repeat(20)}`)).toBe("0xabab…abab");
    expect(shortAddress("0x1234")).toBe("0x1234");
  });
});

import { law } from "@millrace/testing";
import fc from "fast-check";
import { concat, encodeAbiParameters, stringToHex, toHex } from "viem";
import { describe, expect, it } from "vitest";
import { readText } from "../../src/reading/readText.ts";

const encoded = (text: string) => encodeAbiParameters([{ type: "string" }], [text]);
/** Numbers as words, bytes as they are. */
const words = (...values: ReadonlyArray<bigint | `0x${string}`>): `0x${string}` =>
  concat(values.map((value) => (typeof value === "bigint" ? toHex(value, { size: 32 }) : value)));

describe("readText", () => {
  it("reads texts of both kinds", () => {
    expect(readText(encoded("Wrapped Ether"))).toBe("Wrapped Ether");
    expect(readText(stringToHex("MKR", { size: 32 }))).toBe("MKR");
    expect(readText(stringToHex("thirty-two bytes, all of them us"))).toHaveLength(32);
    expect(readText(encoded("Tether USD₮ 币 🐸"))).toBe("Tether USD₮ 币 🐸");
  });

  it("strips what is not seen, or changes how the rest is seen", () => {
    expect(readText(encoded("U\u202eCDS\u202c\u0007\u200b\ufeff\u2066D\u00ad"))).toBe("UCDSD");
    expect(readText(encoded(" \n USDC\u2028\u3164\ufe0f "))).toBe("USDC");
    expect(readText(encoded("USDC\0not shown"))).toBe("USDC");
  });

  it("composes letters, and keeps 64 of them", () => {
    expect(readText(encoded("e\u0301"))).toBe("é");
    expect([...readText(encoded("🐸".repeat(1_000)))]).toHaveLength(64);
  });

  it("has no text for what is none", () => {
    expect(readText(undefined)).toBe("");
    expect(readText("0x")).toBe("");
    expect(readText("0x20")).toBe("");
    expect(readText(encoded(""))).toBe("");
    expect(readText(words(0n))).toBe("");
    expect(readText(words(2n ** 256n - 1n, 3n))).toBe("");
    expect(readText(words(2n ** 53n, 3n))).toBe("");
    expect(readText("0xffff")).toBe("");
  });

  it("reads as much as there is of a text that claims to be longer", () => {
    const usdc = stringToHex("USDC", { size: 32 });
    expect(readText(words(32n, 2n ** 255n, usdc))).toBe("USDC");
    expect(readText(words(32n, 0xffffffffn, usdc))).toBe("USDC");
  });

  it("leaves out bytes that are no UTF-8, and surrogates that are encoded in it", () => {
    expect(readText(words(32n, 6n, `0x55ff53edA08044${"00".repeat(25)}`))).toBe("US");
    expect(readText(`0x5553c3${"00".repeat(29)}`)).toBe("US");
  });

  it("never throws, and gives nothing unsafe, whatever the answer", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = readText(`0x${Buffer.from(bytes).toString("hex")}`);
        expect([...text].length).toBeLessThanOrEqual(64);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/[\p{C}\p{DI}]/u);
      }),
      law("texts of any answer are safe", 800).options,
    );
  });
});

import { describe, expect, it } from "vitest";
import { checksumAddress, isAddress, isAmount, isNativeToken, NATIVE_TOKEN } from "../src/index.ts";

describe("addresses and amounts", () => {
  it("addresses are checksummed as the examples of EIP-55 are", () => {
    for (const address of [
      "0x52908400098527886E0F7030069857D2E4169EE7",
      "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
      "0xde709f2102306220921060314715629080e2fb77",
      "0x27b1fdb04752bbc536007a920d24acb045561c26",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
      "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
      NATIVE_TOKEN,
    ]) {
      expect(checksumAddress(address.toLowerCase())).toBe(address);
    }
  });

  it("the native token is known in any case, and nothing else is", () => {
    expect(isNativeToken(NATIVE_TOKEN)).toBe(true);
    expect(isNativeToken(NATIVE_TOKEN.toLowerCase())).toBe(true);
    expect(isNativeToken(`0x${"E".repeat(40)}`)).toBe(true);
    expect(isNativeToken(`0x${"e".repeat(39)}f`)).toBe(false);
    expect(isNativeToken(`0x${"e".repeat(41)}`)).toBe(false);
  });

  it("an address is 0x and 40 hex digits, to the last character", () => {
    expect(isAddress(NATIVE_TOKEN)).toBe(true);
    expect(isAddress(`${NATIVE_TOKEN.slice(0, -1)}\n`)).toBe(false);
    expect(isAddress(`0X${NATIVE_TOKEN.slice(2)}`)).toBe(false);
  });

  it("an amount is a plain decimal integer below 2^256", () => {
    for (const text of ["0", "1", "9".repeat(77), String(2n ** 256n - 1n)]) {
      expect(isAmount(text)).toBe(true);
    }
    for (const text of ["", "00", "-1", "1\n", "1.0", "0x1", "1e3", " 1", String(2n ** 256n)]) {
      expect(isAmount(text)).toBe(false);
    }
    expect(isAmount("1".repeat(1_000_000))).toBe(false);
  });
});

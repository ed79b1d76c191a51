import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenPrice } from "../../src/quote/tokenPrice.ts";

/** The plain form: the quotient with many digits, truncated. */
function plain(amountIn: bigint, decimalsIn: number, amountOut: bigint, decimalsOut: number) {
  const places = 700;
  const scaled =
    (amountOut * 10n ** BigInt(decimalsIn + places)) / (amountIn * 10n ** BigInt(decimalsOut));
  const digits = String(scaled).padStart(places + 1, "0");
  const whole = digits.slice(0, -places);
  const fraction = digits.slice(-places);
  const leading = (whole + fraction).search(/[1-9]/);
  const kept = (whole + fraction).slice(0, leading + 18).padEnd(whole.length, "0");
  const rest = kept.slice(whole.length).replace(/0+$/, "");
  return rest === "" ? kept.slice(0, whole.length) : `${kept.slice(0, whole.length)}.${rest}`;
}

describe("the price of a quote", () => {
  it("is the exact ratio, cut to 18 significant digits", () => {
    expect(tokenPrice(3n, 0, 1n, 0)).toBe("0.333333333333333333");
    expect(tokenPrice(3n, 0, 2n, 0)).toBe("0.666666666666666666");
    expect(tokenPrice(10n ** 18n, 18, 2_141_609_166n, 6)).toBe("2141.609166");
    expect(tokenPrice(1n, 18, 1n, 18)).toBe("1");
    expect(tokenPrice(1n, 0, 123_456_789_012_345_678_901n, 0)).toBe("123456789012345678000");
    expect(tokenPrice(10n ** 30n, 0, 1n, 0)).toBe(`0.${"0".repeat(29)}1`);
  });

  it("agrees with long division for amounts and decimals of any size", () => {
    const amount = fc.oneof(
      fc.bigInt({ min: 1n, max: 1_000n }),
      fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
      fc.nat(77).map((exponent) => 10n ** BigInt(exponent)),
      fc.integer({ min: 1, max: 76 }).map((exponent) => 10n ** BigInt(exponent) - 1n),
    );
    const decimals = fc.oneof(fc.constantFrom(0, 6, 8, 18), fc.nat(255));
    fc.assert(
      fc.property(amount, decimals, amount, decimals, (a, decimalsA, b, decimalsB) => {
        expect(tokenPrice(a, decimalsA, b, decimalsB)).toBe(plain(a, decimalsA, b, decimalsB));
      }),
      law("prices of quotes by long division", 2_000).options,
    );
  });
});

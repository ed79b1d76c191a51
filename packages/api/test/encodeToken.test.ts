import { law } from "@millrace/testing";
import { Schema } from "effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeTokenAnswer, type Token, TokenAnswer } from "../src/index.ts";

const encode = Schema.encodeUnknownSync(TokenAnswer);

describe("the encoder of tokens", () => {
  it("a token is written byte for byte as its schema encodes it", () => {
    const amount = fc.oneof(
      fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      fc.nat(),
      fc.constantFrom(0, -0, 1e21, 1e-7, 5e-324, Number.MAX_VALUE),
    );
    const change = fc.oneof(
      fc.double({ min: -1, noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, -1, -1e-17),
    );
    // Whatever a contract says of itself: quotes, control characters, lone surrogates.
    const words = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom('"', "\\", "\u2028", "\ud800", ""),
    );
    const token: fc.Arbitrary<typeof Token.Type> = fc.record(
      {
        address: fc.stringMatching(/^0x[0-9a-f]{40}$/),
        symbol: words,
        name: words,
        decimals: fc.nat(255),
        chainId: fc.nat().map(String),
        dexes: fc.array(words, { maxLength: 4 }),
        lastUpdated: fc.nat(),
        price: amount,
        liquidity: amount,
        marketCap: amount,
        fullyDilutedValuation: amount,
        volume24h: amount,
        volume6h: amount,
        volume1h: amount,
        volume5m: amount,
        txns24h: fc.nat(),
        buys24h: fc.nat(),
        sells24h: fc.nat(),
        priceChange5m: change,
        priceChange1h: change,
        priceChange6h: change,
        priceChange24h: change,
        safety: fc.record(
          {
            verdict: fc.constantFrom("plain", "taxed", "unsellable", "unknown"),
            buyTaxBps: fc.nat(10_000),
            sellTaxBps: fc.nat(10_000),
            block: fc.nat().map(String),
          },
          { requiredKeys: ["verdict", "block"] },
        ),
      },
      {
        requiredKeys: [
          ...([
            "address",
            "symbol",
            "name",
            "decimals",
            "chainId",
            "dexes",
            "lastUpdated",
          ] as const),
          ...(["price", "liquidity", "volume24h", "volume6h", "volume1h", "volume5m"] as const),
          ...(["txns24h", "buys24h", "sells24h"] as const),
        ],
      },
    );
    fc.assert(
      fc.property(token, (data) => {
        expect(encodeTokenAnswer(data)).toBe(JSON.stringify(encode({ success: true, data })));
      }),
      law("tokens as their schema encodes them", 400).options,
    );
  });

  it("a token's fields are those of the contract, and no others", () => {
    const names = Object.keys(TokenAnswer.fields.data.fields);
    expect(names).toEqual(
      (
        "address symbol name decimals chainId dexes lastUpdated price liquidity marketCap " +
        "fullyDilutedValuation volume24h volume6h volume1h volume5m txns24h buys24h sells24h " +
        "priceChange5m priceChange1h priceChange6h priceChange24h priceChange7d priceChange30d safety"
      ).split(" "),
    );
  });
});

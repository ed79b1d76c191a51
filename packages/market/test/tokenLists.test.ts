import { assert, describe, it } from "@effect/vitest";
import type { Address } from "@millrace/core";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { listContradictions, mergeTokenLists } from "../src/metadata/mergeTokenLists.ts";
import { parseSupplies } from "../src/metadata/parseSupplies.ts";
import { parseTokenList } from "../src/metadata/parseTokenList.ts";
import { cleanText, isSafeText } from "../src/metadata/safeText.ts";

const A = `0x${"aB".repeat(20)}`;
const B = `0x${"0b".repeat(20)}`;
const lower = (address: string) => address.toLowerCase() as Address;
const entry = { chainId: 1, address: A, symbol: "ABC", name: "Alphabet", decimals: 18 };

describe("a token list", () => {
  it("gives the tokens of its chain by lower-case address, texts in one form without blanks round them", () => {
    const { tokens, problems } = parseTokenList(
      {
        name: "any",
        tokens: [
          { ...entry, symbol: " e\u0301 ", logoURI: 5, extensions: [] },
          { ...entry, chainId: 8453, address: "nonsense" },
          { ...entry, address: B, decimals: 0 },
        ],
      },
      1,
    );
    assert.deepStrictEqual([...problems], []);
    assert.deepStrictEqual(
      [...tokens],
      [
        [lower(A), { symbol: "\u00e9", name: "Alphabet", decimals: 18 }],
        [lower(B), { symbol: "ABC", name: "Alphabet", decimals: 0 }],
      ],
    );
  });

  it.each([
    ["null", null],
    ["a text", "tokens"],
    ["a list", [entry]],
    ["an object without tokens", {}],
    ["tokens that are no list", { tokens: { 0: entry, length: 1 } }],
  ])("that is %s has no tokens, and says why", (_, json) => {
    const { tokens, problems } = parseTokenList(json, 1);
    assert.strictEqual(tokens.size, 0);
    assert.lengthOf(problems, 1);
  });

  it.each([
    ["null", null],
    ["an array", []],
    ["a chain id in words", { ...entry, chainId: "1" }],
    ["a chain id that is no whole number", { ...entry, chainId: 1.5 }],
    ["no address", { ...entry, address: undefined }],
    ["a short address", { ...entry, address: "0xab" }],
    ["an address with other letters", { ...entry, address: `0x${"zz".repeat(20)}` }],
    ["an address with blanks", { ...entry, address: ` ${A}` }],
    ["decimals in words", { ...entry, decimals: "18" }],
    ["negative decimals", { ...entry, decimals: -1 }],
    ["decimals past a byte", { ...entry, decimals: 256 }],
    ["half a decimal", { ...entry, decimals: 0.5 }],
    ["endless decimals", { ...entry, decimals: Number.POSITIVE_INFINITY }],
    ["no symbol", { ...entry, symbol: undefined }],
    ["a blank symbol", { ...entry, symbol: "  " }],
    ["a symbol that is an object", { ...entry, symbol: new String("ABC") }],
    ["a long symbol", { ...entry, symbol: "x".repeat(33) }],
    ["a huge symbol", { ...entry, symbol: "x".repeat(1e7) }],
    ["a long name", { ...entry, name: "x".repeat(65) }],
    ["a zero-width space in the symbol", { ...entry, symbol: "US\u200bDC" }],
    ["a soft hyphen in the symbol", { ...entry, symbol: "US\u00adDC" }],
    ["a text turned round", { ...entry, name: "\u202eCDSU" }],
    ["an isolate", { ...entry, name: "\u2066USDC\u2069" }],
    ["a control character", { ...entry, name: "US\u0007DC" }],
    ["a line break", { ...entry, name: "US\nDC" }],
    ["a line separator", { ...entry, name: "US\u2028DC" }],
    ["half a character", { ...entry, symbol: "\ud83d" }],
    ["a tag character", { ...entry, symbol: "USDC\u{e0041}" }],
  ])("loses an entry with %s, reports it, and keeps the others", (_, bad) => {
    const { tokens, problems } = parseTokenList({ tokens: [bad, { ...entry, address: B }] }, 1);
    assert.deepStrictEqual([...tokens.keys()], [lower(B)]);
    assert.lengthOf(problems, 1);
    assert.match(problems[0]!, /^[\x20-\x7e]{1,200}$/);
  });

  it("counts the first of two entries for one address, in whatever letters, and reports the second", () => {
    const again = { ...entry, address: lower(A), decimals: 6, symbol: "OTHER" };
    const { tokens, problems } = parseTokenList({ tokens: [entry, again] }, 1);
    assert.strictEqual(tokens.get(lower(A))!.decimals, 18);
    assert.strictEqual(tokens.size, 1);
    assert.match(problems.join(), /entry 1: 0xabab.*6 decimals instead of 18/);
  });

  it("reports a few of very many problems, and how many more there are", () => {
    const { problems } = parseTokenList({ tokens: Array(10_000).fill(null) }, 1);
    assert.lengthOf(problems, 51);
    assert.strictEqual(problems.at(-1), "and 9950 more");
  });

  it("is read as far as a bound", () => {
    const { tokens, problems } = parseTokenList(
      { tokens: [...Array(200_000).fill(entry), { ...entry, address: B }] },
      1,
    );
    assert.deepStrictEqual([...tokens.keys()], [lower(A)]);
    assert.match(problems[0]!, /only the first 200000 of 200001/);
  });

  it("of whatever JSON throws nothing, and gives nothing that cannot be shown", () => {
    const next = new RandomSource(TEST_SEED + 17).next;
    const values = [
      null,
      true,
      -1,
      1,
      18,
      Number.POSITIVE_INFINITY,
      "",
      "0x",
      A,
      B,
      "ok",
      "\u202e",
      [],
      {},
    ];
    const any = (depth: number): unknown => {
      if (depth === 0 || next() < 0.7) return values[Math.floor(values.length * next())];
      if (next() < 0.3) return Array.from({ length: 3 }, () => any(depth - 1));
      return Object.fromEntries(["tokens", "__proto__", A].map((key) => [key, any(depth - 1)]));
    };
    const some = () =>
      Object.fromEntries(
        Object.entries(entry).map(([key, value]) => [key, next() < 0.8 ? value : any(2)]),
      );
    let found = 0;
    for (let round = 0; round < 3_000; round++) {
      const { tokens } = parseTokenList({ tokens: Array.from({ length: 10 }, some) }, 1);
      for (const [address, { symbol, name, decimals }] of tokens) {
        found++;
        assert.include([lower(A), lower(B)], address);
        assert.isTrue(isSafeText(symbol) && isSafeText(name));
        assert.isTrue(Number.isInteger(decimals) && decimals >= 0 && decimals <= 255);
      }
      parseSupplies(any(3));
    }
    assert.isAbove(found, 1_000);
  });
});

describe("merged token lists", () => {
  const list = (...entries: ReadonlyArray<object>) =>
    parseTokenList({ tokens: entries.map((part) => ({ ...entry, ...part })) }, 1);

  it("say what the first list says that has the address, and report who contradicts it on decimals", () => {
    const lists = [
      list({}),
      list({ decimals: 6, symbol: "LATE" }, { address: B }),
      list({ name: "Other" }),
    ];
    const merged = mergeTokenLists(lists);
    assert.strictEqual(merged.size, 2);
    assert.deepStrictEqual(merged.get(lower(A)), { symbol: "ABC", name: "Alphabet", decimals: 18 });
    assert.deepStrictEqual(listContradictions(lists), [
      {
        address: lower(A),
        kept: { symbol: "ABC", name: "Alphabet", decimals: 18 },
        other: { symbol: "LATE", name: "Alphabet", decimals: 6 },
      },
    ]);
    assert.deepStrictEqual([...mergeTokenLists([])], []);
  });

  it("never take two tokens of one symbol for one", () => {
    assert.strictEqual(mergeTokenLists([list({}), list({ address: B })]).size, 2);
  });
});

describe("a supply file", () => {
  it("gives circulating supplies by address; what is no number ≥ 0 is left out and reported", () => {
    const other = (byte: string) => `0x${byte.repeat(20)}`;
    const { circulating, problems } = parseSupplies({
      tokens: {
        [A]: { circulatingSupply: 1.5, totalSupply: "whatever" },
        [B]: { circulatingSupply: 0 },
        [lower(A)]: { circulatingSupply: 7 },
        [other("01")]: { circulatingSupply: -1 },
        [other("02")]: { circulatingSupply: "12" },
        [other("03")]: { circulatingSupply: Number.POSITIVE_INFINITY },
        [other("04")]: { circulatingSupply: Number.NaN },
        [other("05")]: null,
        [other("06")]: { totalSupply: 5 },
        nonsense: { circulatingSupply: 5 },
      },
    });
    assert.deepStrictEqual(
      [...circulating],
      [
        [lower(A), 1.5],
        [lower(B), 0],
      ],
    );
    assert.lengthOf(problems, 8);
  });

  it("that is none gives nothing, and says why", () => {
    for (const json of [null, [], "x", {}, { tokens: [] }, { tokens: 5 }]) {
      const { circulating, problems } = parseSupplies(json);
      assert.strictEqual(circulating.size, 0);
      assert.lengthOf(problems, 1);
    }
  });
});

describe("a stranger's text", () => {
  it("loses what cannot be seen or leads astray, and is cut", () => {
    assert.strictEqual(cleanText(" \u202eUS\u200bD\u0000C\ufe0f "), "USDC");
    assert.strictEqual(cleanText("😀".repeat(1e6)), "😀".repeat(64));
    assert.strictEqual(cleanText("\u200b\n"), "");
  });

  it("is safe exactly when cleaning leaves it as it is", () => {
    const next = new RandomSource(TEST_SEED + 4).next;
    const parts = [..."aÉ日😀 ", "\u200b", "\u202e", "\n", "\u00ad", "\ud83d", "\ufffd"];
    for (let round = 0; round < 5_000; round++) {
      const length = Math.floor(next() * (next() < 0.1 ? 80 : 5));
      const text = Array.from({ length }, () => {
        const known = next() < 0.9 ? 5 : parts.length;
        return parts[Math.floor(known * next())];
      }).join("");
      assert.strictEqual(
        isSafeText(text),
        text !== "" && cleanText(text) === text,
        JSON.stringify(text),
      );
    }
  });
});

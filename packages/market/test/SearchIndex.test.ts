import { assert, describe, it } from "@effect/vitest";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { EntryLists } from "../src/search/EntryLists.ts";
import { SearchIndex } from "../src/search/SearchIndex.ts";

describe("search", () => {
  it("ranks the exact symbol first, then beginnings, then insides, each by the given order", () => {
    const index = new SearchIndex();
    const tokens = ["yUSDC", "USDC", "USDC.e", "usdc", "Circle USDC", "DAI"];
    for (const symbol of tokens) index.add(symbol, symbol);
    assert.deepStrictEqual(found(index, "usdc", [5, 4, 3, 2, 1, 0]), {
      tokens: [3, 1, 2, 4, 0],
      total: 5,
    });
  });

  it("finds what a scan finds, in the same order, for every query of a large random market", () => {
    const next = new RandomSource(TEST_SEED + 11).next;
    const letters = [..."abAB .ñΩ日😀"];
    const text = (max: number) =>
      Array.from({ length: Math.floor((max + 1) * next()) }, () => pick(letters, next)).join("");
    const index = new SearchIndex();
    const texts = Array.from({ length: 3_000 }, () => ({ symbol: text(5), name: text(12) }));
    for (const { symbol, name } of texts) index.add(symbol, name);
    const order = Array.from(texts.keys()).sort((a, b) => hash(a) - hash(b));
    let matches = 0;
    for (let round = 0; round < 400; round++) {
      const query = round % 2 === 0 ? text(5) : pick(texts, next).name.slice(0, 6);
      const limit = 1 + Math.floor(60 * next());
      const expected = scan(texts, order, query, limit);
      assert.deepStrictEqual(found(index, query, order, limit), expected, JSON.stringify(query));
      matches += expected.total;
    }
    assert.isAbove(matches, 10_000);
  });

  it("matches nothing for nothing, for blanks, and for more than any text holds", () => {
    const index = new SearchIndex();
    index.add("LONG", "x".repeat(300));
    for (const query of ["", "  ", "x".repeat(65), "x".repeat(1e6), "\u0000", "\ud83d"]) {
      assert.deepStrictEqual(found(index, query, [0]), { tokens: [], total: 0 }, query);
    }
    assert.strictEqual(found(index, "x".repeat(64), [0]).total, 1);
  });

  it("takes no notice of blanks round a query and of tokens that are not in the order yet", () => {
    const index = new SearchIndex();
    for (const symbol of ["AAA", "AAAB", "AAAC"]) index.add(symbol, "");
    assert.deepStrictEqual(found(index, " aaa ", [1, 0]), { tokens: [0, 1], total: 2 });
  });

  it("finds what a scan finds where thousands of names share their words, and new ones keep coming", () => {
    const next = new RandomSource(TEST_SEED + 5).next;
    const words = ["wrapped", "tokenized", "token", "stock", "usd", "coin", "(ondo", "to", "x"];
    const text = (max: number) =>
      Array.from({ length: 1 + Math.floor(max * next()) }, () => pick(words, next)).join(" ");
    const index = new SearchIndex();
    const texts: Array<{ symbol: string; name: string }> = [];
    for (const count of [300, 2_000, 6_000]) {
      while (texts.length < count) {
        const both = { symbol: text(1), name: text(5) };
        texts.push(both);
        index.add(both.symbol, both.name);
      }
      const order = Array.from(texts.keys()).sort((a, b) => hash(a) - hash(b));
      for (let round = 0; round < 150; round++) {
        const { name } = pick(texts, next);
        const start = Math.floor(name.length * next());
        const query = name.slice(start, start + 1 + Math.floor(25 * next())).trim();
        const expected = scan(texts, order, query, 40);
        assert.deepStrictEqual(found(index, query, order, 40), expected, JSON.stringify(query));
      }
    }
  });

  it("finds what a scan finds, in the same order, where nearly every name holds the text", () => {
    const next = new RandomSource(TEST_SEED + 21).next;
    const words = ["token", "a", "tok", "to", "x token", "e"];
    const texts = Array.from({ length: 9_000 }, () => {
      // Some begin with it, or are it; a symbol within which it stands may have a name that begins
      // so.
      const start = next() < 0.02 ? "token " : next() < 0.01 ? "" : "some ";
      return {
        symbol: next() < 0.003 ? "token" : `${pick(words, next)}${pick(words, next)}`,
        name: `${start}${pick(words, next)} token`,
      };
    });
    const index = new SearchIndex();
    for (const [position, { symbol, name }] of texts.entries()) {
      index.add(symbol, name);
      if (![4_095, 4_096, 4_500, 8_999].includes(position)) continue;
      const known = texts.slice(0, position + 1);
      const order = Array.from(known.keys()).sort((a, b) => hash(a) - hash(b));
      for (const query of ["token", "tok", " tok", "to", "oken", "some", "e"]) {
        for (const limit of [1, 50, 500, 5_000]) {
          const expected = scan(known, order, query.trim(), limit);
          const { tokens, total } = found(index, query, order, limit);
          assert.deepStrictEqual([tokens, total], [expected.tokens, expected.total], query);
        }
      }
    }
  });

  it("finds among very many those that hold it, however poor all of them are", () => {
    const index = new SearchIndex();
    const count = 12_000;
    for (let token = 0; token < count; token++) {
      index.add(`S${token}`, token < 6_000 ? "nothing" : "a common word");
    }
    const order = Array.from({ length: count }, (_, token) => token);
    const { tokens, total } = found(index, "common", order, 50);
    assert.deepStrictEqual([tokens, total], [order.slice(6_000, 6_050), 6_000]);
  });

  it("gives up memory, and no match, where a hundred thousand names are nearly the same", () => {
    const index = new SearchIndex();
    const name = (token: number) =>
      `wrapped staked token of the protocol of ethereum ${token % 10}`;
    const count = 20_000;
    for (let token = 0; token < count; token++) index.add("SAME", name(token));
    assert.isBelow(index.byteLength / count, 2_500);
    const order = Array.from({ length: count }, (_, token) => token);
    for (const query of ["token", "staked token of the protocol", "of ethereum 7"]) {
      const expected = order.filter((token) => name(token).includes(query));
      const { tokens, total } = found(index, query, order, 5);
      assert.deepStrictEqual([tokens, total], [expected.slice(0, 5), expected.length]);
    }
  });

  it("knows no case, however accents are written, but keeps look-alikes apart", () => {
    const index = new SearchIndex();
    const symbols = ["USDC", "UЅDC", "ÉCLAIR", "ΟΔΟΣ", "Straße"];
    for (const symbol of symbols) index.add(symbol, "");
    const order = [4, 3, 2, 1, 0];
    const only = (query: string) => found(index, query, order).tokens;
    assert.deepStrictEqual(only("usdc"), [0]);
    assert.deepStrictEqual(only("uЅdc"), [1]);
    assert.deepStrictEqual(only("e\u0301clair"), [2]);
    assert.deepStrictEqual(only("οδος"), [3]);
    assert.deepStrictEqual(only("ΟΣ"), [3]);
    assert.deepStrictEqual(only("STRAßE"), [4]);
  });
});

describe("lists of entries in one array", () => {
  it("are what as many arrays are, whichever grow and empty", () => {
    const next = new RandomSource(TEST_SEED + 8).next;
    const lists = new EntryLists();
    const plain: number[][] = [];
    for (let step = 0; step < 20_000; step++) {
      if (plain.length < 5 || next() < 0.01) plain[lists.make()] = [];
      const list = Math.floor(plain.length * next());
      if (next() < 0.001) {
        lists.empty(list);
        plain[list] = [];
      } else {
        lists.push(list, step);
        plain[list]!.push(step);
      }
    }
    for (const [list, entries] of plain.entries()) {
      assert.deepStrictEqual([...lists.entries(list)], entries);
      assert.strictEqual(lists.count(list), entries.length);
    }
  });
});

/** `order`: tokens by liquidity. */
function found(index: SearchIndex, query: string, order: ReadonlyArray<number>, limit = 50) {
  const rank = new Uint32Array(order.length);
  for (const [position, token] of order.entries()) rank[token] = position;
  return index.find(query, order.length, { order: Uint32Array.from(order), rank }, limit);
}

function scan(
  texts: ReadonlyArray<{ symbol: string; name: string }>,
  order: ReadonlyArray<number>,
  query: string,
  limit: number,
) {
  const wanted = query.trim().toLowerCase();
  const kinds: number[][] = [[], [], []];
  for (const token of order) {
    const symbol = texts[token]!.symbol.toLowerCase();
    const name = texts[token]!.name.toLowerCase();
    if (wanted === "") continue;
    if (symbol === wanted) kinds[0]!.push(token);
    else if (symbol.startsWith(wanted) || name.startsWith(wanted)) kinds[1]!.push(token);
    else if (symbol.includes(wanted) || name.includes(wanted)) kinds[2]!.push(token);
  }
  const all = kinds.flat();
  return { tokens: all.slice(0, limit), total: all.length };
}

function pick<A>(list: ReadonlyArray<A>, next: () => number): A {
  return list[Math.floor(next() * list.length)]!;
}

function hash(token: number): number {
  return Math.imul(token + 1, 0x9e3779b1) >>> 0;
}

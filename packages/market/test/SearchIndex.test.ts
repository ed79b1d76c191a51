import { assert, describe, it } from "@effect/vitest";
import { SearchIndex } from "../src/SearchIndex.ts";
import { random } from "./random.ts";

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
    const next = random(11);
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
    for (const query of ["", "  ", "x".repeat(129), "\u0000", "\ud83d"]) {
      assert.deepStrictEqual(found(index, query, [0]), { tokens: [], total: 0 }, query);
    }
    assert.strictEqual(found(index, "x".repeat(128), [0]).total, 1);
  });

  it("takes no notice of blanks round a query and of tokens that are not in the order yet", () => {
    const index = new SearchIndex();
    for (const symbol of ["AAA", "AAAB", "AAAC"]) index.add(symbol, "");
    assert.deepStrictEqual(found(index, " aaa ", [1, 0]), { tokens: [0, 1], total: 2 });
  });
});

function found(index: SearchIndex, query: string, order: ReadonlyArray<number>, limit = 50) {
  const rank = new Uint32Array(order.length);
  for (const [place, token] of order.entries()) rank[token] = place;
  return index.find(query, Uint32Array.from(order), rank, limit);
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

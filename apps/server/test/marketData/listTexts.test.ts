import { gunzipSync } from "node:zlib";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { ListTexts } from "../../src/caches/ListTexts.ts";
import { recordedService } from "../kit/service.ts";

const service = recordedService();
const LISTS = [
  ...["/tokens?limit=500", "/pools?limit=500&sort=-volume24h", "/tokens/search/usd?limit=500"],
  ...["/ETH/tokenList", "/ETH/tokenListWithDetails", "/docs", "/openapi.json", "/asyncapi.json"],
];

const ask = (path: string, headers: Record<string, string>) =>
  fetch(`${service.url}${path}`, { headers });

describe("lists and documents", () => {
  it.each(LISTS)("%s has an etag, and is not sent to who has it", async (path) => {
    const first = await service.get(path);
    const etag = first.headers.get("etag")!;
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(first.headers.get("cache-control")).toBe("no-cache");
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const again = await ask(path, { "if-none-match": tag });
      expect([tag, again.status, await again.text()]).toEqual([tag, 304, ""]);
      expect(again.headers.get("etag")).toBe(etag);
    }
    const other = await ask(path, { "if-none-match": 'W/"other"' });
    expect([other.status, await other.text()]).toEqual([200, first.text]);
  });

  it.each(LISTS)("%s comes in gzip to who takes it, and to nobody else", async (path) => {
    const plain = await ask(path, { "accept-encoding": "identity" });
    const text = await plain.text();
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.headers.get("vary")).toContain("accept-encoding");
    for (const taken of ["gzip", "br, GZIP;q=0.5", "*"]) {
      // `fetch` unpacks by itself.
      const packed = await ask(path, { "accept-encoding": taken });
      expect([taken, packed.headers.get("content-encoding")]).toEqual([taken, "gzip"]);
      expect(Number(packed.headers.get("content-length"))).toBeLessThan(text.length);
      expect(await packed.text()).toBe(text);
    }
    for (const refused of ["gzip;q=0", "br", "gzip;q=0, *", ""]) {
      const sent = await ask(path, { "accept-encoding": refused });
      expect([refused, sent.headers.get("content-encoding")]).toEqual([refused, null]);
      await sent.text();
    }
  });

  it("are other ones for other requests", async () => {
    const paths = [1, 2].flatMap((page) => [
      `/tokens?page=${page}`,
      `/tokens?page=${page}&limit=7`,
      `/tokens?page=${page}&minLiquidity=5`,
      `/pools?page=${page}`,
    ]);
    const tags = await Promise.all(
      paths.map(async (path) => (await service.get(path)).headers.get("etag")),
    );
    expect(new Set(tags).size).toBe(paths.length);
  });
});

describe("texts of lists", () => {
  const run = (texts: ListTexts, name: string, version: unknown, parts: () => Iterator<string>) =>
    Effect.runPromise(texts.get({ name, version, parts }, "somebody"));
  const ofCount = (count: number, onPart = () => {}) =>
    function* () {
      for (let part = 0; part < count; part++) {
        onPart();
        yield `${part},`;
      }
    };

  it("are made once for all who ask, until the version is another", async () => {
    const texts = new ListTexts();
    let made = 0;
    const parts = ofCount(3, () => made++);
    const all = await Promise.all([1, 2, 3].map(() => run(texts, "a", 1, parts)));
    expect(all.map(({ isKept }) => isKept)).toEqual([false, true, true]);
    expect(all.map(({ text }) => String(Buffer.from(text.bytes)))).toEqual(
      Array.from({ length: 3 }, () => "0,1,2,"),
    );
    expect(made).toBe(3);
    expect((await run(texts, "a", 2, ofCount(2))).isKept).toBe(false);
    const { text, isKept } = await run(texts, "a", 2, ofCount(9));
    expect([isKept, String(Buffer.from(text.bytes))]).toEqual([true, "0,1,"]);
    expect(text.packed("gzip")).toBeUndefined();
  });

  it("let the event loop turn while a long one is made, and it is made once for all", async () => {
    const texts = new ListTexts();
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    turn();
    // A part takes a quarter of a millisecond of processor time.
    const parts = ofCount(200, () => {
      const endMs = performance.now() + 0.25;
      while (performance.now() < endMs);
    });
    const { text } = await run(texts, "long", 1, parts);
    isDone = true;
    expect(turns).toBeGreaterThan(30);
    const packed = await run(texts, "packed", 1, ofCount(2_000));
    expect(gunzipSync((await packed.text.packed("gzip"))!)).toEqual(Buffer.from(packed.text.bytes));
    expect(text.etag).not.toBe(packed.text.etag);
  });

  it("that fail are not kept, and are made anew for the next", async () => {
    const texts = new ListTexts();
    const failing = () => {
      throw new Error("no list today");
    };
    await expect(run(texts, "a", 1, failing)).rejects.toThrow("no list today");
    expect((await run(texts, "a", 1, ofCount(1))).isKept).toBe(false);
  });

  it("of which the longest unasked go first, where they take too much memory", async () => {
    const texts = new ListTexts();
    const large = function* () {
      yield "x".repeat(9 * 2 ** 20);
    };
    for (const name of ["a", "b", "c"]) await run(texts, name, 1, large);
    expect((await run(texts, "a", 1, large)).isKept).toBe(true);
    await run(texts, "d", 1, large);
    expect((await run(texts, "a", 1, large)).isKept).toBe(true);
    expect((await run(texts, "b", 1, large)).isKept).toBe(false);
  });
});

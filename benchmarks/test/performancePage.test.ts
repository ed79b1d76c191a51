import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { BENCHMARKS } from "../src/benchmarks.ts";
import { blockNames, fillBlocks, withoutBlocks } from "../src/page/fillBlocks.ts";
import { formatQuantity } from "../src/page/formatQuantity.ts";
import { DOCUMENTS, drawPages } from "../src/page/pages.ts";
import { Quote } from "../src/page/Quote.ts";
import { TABLES } from "../src/page/tables.ts";
import { formatResult, quotedResult, type Result } from "../src/results/Result.ts";
import { readResults } from "../src/results/results.ts";

const ROOT = new URL("../../", import.meta.url);
/** What a measured figure looks like, where somebody typed it. */
const FIGURE = /\d\s?(ns|µs|ms|MB|MiB|bytes|times|a second)(?!\w)/g;

const read = (path: string) => readFile(new URL(path, ROOT), "utf8");

describe("documents that quote figures", () => {
  it("hold exactly what the quoted result says, and so do the pictures", async () => {
    const pages = await drawPages(await readResults());
    for (const [path, text] of pages) {
      expect(await read(path), `${path}: npm run bench -- page`).toBe(text);
    }
    expect([...pages.keys()]).toEqual(expect.arrayContaining([...DOCUMENTS]));
  });

  it("have every table in one place", async () => {
    const names = await Promise.all(DOCUMENTS.map(async (path) => blockNames(await read(path))));
    expect(names.flat().toSorted()).toEqual(Object.keys(TABLES).toSorted());
  });

  it("have no picture that is not drawn from the results", async () => {
    const pages = await drawPages(await readResults());
    const files = await readdir(new URL("benchmarks/results/", ROOT));
    const others = files.filter((name) => !name.endsWith(".json"));
    expect(
      others.map((name) => `benchmarks/results/${name}`).filter((path) => !pages.has(path)),
    ).toEqual([]);
  });

  it("have no figure that was typed by hand", async () => {
    expect("in 8.0 µs, 40 times".match(FIGURE)).toHaveLength(2);
    expect(withoutBlocks(await read("docs/performance.md")).match(FIGURE) ?? []).toEqual([]);
  });
});

describe("a quoted result", () => {
  const machine = { cpu: "a CPU", cores: 2, memoryBytes: 2 ** 30 };
  const resultOf = (commit: string, date: string, names: ReadonlyArray<string>): Result => ({
    commit,
    machine,
    node: "v22.0.0",
    runs: Object.fromEntries(names.map((name) => [name, { date, seconds: 1, figures: [] }])),
  });

  it("is the newest complete one, and the newest while none is complete", () => {
    const older = resultOf("a", "2026-01-01", ["x", "y"]);
    const newer = resultOf("b", "2026-01-02", ["y", "x"]);
    const partial = resultOf("c", "2026-01-03", ["x"]);
    expect(quotedResult([newer, older, partial], ["x", "y"])).toBe(newer);
    expect(quotedResult([newer, partial], ["x", "y", "z"])).toBe(partial);
    expect(quotedResult([], ["x"])).toBeUndefined();
  });

  it("must have each figure that a table names, but for one with a question mark", () => {
    const figures = [{ name: "x.p50", value: 8.032, unit: "us" }];
    const runs = { x: { date: "2026-01-01", seconds: 1, figures } };
    const whole = new Quote({ ...resultOf("a", "", []), runs }, ["x"]);
    expect(whole.fill("p50 {x.p50}{x.p99?}")).toBe("p50 8.0 µs");
    expect(() => whole.fill("{x.p99}")).toThrow("x.p99");
    expect(new Quote(whole.result, ["x", "y"]).fill("{y.p50}")).toBe("–");
  });

  it("is kept with one figure a line", () => {
    const figures = [
      { name: "x.p50", value: 1.5, unit: "us" },
      { name: "x.p99", value: 2, unit: "us" },
    ];
    const result = { ...resultOf("a", "", []), runs: { x: { date: "2026-01-01", figures } } };
    const text = formatResult(result);
    expect(JSON.parse(text)).toEqual(result);
    expect(text).toContain('{ "name": "x.p50", "value": 1.5, "unit": "us" },\n');
  });

  it("fails for a table that there is not", () => {
    const document = "<!-- results:nothing -->\n<!-- /results -->\n";
    expect(() => fillBlocks(document, (name) => TABLES[name] && "")).toThrow("nothing");
    expect(BENCHMARKS.size).toBeGreaterThan(0);
  });
});

describe("a figure in a document", () => {
  it.each([
    [8.032, "us", "8.0 µs"],
    [561.3, "us", "561 µs"],
    [1_952, "us", "2.0 ms"],
    [0.5613, "ms", "561 µs"],
    [1_173, "ms", "1.2 s"],
    [70, "ns", "70 ns"],
    [346.1, "bytes", "346 bytes"],
    [25.92, "MB", "25.9 MB"],
    [29_363, "requests/s", "29,400 a second"],
    [0.9768, "of requests", "97.7 %"],
    [0.4881, "of bare", "0.49"],
    [0.97904, "of the ceiling", "0.9790"],
    [0, "bp", "0"],
    [185_504, "times", "186,000"],
    [46_932, "tokens", "46,932"],
    [1, "yes", "yes"],
  ])("of %d %s is %s", (value, unit, text) => expect(formatQuantity(value, unit)).toBe(text));
});

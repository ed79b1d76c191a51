import { basename, dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { entriesOf, imported, sources, startedBy, text, units } from "./sourceText.ts";

// The house rules of docs/architecture.md on the content and the imports of a file.

const COLUMNS_MAX = 100;
/** A file of fewer lines has to serve at least two others. */
const LINES_ALONE = 12;

const products = sources.filter((path) => /^((packages|apps)\/[^/]+|benchmarks)\/src\//.test(path));

describe("comments", () => {
  it(`are at most ${COLUMNS_MAX} columns wide`, () => {
    const wide = sources.flatMap((path) =>
      text(path)
        .split("\n")
        .flatMap((line, index) =>
          line.length > COLUMNS_MAX && isComment(line) ? [`${path}:${index + 1}`] : [],
        ),
    );
    expect(wide).toEqual([]);
  });
});

describe("imports, those of types included", () => {
  it("go round in no circle", () => {
    const found = circles(sources);
    expect(found.map((circle) => circle.sort().join(" "))).toEqual([]);
  });
});

describe("a small file", () => {
  it(`of less than ${LINES_ALONE} lines serves more than one other, or is part of that`, () => {
    const entries = new Set([
      ...[...units].flatMap((unit) =>
        Object.values(entriesOf(unit)).map((path) => `${unit}/${path.slice(2)}`),
      ),
      ...[...units].flatMap(startedBy),
    ]);
    const importers = new Map<string, number>();
    // An index re-exports it to all importers of the package, as its other entries do.
    for (const path of sources)
      for (const target of new Set(imported(path))) {
        const passesOn = isIndex(path) || entries.has(path);
        importers.set(target, (importers.get(target) ?? 0) + (passesOn ? 2 : 1));
      }
    const alone = products.filter(
      (path) =>
        linesOf(path) < LINES_ALONE &&
        (importers.get(path) ?? 0) < 2 &&
        !entries.has(path) &&
        !/^(main|index)\.ts$/.test(basename(path)) &&
        // The files of a protocol are the same for each: see docs/adding-a-family.md.
        !/^packages\/protocols\/src$/.test(dirname(dirname(path))),
    );
    expect(alone).toEqual([]);
  });

  it("never only passes on what others export, but for the entries of packages", () => {
    const passing = products.filter(
      (path) =>
        !isIndex(path) &&
        /^export (type )?(\*|\{)/m.test(text(path)) &&
        !/^(export )?(async |abstract )*(const|let|function|class|interface|type) /m.test(
          text(path),
        ),
    );
    expect(passing).toEqual([]);
  });
});

function isIndex(path: string): boolean {
  return basename(path) === "index.ts";
}

function isComment(line: string): boolean {
  return /^\s*(\/\/|\/?\*)|\s\/\/ [^"`]*$/.test(line);
}

function linesOf(path: string): number {
  return text(path).split("\n").length - 1;
}

/** Sets of files that import themselves through others of the set (Tarjan). */
function circles(paths: ReadonlyArray<string>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.get(path)!);
    open.push(path);
    for (const target of imported(path)) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(target)!));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) found.push(circle);
  };
  for (const path of paths) if (!order.has(path)) visit(path);
  return found;
}

import { basename, dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { entriesOf, everything, sources, text, units } from "./sourceText.ts";

// The house rules of docs/testing.md on the places and names of tests.

/** Folders of the tests that cross packages: subjects, then shared code. */
const SUBJECTS = [
  "execution",
  "executor",
  "following",
  "house",
  "long",
  "marketData",
  "routing",
  "splits",
];
const SHARED = ["contracts", "live", "markets", "reference"];

const tests = sources.filter((path) => path.endsWith(".test.ts"));

describe("the tests that cross packages", () => {
  const crossing = everything.filter((path) => path.startsWith("test/"));

  it("lie in folders by subject, with what they share beside these", () => {
    const strange = crossing.filter((path) => {
      const [, folder, rest] = path.split("/");
      if (rest === undefined) return path !== "test/package.json";
      return !(path.endsWith(".test.ts") ? SUBJECTS : [...SUBJECTS, ...SHARED]).includes(folder!);
    });
    expect(strange).toEqual([]);
  });

  it("import more than one package: others lie beside what they prove", () => {
    expect(crossing.filter((path) => dirname(path) === "test" && /\.ts$/.test(path))).toEqual([]);
  });
});

describe("every test", () => {
  it("is found", () => expect(tests.length).toBeGreaterThan(200));

  it("is of a describe, so that one line of the log names its subject", () => {
    const bare = tests.filter((path) => /^(it|test)(\.\w+)*[(<`]/m.test(text(path)));
    expect(bare).toEqual([]);
  });

  it("is of a describe that has a name", () => {
    const nameless = tests.filter((path) => /\bdescribe(\.\w+)*\(\s*(""|``)/.test(text(path)));
    expect(nameless).toEqual([]);
  });
});

describe("what tests share", () => {
  const unit = "packages/testing";
  const entries = entriesOf(unit);

  it("is of packages/testing, all of it used", () => {
    expect(units.has(unit)).toBe(true);
    const used = new Set(
      sources.flatMap((path) =>
        [...text(path).matchAll(IMPORT)]
          .filter(
            ([, , from]) =>
              from! in entries || path.startsWith(`${unit}/`) || from!.includes(`${unit}/src/`),
          )
          .flatMap(([, names]) => names!.split(",").map(bareName)),
      ),
    );
    const exported = sources
      .filter((path) => path.startsWith(`${unit}/src/`) && basename(path) !== "index.ts")
      .flatMap((path) =>
        [...text(path).matchAll(EXPORT)].map(([, name]) => ({ path, name: name! })),
      );
    expect(exported.length).toBeGreaterThan(20);
    expect(exported.filter(({ name }) => !used.has(name))).toEqual([]);
  });
});

const IMPORT = /^import (?:type )?\{([^}]*)\} from "([^"]+)"/gm;
const EXPORT = /^export (?:async |abstract )*(?:class|function\*?|const|interface|type) (\w+)/gm;

function bareName(name: string): string {
  return name
    .trim()
    .replace(/^type /, "")
    .replace(/ as .*/, "");
}

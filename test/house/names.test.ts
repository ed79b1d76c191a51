import { describe, expect, it } from "vitest";
import { sources, text } from "./sourceText.ts";

// The house rules of docs/architecture.md on names.

/** Private words that were removed; docs/glossary.md has the few that stay. */
const WORDS_THAT_LEFT = [
  "told",
  "tells",
  "teller",
  "take back",
  "taken back",
  "venue",
  "glance",
  "windfall",
  "lucky",
  "desk",
  "bookkeeper",
  "crowd",
  "puppet",
];

/** A removed word that a file format keeps for good. */
const KEPT = { folder: "packages/chain/src/snapshot/", word: "venues" };

const products = sources.filter((path) => /^((packages|apps)\/[^/]+|benchmarks)\/src\//.test(path));

/** An exported declaration and its name. */
const EXPORT =
  /^export (?:declare |async |abstract )*(?:class|function\*?|const|let|interface|type|enum) (\w+)/gm;

describe("the names of exports", () => {
  const named = new Map<string, Set<string>>();
  for (const path of products) {
    // References reuse the names of the code that they judge; benchmarks are a program of their
    // own.
    if (/^(packages\/testing|benchmarks)\//.test(path)) continue;
    for (const [, name] of text(path).matchAll(EXPORT)) {
      const paths = named.get(name!) ?? new Set();
      named.set(name!, paths.add(path));
    }
  }

  it("are found at all", () => expect(named.size).toBeGreaterThan(500));

  it("mean one thing each, whatever the package", () => {
    const twice = [...named].filter(([, paths]) => paths.size > 1);
    expect(twice.map(([name, paths]) => `${name}: ${[...paths].join(", ")}`)).toEqual([]);
  });
});

describe("the words of identifiers", () => {
  it("are the field's: none that has left comes back", () => {
    const left = WORDS_THAT_LEFT.map((word) => ({ word, form: new RegExp(`(^| )${word}s?( |$)`) }));
    const found = products.flatMap((path) =>
      [...identifiersOf(text(path))]
        .filter((identifier) => !isKept(path, identifier))
        .flatMap((identifier) =>
          left
            .filter(({ form }) => form.test(wordsOf(identifier)))
            .map(({ word }) => `${path}: ${identifier} (${word})`),
        ),
    );
    expect(found).toEqual([]);
  });

  it("are read off names in camel case, in Pascal case and of constants", () => {
    expect(wordsOf("takeBackAfter")).toBe("take back after");
    expect(wordsOf("VENUE_COUNT")).toBe("venue count");
    expect(wordsOf("RPCDesk2")).toBe("rpc desk 2");
  });
});

function isKept(path: string, identifier: string): boolean {
  return path.startsWith(KEPT.folder) && identifier === KEPT.word;
}

/** The identifiers of code, without comments and strings. */
function identifiersOf(code: string): Set<string> {
  const bare = code
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "");
  return new Set(bare.match(/[A-Za-z_$][\w$]*/g));
}

function wordsOf(identifier: string): string {
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/([a-z])([0-9])/g, "$1 $2")
    .toLowerCase()
    .split(/[ _]+/)
    .join(" ");
}

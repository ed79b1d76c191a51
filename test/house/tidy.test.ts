import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { readDocument, tableRows } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import {
  entriesOf,
  everything,
  folders,
  importsOf,
  reachedFrom,
  root,
  sources,
  startedBy,
  text,
  unitOf,
  units,
} from "./sourceText.ts";

// The house rules of docs/architecture.md, checked on the source text.

/** Which of our packages each folder may import; the arrows of docs/architecture.md. */
const ARROWS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/core": [],
  "packages/protocols": ["core"],
  "packages/chain": ["core", "protocols"],
  "packages/replay": ["core", "protocols"],
  "packages/market": ["core"],
  "packages/execution": ["core", "protocols"],
  "packages/api": [],
  "packages/client": ["api"],
  "packages/networks": [],
  "packages/history": ["core"],
  "packages/feed": ["core", "history"],
  "packages/platform-uws": [],
  "packages/devnet": [],
  "packages/millrace": ["api", "core", "networks", "server"],
  "packages/testing": ["core", "devnet", "protocols"],
};

/** Folders that may import any package, but no app. */
const COMPOSITION = ["apps/", "benchmarks", "test"];

const TOP_LEVEL = [
  ".ci",
  ".gitattributes",
  ".github",
  ".gitignore",
  ".npmrc",
  ".nvmrc",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
  "apps",
  "benchmarks",
  "biome.json",
  "deploy",
  "docs",
  "knip.json",
  "package.json",
  "packages",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "run.mjs",
  "withoutTypes.mjs",
  "test",
  "tsconfig.base.json",
  "tsconfig.json",
  "vitest.config.ts",
];

/** Third-party and generated folders. */
const MADE = [".git", "node_modules", "dist"];

/** Where Effect is too slow and viem too heavy: types included. */
const HOT = [/^packages\/core\/src\/(graph|search|math)\//, /^packages\/protocols\/src\/curves\//];

const VIEM_ALLOWED = [
  /^packages\/(chain|execution|devnet)\//,
  /^packages\/protocols\/src\/((?!curves\/)[^/]+\/[^/]+|dexSettings|v3Pools)\.ts$/,
  /^(test|benchmarks|apps|packages\/protocols\/test)\//,
];

const PROTOCOL_FILES = ["index.ts", "chain.ts", "calldata.ts", "decode.ts"];
const LINES_MAX = 350;
// In pieces, so that this file does not hold them.
const FORBIDDEN = [
  ["/work", "/"],
  [".lib", "rary"],
  ["/sha", "red/design"],
  ["/tmp/", "brief"],
].map((pieces) => pieces.join(""));

describe("the tree", () => {
  it("has at its top what docs/architecture.md names and tools insist on, and nothing else", () => {
    const entries = readdirSync(root).filter((name) => !MADE.includes(name));
    expect(entries.filter((name) => !TOP_LEVEL.includes(name))).toEqual([]);
  });

  it("has no empty folders", () => {
    expect(folders(root).filter((folder) => readdirSync(join(root, folder)).length === 0)).toEqual(
      [],
    );
  });

  it("has only packages that docs/architecture.md names", () => {
    const packages = [...units].filter((unit) => unit.startsWith("packages/"));
    expect(packages.filter((unit) => !(unit in ARROWS))).toEqual([]);
    expect(packages.length).toBeGreaterThan(0);
  });

  it("has the arrows that docs/architecture.md shows", () => {
    const page = readDocument("docs/architecture.md").split("## Packages and their imports")[1]!;
    const rows = tableRows(page.split("\n## ")[0]!).map((row) => row.map((cell) => cell.trim()));
    const shown = rows
      .filter(([folder]) => folder!.startsWith("`packages/"))
      .map(([folder, , imports]) => [
        folder!.replaceAll("`", ""),
        imports === "none" ? [] : imports!.split(", "),
      ]);
    expect(Object.fromEntries(shown)).toEqual(ARROWS);
  });

  it("has the same files in every protocol's folder, and math.ts and pool.ts in every curve's", () => {
    const home = join(root, "packages/protocols/src");
    const foldersIn = (folder: string) =>
      readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory());
    const names = foldersIn(home).filter((name) => name !== "curves");
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const files = readdirSync(join(home, name));
      // A long protocol has further files. A protocol that is not followed yet has only legs.
      const wanted = files.includes("index.ts") ? PROTOCOL_FILES : ["calldata.ts", "decode.ts"];
      expect(files, name).toEqual(expect.arrayContaining(wanted));
    }
    const curves = foldersIn(join(home, "curves"));
    expect(curves.length).toBeGreaterThan(0);
    for (const name of curves) {
      const files = readdirSync(join(home, "curves", name));
      expect(files, name).toEqual(expect.arrayContaining(["math.ts", "pool.ts"]));
    }
  });
});

describe("the family that docs/adding-a-family.md adds", () => {
  const home = "apps/examples/src/families/";
  const own = sources.filter((path) => path.startsWith(home));
  const names = [...new Set(own.map((path) => path.slice(home.length).split("/")[0]!))];

  it("is one folder, whose curve has at most 250 lines", () => {
    expect(names).toHaveLength(1);
    const curve = own.filter((path) => /\/(math|pool)\.ts$/.test(path));
    expect(curve).toHaveLength(2);
    const lines = curve.reduce((sum, path) => sum + text(path).split("\n").length - 1, 0);
    expect(lines).toBeLessThanOrEqual(250);
  });

  it("is named by its page, its program and its tests, and by nothing else", () => {
    const [name] = names;
    const isFree = /^(apps\/examples\/|docs\/adding-a-family\.md$|CHANGELOG\.md$)/;
    const texts = everything.filter((path) => /\.(ts|mjs|json|md|yaml)$/.test(path));
    const named = texts.filter((path) => new RegExp(name!, "i").test(text(path)));
    expect(named.filter((path) => !isFree.test(path))).toEqual([]);
    expect(named).toContain("docs/adding-a-family.md");
    const program = text("apps/examples/src/addedFamily.ts");
    expect(program.match(new RegExp(`\\.\\.\\.${name}\\.curves`, "g"))).toHaveLength(1);
  });
});

describe("imports", () => {
  const imports = sources.flatMap((path) => importsOf(path).map((target) => ({ path, target })));
  const wrong = (isWrong: (path: string, target: string) => boolean) =>
    imports
      .filter(({ path, target }) => isWrong(path, target))
      .map(({ path, target }) => `${path}: ${target}`);

  it("are found at all", () => expect(imports.length).toBeGreaterThan(100));

  it("between packages follow the arrows", () => {
    expect(
      wrong((path, target) => {
        const ours = /^@millrace\/([^/]+)/.exec(target)?.[1];
        if (ours === undefined) return false;
        // Shared test code is for tests only.
        if (ours === "testing") return !/^([^/]+\/[^/]+\/|benchmarks\/)?test\//.test(path);
        const unit = unitOf(path);
        if (unit === undefined || COMPOSITION.some((folder) => unit.startsWith(folder)))
          return false;
        // Tests may import the package that they test by its name.
        if (path.startsWith(`${unit}/test/`) && unit === `packages/${ours}`) return false;
        return !ARROWS[unit]?.includes(ours);
      }),
    ).toEqual([]);
  });

  it("of other packages name an entry that the package exports, never a file in it", () => {
    const entries = [...units].flatMap((unit) => Object.keys(entriesOf(unit)));
    expect(
      wrong((_, target) => target.startsWith("@millrace/") && !entries.includes(target)),
    ).toEqual([]);
  });

  it("that are relative stay inside their package", () => {
    expect(
      wrong((path, target) => {
        if (!target.startsWith(".")) return false;
        const unit = unitOf(path);
        const reached = relative(root, resolve(root, dirname(path), target));
        return unit !== undefined && !reached.startsWith(`${unit}/`);
      }),
    ).toEqual([]);
  });

  it("are of real files, with their extension", () => {
    expect(
      wrong(
        (path, target) =>
          target.startsWith(".") && !existsSync(resolve(root, dirname(path), target)),
      ),
    ).toEqual([]);
  });

  it("never are of an app, but of the service in what brings and what starts it", () => {
    const apps = /^@millrace\/(server|examples|pack|cli)(\/|$)|(^|\/)apps\//;
    const isMeant = (path: string, target: string) =>
      (path.startsWith("packages/millrace/src/") && target === "@millrace/server") ||
      (path.startsWith("apps/cli/src/") && /^@millrace\/server(\/(run|export))?$/.test(target));
    expect(wrong((path, target) => apps.test(target) && !isMeant(path, target))).toEqual([]);
  });

  it("of hot folders are neither of Effect nor of viem, not even of types", () => {
    const cold = /^(@?effect|viem|ox)(\/|$)/;
    expect(wrong((path, target) => HOT.some((hot) => hot.test(path)) && cold.test(target))).toEqual(
      [],
    );
  });

  it("of hot folders stay among hot folders and the contract of a curve", () => {
    const contract = /^packages\/core\/src\/Curve\.ts$/;
    expect(
      wrong((path, target) => {
        if (!/^packages\/core\/src\/(graph|search|math)\//.test(path) || !target.startsWith("."))
          return false;
        const reached = relative(root, resolve(root, dirname(path), target));
        return !HOT.some((hot) => hot.test(reached)) && !contract.test(reached);
      }),
    ).toEqual([]);
  });

  it("of viem are only where a chain is spoken to", () => {
    expect(
      wrong(
        (path, target) =>
          /^viem(\/|$)/.test(target) && !VIEM_ALLOWED.some((place) => place.test(path)),
      ),
    ).toEqual([]);
  });

  it("never go from one protocol's folder to another's, but to those of curves", () => {
    const folder = /^packages\/protocols\/src\/((?:curves\/)?[^/]+)\//;
    expect(
      wrong((path, target) => {
        const own = folder.exec(path)?.[1];
        if (own === undefined || !target.startsWith(".")) return false;
        const reached = relative(root, resolve(root, dirname(path), target));
        // Shared code of protocols lies beside their folders; the list of protocols lies above
        // them.
        const isAbove = /src\/(registry|index)\.ts$/.test(reached);
        const there = folder.exec(reached)?.[1] ?? own;
        const isCurve = there.startsWith("curves/") && !own.startsWith("curves/");
        return isAbove || (there !== own && !isCurve);
      }),
    ).toEqual([]);
  });
});

describe("source files", () => {
  it("are all reached from their package's entry", () => {
    for (const unit of units) {
      const files = sources.filter((path) => path.startsWith(`${unit}/src/`));
      if (files.length === 0) continue;
      const exported = Object.values(entriesOf(unit)).map((path) => join(unit, path));
      const entries = [...exported, `${unit}/src/index.ts`, `${unit}/src/main.ts`];
      const reached = reachedFrom([
        ...entries.filter((entry) => files.includes(entry)),
        ...startedBy(unit),
      ]);
      expect(files.filter((path) => !reached.has(path))).toEqual([]);
    }
  });

  it("are named in PascalCase after what they export, or in camelCase", () => {
    for (const path of sources) {
      const name = basename(path).replace(/(\.test|\.config)?\.ts$/, "");
      expect(name, path).toMatch(/^[a-zA-Z][a-zA-Z0-9]*$/);
      if (!/^[A-Z]/.test(name) || path.includes("/test/")) continue;
      const exported = new RegExp(`export (abstract )?(class|interface|type|const) ${name}\\b`);
      const index = join(dirname(path), "index.ts");
      const isNamespace =
        sources.includes(index) && text(index).includes(`export * as ${name} from "./${name}.ts"`);
      expect(exported.test(text(path)) || isNamespace, `${path} exports ${name}`).toBe(true);
    }
  });

  it(`have at most ${LINES_MAX} lines`, () => {
    const long = sources.filter((path) => text(path).split("\n").length - 1 > LINES_MAX);
    expect(long).toEqual([]);
  });

  it("and all other texts name no place of the machine that they were written on", () => {
    const texts = everything.filter((path) => /\.(ts|mjs|json|md|yaml|svg)$|\/run$/.test(path));
    expect(texts.filter((path) => FORBIDDEN.some((word) => text(path).includes(word)))).toEqual([]);
  });
});

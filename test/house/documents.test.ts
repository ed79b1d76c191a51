import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { documentBlocks, documentPaths, readDocument } from "@millrace/testing";
import { describe, expect, it } from "vitest";

// Rules for the text of documents. apps/examples runs their blocks, apps/server compares their
// tables with the code.

const root = fileURLToPath(new URL("../..", import.meta.url));
const README_BYTES_MAX = 12_000;
/** Languages of blocks: those that are run or decoded, and those that cannot be. */
const LANGUAGES = ["sh", "ts", "json", "console", "text"];
const PURPOSES: Readonly<Record<string, RegExp>> = {
  ts: /^(check|[\w/]+\.ts|)$/,
  json: /^(config|quote|readiness|supplies)$/,
};

const paths = documentPaths();
const blocks = documentBlocks();
const links = paths.flatMap((path) =>
  linksOf(prose(path)).map((target) => ({ path, target, name: `${path}: ${target}` })),
);

describe("documents", () => {
  it(`README has at most ${README_BYTES_MAX} bytes, and leads to every page of docs`, () => {
    expect(Buffer.byteLength(readDocument("README.md"))).toBeLessThanOrEqual(README_BYTES_MAX);
    const pages = paths.filter((path) => path.startsWith("docs/"));
    expect(pages.length).toBeGreaterThan(10);
    const reached = links.filter(({ path }) => path === "README.md").map(({ target }) => target);
    expect(pages.filter((page) => !reached.includes(page))).toEqual([]);
  });

  it("relative links lead to files, and their anchors to headings", () => {
    const inside = links.filter(({ target }) => !/^[a-z]+:/.test(target));
    expect(inside.length).toBeGreaterThan(50);
    expect(inside.filter(({ path, target }) => !leadsSomewhere(path, target))).toEqual([]);
  });

  it("other links are of https, mail, or the service itself", () => {
    const outside = links.filter(({ target }) => /^[a-z]+:/.test(target));
    const isSound = (target: string) =>
      URL.canParse(target) && /^(https:|mailto:|http:\/\/127\.0\.0\.1:8080\/)/.test(target);
    expect(outside.filter(({ target }) => !isSound(target))).toEqual([]);
  });

  it("headings are told apart by their anchors, and nothing is skipped between their levels", () => {
    for (const path of paths) {
      const anchors = anchorsOf(path);
      expect(new Set(anchors).size, path).toBe(anchors.length);
      const levels = [...prose(path).matchAll(/^(#+) /gm)].map(([, marks]) => marks!.length);
      expect(levels[0], path).toBe(1);
      expect(levels.slice(1).filter((level, at) => level > levels[at]! + 1 || level < 2)).toEqual(
        [],
      );
    }
  });

  it("blocks say what is to be done with them", () => {
    const name = ({ path, line }: (typeof blocks)[number]) => `${path}:${line}`;
    expect(blocks.length).toBeGreaterThan(50);
    expect(blocks.filter(({ language }) => !LANGUAGES.includes(language)).map(name)).toEqual([]);
    const isOdd = ({ language, purpose }: (typeof blocks)[number]) =>
      !(PURPOSES[language] ?? /^$/).test(purpose);
    expect(blocks.filter(isOdd).map(name)).toEqual([]);
  });

  it("commands are of scripts and files that exist, in blocks that are not run as well", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const shells = blocks.filter(({ language }) => language === "sh" || language === "console");
    const matches = (form: RegExp) =>
      shells.flatMap(({ text }) => [...text.matchAll(form)].map(([, name]) => name!));
    const named = [...matches(/npm run (?:-s )?([\w:-]+)/g), ...matches(/npm (start|test)\b/g)];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const files = [
      ...matches(/node run\.mjs ([\w/.]+\.ts)/g),
      ...matches(/npm test -- ((?:packages|apps|test)[\w/.]*)/g),
    ];
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("source files that the text names exist", () => {
    const named = paths.flatMap((path) =>
      [
        ...readDocument(path).matchAll(/`((?:packages|apps|test|benchmarks|deploy)\/[\w./-]+)`/g),
      ].map(([, file]) => ({ path, file: file! })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("the page of the architecture has every folder of sources", () => {
    const page = readDocument("docs/architecture.md");
    const units = ["packages", "apps"].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}/src`),
    );
    const folders = units
      .filter((unit) => existsSync(join(root, unit)))
      .flatMap((unit) =>
        readdirSync(join(root, unit), { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map(({ name }) => `${unit}/${name}`),
      );
    expect(folders.length).toBeGreaterThan(40);
    expect(folders.filter((folder) => !page.includes(`| \`${folder}\` `))).toEqual([]);
  });

  it("blocks that are run hold values where values are needed", () => {
    const runnable = blocks.filter(({ language }) => ["sh", "ts", "json"].includes(language));
    expect(runnable.filter(({ text }) => /0x…|\.\.\.["}]|<[A-Z_]+>/.test(text))).toEqual([]);
  });
});

/** A document without its blocks. */
function prose(path: string): string {
  return readDocument(path).replace(/^```.*?^```$/gms, "");
}

function linksOf(markdown: string): string[] {
  const text = markdown.replace(/`[^`\n]*`/g, "");
  const targets = [
    ...text.matchAll(/\]\(([^)\s]+)\)|<((?:https?|mailto):[^>\s]+|[^>\s]+@[^>\s]+)>/g),
  ];
  return targets.map(([, link, bare]) => link ?? (bare!.includes(":") ? bare! : `mailto:${bare}`));
}

function leadsSomewhere(path: string, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  const reached = file === "" ? path : join(dirname(path), file);
  if (!existsSync(join(root, reached)) || reached.startsWith("..")) return false;
  if (anchor === undefined) return true;
  return statSync(join(root, reached)).isFile() && anchorsOf(reached).includes(anchor);
}

/** The anchors that GitHub makes from headings. */
function anchorsOf(path: string): string[] {
  return [...prose(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}

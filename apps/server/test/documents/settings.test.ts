import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readiness, SwapQuote } from "@millrace/api";
import { parseSupplies } from "@millrace/market";
import { documentBlocks, markedPart, readDocument, tableRows } from "@millrace/testing";
import { Effect, Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULTS, NETWORK_DEFAULTS } from "../../src/config/defaults.ts";
import { loadConfig, OTHER_VARIABLES, VARIABLES } from "../../src/config/loadConfig.ts";
import { settingsOf } from "./settingsOf.ts";
import { writePart } from "./writePart.ts";

const PAGE = "docs/configuration.md";
const HEAD = ["setting", "values", "default", "meaning"];

/** Defaults that are not in the schema: computed at the start, or set by `chainSource`. */
const DESCRIBED: Readonly<Record<string, string>> = {
  searchWorkers: "cores − 1, at most 2",
  "networks[].headAgeLimitMs": "ten block times, at least 5 s",
  "source.journalDepth": "`64`",
  "source.catchUpBlocks": "`1000`",
  "source.completeness": "`always`",
  "source.proof": "`bloom`",
  "source.auditedPools": "`2`",
  "source.auditedQuotes": "`4`",
  "source.snapshotBlocks": "`100`",
};

const settings = settingsOf();

describe("the page of the configuration", () => {
  it.each([...settings.keys()])("has the settings of %s, with values and defaults", (part) => {
    const name = `settings: ${part}`;
    const meanings = new Map(
      tableRows(markedPart(readDocument(PAGE), name)).map((row) => [row[0], row.at(-1)!]),
    );
    const rows = settings.get(part)!.map(({ path, values, isOptional }) => {
      const meaning = meanings.get(`\`${path}\``) ?? "";
      return [`\`${path}\``, values, defaultOf(path, isOptional), meaning];
    });
    writePart(PAGE, name, [HEAD, ...rows]);
    expect(tableRows(markedPart(readDocument(PAGE), name))).toEqual(rows);
    expect(rows.filter(([, , , meaning]) => meaning === "")).toEqual([]);
  });

  it("has every part of them once", () => {
    const parts = [...readDocument(PAGE).matchAll(/<!-- settings: (\w+) -->/g)];
    expect(parts.map(([, part]) => part).sort()).toEqual([...settings.keys()].sort());
  });

  it("has every variable of the environment, with its setting", () => {
    const [, table] = readDocument(PAGE).split("## Environment");
    const rows = tableRows(table!.split("\n## ")[0]!);
    const named = rows.map(([variable, setting]) => [unquoted(variable!), unquoted(setting!)]);
    const read = named.filter(([, setting]) => setting !== "");
    expect(Object.fromEntries(read)).toEqual(VARIABLES);
    const others = named.filter(([, setting]) => setting === "").map(([variable]) => variable!);
    expect(others.length).toBe(5);
    const texts = others.map((variable) => variable.replace("<NETWORK>", "ETH"));
    expect(texts.filter((text) => !OTHER_VARIABLES.test(text))).toEqual([]);
  });
});

const blocks = documentBlocks().filter(({ language }) => language === "json");
const ofPurpose = (wanted: string) =>
  blocks
    .filter(({ purpose }) => purpose === wanted)
    .map(({ path, line, text }) => [`${path}:${line}`, text] as const);

describe("JSON of the documents", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "millrace-documents-"));
    writeFileSync(join(folder, "supplies.json"), "{}");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(ofPurpose("config"))("%s is a configuration", async (_, text) => {
    const path = join(folder, "config.json");
    const data = JSON.stringify(join(folder, "data"));
    writeFileSync(path, text.replaceAll("/etc/millrace", folder).replaceAll('"./data"', data));
    const config = await Effect.runPromise(loadConfig({ MILLRACE_CONFIG: path }));
    expect(config.networks.length).toBeGreaterThan(0);
  });

  it.each(ofPurpose("quote"))("%s is a quote", (_, text) => {
    const decoded = Schema.decodeUnknownSync(SwapQuote, EXACT)(JSON.parse(text));
    expect(decoded.routePlan.length).toBeGreaterThan(0);
  });

  it.each(ofPurpose("readiness"))("%s is a state of readiness", (_, text) => {
    expect(Schema.decodeUnknownSync(Readiness, EXACT)(JSON.parse(text)).networks).not.toEqual([]);
  });

  it.each(ofPurpose("supplies"))("%s is a file of supplies", (_, text) => {
    const { tokens } = JSON.parse(text) as { readonly tokens: object };
    expect(parseSupplies(JSON.parse(text)).circulating.size).toBe(Object.keys(tokens).length);
  });
});

const EXACT = { onExcessProperty: "error" } as const;

const unquoted = (cell: string): string => cell.replaceAll("`", "");

/** The default as on the page; an optional setting that stays absent has none. */
function defaultOf(path: string, isOptional: boolean): string {
  const described = DESCRIBED[path];
  if (described !== undefined) return described;
  const value = path
    .replace(/^networks\[\]\./, "networks.")
    .replace(/\[\]$/, "")
    .split(".")
    .reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], known);
  if (value !== undefined && !isEmpty(value)) return `\`${String(value)}\``;
  return value !== undefined || isOptional ? "none" : "required";
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

let known: Record<string, unknown> = {};
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-settings-"));
  const path = join(folder, "config.json");
  const optional = { feed: { url: "redis://localhost", name: "any" }, operations: { port: 1 } };
  writeFileSync(path, JSON.stringify(optional));
  const read = await Effect.runPromise(loadConfig({ MILLRACE_CONFIG: path }));
  rmSync(folder, { recursive: true });
  const { streams, limits } = read;
  const feed = { ...read.feed, url: undefined, name: undefined };
  const operations = { ...read.operations, port: undefined };
  known = { ...DEFAULTS, streams, limits, networks: NETWORK_DEFAULTS, feed, operations };
});

import { readFileSync } from "node:fs";
import { type DocumentBlock, documentBlocks, readDocument } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DocumentPrograms } from "./documents/DocumentPrograms.ts";
import { DocumentService } from "./documents/DocumentService.ts";
import { programsOf } from "./documents/programsOf.ts";
import { runShell } from "./documents/runShell.ts";

// Every `sh` and `ts` block of the documents, pasted as a reader would, against one service.

const ROOT = new URL("../../../", import.meta.url);
/** Shown by the documents, as a whole or in part; other tests run them, or `runShell`. */
const SHOWN = [
  new URL("../src/swap.ts", import.meta.url),
  new URL("../src/addedFamily.ts", import.meta.url),
  new URL("../src/families/dodo/pool.ts", import.meta.url),
  new URL("../src/families/dodo/index.ts", import.meta.url),
];

const blocks = documentBlocks();
const shells = distinct(blocks.filter(({ language }) => language === "sh"));
const shown = blocks.filter(({ language, purpose }) => language === "ts" && /\.ts$/.test(purpose));
const programs = distinct(programsOf(blocks));

let service: DocumentService;
let written: DocumentPrograms;
beforeAll(async () => {
  service = await DocumentService.start();
  written = new DocumentPrograms(programs, service);
});
afterAll(async () => {
  written?.remove();
  await service?.stop();
});

/** What several pages show is run once. */
function distinct<A extends { readonly text: string }>(items: ReadonlyArray<A>): A[] {
  return [...new Map(items.map((item) => [item.text, item])).values()];
}

const nameOf = ({ path, line }: DocumentBlock) => `${path}:${line}`;

describe("blocks of the documents", { timeout: 120_000 }, () => {
  it("are there", () => {
    expect(shells.length).toBeGreaterThan(10);
    expect(programs.length).toBeGreaterThan(5);
  });

  it.each(shells.map((block) => [nameOf(block), block] as const))(
    "%s runs in a shell",
    async (_, block) => {
      const { code, output, errors } = await runShell(block.text, service);
      expect({ code, errors }).toEqual({ code: 0, errors: "" });
      expect(output.trim()).not.toBe("");
    },
  );

  it("all programs are of the right types", async () => {
    expect(await written.typeErrors()).toBe("");
  });

  it.each(programs.filter(({ isRun }) => isRun).map((program) => [program.name, program] as const))(
    "%s runs",
    async (_, program) => {
      const { code, lines, errors } = await written.run(program);
      expect({ code, errors }).toEqual({ code: 0, errors: "" });
      expect(lines.length).toBeGreaterThan(0);
    },
  );

  it("and their tables: no metric is shown that the page of operating lacks", async () => {
    const { output } = await runShell("curl -s http://127.0.0.1:8080/metrics", service);
    const page = readDocument("docs/operating.md");
    const families = [...output.matchAll(/^# HELP (\S+) (.*)$/gm)];
    expect(families.length).toBeGreaterThan(40);
    const rowOf = ([, name, help]: RegExpExecArray) =>
      new RegExp(`\\| \`${name}\` +\\| \\w+ +\\| ${help}`);
    expect(families.filter((family) => !rowOf(family).test(page))).toEqual([]);
  });

  it("that show an example are the example", () => {
    expect(shown.length).toBeGreaterThan(0);
    const files = SHOWN.map((url) => url.pathname.slice(ROOT.pathname.length));
    for (const { path, line, purpose, text } of shown) {
      expect(files).toContain(purpose);
      expect(readFileSync(new URL(purpose, ROOT), "utf8"), `${path}:${line}`).toContain(text);
    }
  });
});

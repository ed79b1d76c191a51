import { writeFileSync } from "node:fs";
import { markedPart, readDocument } from "@millrace/testing";

const ROOT = new URL("../../../../", import.meta.url);

/** With UPDATE_DOCS=1, writes a table into the marked part of a page; else does nothing. */
export function writePart(
  path: string,
  name: string,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): void {
  if (process.env["UPDATE_DOCS"] !== "1") return;
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  const [head, ...others] = rows;
  const table = [head!, rule, ...others].map(line).join("\n");
  const page = readDocument(path);
  const opening = `<!-- ${name} -->`;
  const written = page.replace(
    `${opening}${markedPart(page, name)}`,
    () => `${opening}\n\n${table}\n\n`,
  );
  writeFileSync(new URL(path, ROOT), written);
}

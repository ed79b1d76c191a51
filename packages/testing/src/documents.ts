import { readdirSync, readFileSync } from "node:fs";

const ROOT = new URL("../../../", import.meta.url);

/** A fenced block of a Markdown document. */
export interface DocumentBlock {
  /** Path of the document from the root, and line number of the block's fence, from 1. */
  readonly path: string;
  readonly line: number;
  /** The first word after the fence, such as `ts`; empty where there is none. */
  readonly language: string;
  /** The second word, which says how a test uses the block; empty where there is none. */
  readonly purpose: string;
  /** Without the fences; each line with its line end. */
  readonly text: string;
}

/**
 * Paths from the root of all documents for readers: at the top level, in `docs`, and of packages.
 */
export function documentPaths(): ReadonlyArray<string> {
  const list = (folder: string) => readdirSync(new URL(folder, ROOT));
  const isDocument = (name: string) => name.endsWith(".md");
  return [
    ...list(".").filter(isDocument),
    ...list("docs/")
      .filter(isDocument)
      .map((name) => `docs/${name}`),
    ...list("packages/").flatMap((name) =>
      list(`packages/${name}/`)
        .filter(isDocument)
        .map((file) => `packages/${name}/${file}`),
    ),
  ];
}

/** The text of a document. */
export const readDocument = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

/** The fenced blocks of all documents, in order. */
export const documentBlocks = (): ReadonlyArray<DocumentBlock> =>
  documentPaths().flatMap((path) => blocksOf(path, readDocument(path)));

function blocksOf(path: string, document: string): DocumentBlock[] {
  return [...document.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map((match) => {
    const [language = "", purpose = ""] = match[1]!.trim().split(/\s+/);
    const line = document.slice(0, match.index).split("\n").length;
    return { path, line, language, purpose, text: match[2]! };
  });
}

/** The rows of a Markdown table below its header, cells trimmed. */
export function tableRows(markdown: string): ReadonlyArray<ReadonlyArray<string>> {
  const lines = markdown.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** The text between `<!-- NAME -->` and `<!-- /NAME' -->`, where NAME' is the name's first word. */
export function markedPart(document: string, name: string): string {
  const [first] = name.split(":");
  const opening = `<!-- ${name} -->`;
  const start = document.indexOf(opening);
  const end = document.indexOf(`<!-- /${first} -->`, start);
  if (start < 0 || end < 0) throw new Error(`no part ${name}`);
  return document.slice(start + opening.length, end);
}

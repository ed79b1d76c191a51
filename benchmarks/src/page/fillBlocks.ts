import { BenchmarkError } from "../BenchmarkError.ts";

/** The marks of a table in a document and what is between them; group 1 is the table's name. */
const BLOCK = /<!-- results:([\w-]+) -->\n[\s\S]*?<!-- \/results -->/g;

/**
 * Replaces the text between `<!-- results:NAME -->` and `<!-- /results -->` by `render(NAME)`.
 * Throws where that is undefined.
 */
export function fillBlocks(document: string, render: (name: string) => string | undefined): string {
  return document.replace(BLOCK, (_, name: string) => {
    const text = render(name);
    if (text === undefined) throw new BenchmarkError({ message: `no table '${name}'` });
    return `<!-- results:${name} -->\n\n${text}\n\n<!-- /results -->`;
  });
}

/** The names of the tables in a document, in their order. */
export function blockNames(document: string): ReadonlyArray<string> {
  return Array.from(document.matchAll(BLOCK), ([, name]) => name!);
}

/** A document without its tables: the part that people write. */
export function withoutBlocks(document: string): string {
  return document.replace(BLOCK, "");
}

import { BenchmarkError } from "../BenchmarkError.ts";

/** What is between the marks of a table in a document, its name first. */
const BLOCK = /<!-- results:([\w-]+) -->\n[\s\S]*?<!-- \/results -->/g;

/**
 * A document with what stands between `<!-- results:NAME -->` and `<!-- /results -->` replaced by
 * what `render` gives for the name. Throws where that gives undefined.
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

/** A document without its tables: what was written by hand. */
export function withoutBlocks(document: string): string {
  return document.replace(BLOCK, "");
}

import type { DocumentBlock } from "@millrace/testing";

/** The `ts` blocks of a page that one reader would paste into one file. */
export interface DocumentProgram {
  /** Document and line of its first block. */
  readonly name: string;
  readonly text: string;
  /** Whether it is executed, not only type-checked. */
  readonly isRun: boolean;
}

/**
 * The programs of documents: a block that begins with an import begins one, those below it on the
 * page continue it. Blocks that show a file are none.
 */
export function programsOf(blocks: ReadonlyArray<DocumentBlock>): ReadonlyArray<DocumentProgram> {
  const programs: Array<DocumentProgram & { readonly path: string }> = [];
  for (const { path, line, language, purpose, text } of blocks) {
    if (language !== "ts" || purpose.endsWith(".ts")) continue;
    const open = programs.at(-1);
    const isRun = purpose === "";
    if (open?.path !== path || text.startsWith("import "))
      programs.push({ path, name: `${path}:${line}`, text, isRun });
    else programs[programs.length - 1] = { ...open, text: open.text + text };
  }
  return programs;
}

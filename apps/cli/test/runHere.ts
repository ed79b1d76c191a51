import { runLine } from "../src/runCommand.ts";
import type { EndedRun } from "./runs.ts";

interface Options {
  /** The width of a terminal; without it there is none. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Told of standard output as it comes. */
  readonly onOut?: (text: string) => void;
}

/** Runs a line of words in this process: what it says, and its exit code. */
export async function runHere(
  words: ReadonlyArray<string>,
  { columns, signal, onOut }: Options = {},
): Promise<EndedRun> {
  const run = { out: "", err: "" };
  const sink = (name: "out" | "err") => ({
    write: (text: string) => {
      run[name] += text;
      if (name === "out") onOut?.(text);
    },
    ...{ columns, isTerminal: false, isStyled: false },
  });
  const code = await runLine(words, { out: sink("out"), err: sink("err") }, signal);
  return { ...run, code };
}

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Runs a program and gives its output; rejects with all of its output where it fails. */
export async function runProgram(
  program: string,
  words: ReadonlyArray<string>,
  folder: string,
): Promise<string> {
  const options = {
    cwd: folder,
    maxBuffer: 1 << 26,
    shell: process.platform === "win32" && program === "npm",
  };
  const { stdout } = await execute(program, words, options).catch((error) => {
    const said = [error.stdout, error.stderr].filter(Boolean).join("\n");
    throw new Error(`${program} ${words.join(" ")}: ${said || error.message}`);
  });
  return stdout;
}

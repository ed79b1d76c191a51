import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** The folder of the files that run the service. */
export const DEPLOY = fileURLToPath(new URL("../../../../deploy/", import.meta.url));

/** A program's output and exit code. */
interface Ended {
  readonly code: number;
  readonly text: string;
}

/**
 * A program of the system that a test needs. Undefined, with a message, where it is not installed;
 * throws then if MILLRACE_TEST_PROGRAMS is `required`.
 */
export function systemProgram(
  name: string,
  debian: string,
): ((words: ReadonlyArray<string>, input?: string) => Promise<Ended>) | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const path = folders.map((folder) => join(folder, name)).find((each) => existsSync(each));
  if (path === undefined) {
    const complaint = `no ${name} is installed; Debian's package '${debian}' has it`;
    if (process.env["MILLRACE_TEST_PROGRAMS"] === "required") throw new Error(complaint);
    console.warn(`SKIPPED tests of deploy: ${complaint}`);
    return undefined;
  }
  return async (words, input) => {
    const running = execute(path, [...words], { maxBuffer: 1 << 24 });
    if (input !== undefined) running.child.stdin!.end(input);
    return await running.then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: `${stdout}${stderr}` }),
    );
  };
}

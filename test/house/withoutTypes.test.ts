import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const HOOK = new URL("../../withoutTypes.mjs", import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), "millrace-types-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program of these lines; gives its output. */
async function run(...lines: ReadonlyArray<string>): Promise<string> {
  const program = join(folder, "program.ts");
  writeFileSync(program, lines.join("\n"));
  const options = ["--disable-warning=ExperimentalWarning", "--import", HOOK];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, program]);
  return stdout.trim();
}

describe("programs", () => {
  it("run without their types, with their lines in place, and without Node's stripper", async () => {
    const salt = `// ${Math.random()}`;
    const lines = [
      salt,
      "type Bytes = number;",
      "const used: Bytes = process.memoryUsage().external;",
      'const line = new Error("here").stack!.split("\\n")[1]!.split(":").at(-2);',
      "console.log(line, used > 5e6);",
    ];
    // The first run strips them.
    expect(await run(...lines)).toBe("4 true");
    expect(await run(...lines)).toBe("4 false");
  });

  it("that have changed are stripped anew", async () => {
    expect(await run("const value: number = 1;", "console.log(value);")).toBe("1");
    expect(await run("const value: number = 2;", "console.log(value);")).toBe("2");
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TestProcess } from "@millrace/testing";

/** How a run of the command ended. */
export interface EndedRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const MODULES = fileURLToPath(new URL("../node_modules/", import.meta.url));
const BUNDLE = new URL("../src/bundle.ts", import.meta.url);

/** The command as it is packed, bundled afresh into a folder of its own. */
export class BundledCommand {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async write(): Promise<BundledCommand> {
    // Below the package, where the service is found.
    const folder = mkdtempSync(`${MODULES}.bundle-`);
    const bundling = new TestProcess(BUNDLE, { words: [folder] });
    if ((await bundling.exit) !== 0) throw new Error(bundling.output.err);
    return new BundledCommand(folder);
  }

  start(
    words: ReadonlyArray<string>,
    environment: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const env = { PATH: process.env["PATH"], ...environment };
    return spawn(process.execPath, [`${this.folder}/millrace.js`, ...words], { env });
  }

  async run(
    words: ReadonlyArray<string>,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<EndedRun> {
    const child = this.start(words, environment);
    const run = { out: "", err: "" };
    child.stdout!.on("data", (data) => (run.out += data));
    child.stderr!.on("data", (data) => (run.err += data));
    const [code] = await once(child, "close");
    return { ...run, code };
  }
}

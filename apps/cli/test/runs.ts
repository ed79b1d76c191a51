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

  start(words: string, environment: Readonly<Record<string, string>> = {}): TestProcess {
    return new TestProcess(`${this.folder}/millrace.js`, { words: words.split(" "), environment });
  }

  async run(words: string, environment: Readonly<Record<string, string>> = {}): Promise<EndedRun> {
    const started = this.start(words, environment);
    return { code: await started.exit, ...started.output };
  }
}

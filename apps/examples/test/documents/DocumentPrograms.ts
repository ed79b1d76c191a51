import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DocumentService } from "./DocumentService.ts";
import type { DocumentProgram } from "./programsOf.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;
const EXAMPLES = new URL("../../", import.meta.url).pathname;
/** As in `run.mjs`. */
const NODE_OPTIONS = [
  "--disable-warning=ExperimentalWarning",
  "--import",
  new URL("../../../../withoutTypes.mjs", import.meta.url).href,
];
/** An endless program has worked when it has written so many lines. */
const LINES_OF_ENDLESS = 2;

export interface ProgramRun {
  readonly code: number | null;
  readonly lines: ReadonlyArray<string>;
  readonly errors: string;
}

/**
 * Programs of the documents as files of a folder that sees the packages that apps/examples sees,
 * where the documents tell their readers to save them.
 */
export class DocumentPrograms {
  readonly #folder = mkdtempSync(join(tmpdir(), "millrace-programs-"));
  readonly #files = new Map<DocumentProgram, string>();

  constructor(programs: ReadonlyArray<DocumentProgram>, service: DocumentService) {
    this.#linkPackages(programs);
    for (const program of programs) {
      const file = join(this.#folder, `${program.name.replace(/\W+/g, "-")}.ts`);
      writeFileSync(file, service.aimed(program.text));
      this.#files.set(program, file);
    }
    const compilerOptions = {
      typeRoots: [join(ROOT, "node_modules/@types")],
      // A program of a page may declare more than it uses.
      ...{ noUnusedLocals: false, moduleDetection: "force" },
    };
    const config = {
      extends: join(ROOT, "tsconfig.base.json"),
      compilerOptions,
      include: ["*.ts"],
    };
    writeFileSync(join(this.#folder, "tsconfig.json"), JSON.stringify(config));
    writeFileSync(join(this.#folder, "package.json"), '{"type":"module"}');
  }

  /** Packages that apps/examples has, and those whose own pages show programs. */
  #linkPackages(programs: ReadonlyArray<DocumentProgram>): void {
    const modules = join(this.#folder, "node_modules");
    mkdirSync(join(modules, "@millrace"), { recursive: true });
    for (const name of ["effect", "viem"])
      symlinkSync(join(EXAMPLES, "node_modules", name), join(modules, name));
    const own = programs.flatMap(({ name }) => /^packages\/([^/]+)\//.exec(name)?.[1] ?? []);
    const installed = readdirSync(join(EXAMPLES, "node_modules/@millrace"));
    for (const name of new Set([...installed, ...own])) {
      const link = name === "millrace" ? name : join("@millrace", name);
      symlinkSync(join(ROOT, "packages", name), join(modules, link));
    }
  }

  /** What the project's compiler says of all of them; empty when they are right. */
  typeErrors(): Promise<string> {
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    // In threads it would take twice the processor time, which other tests need.
    const args = [compiler, "-p", this.#folder, "--singleThreaded"];
    return new Promise((resolve) => {
      execFile(process.execPath, args, (error, output) => {
        resolve(error === null ? "" : output || error.message);
      });
    });
  }

  /** Runs one until it ends, or, where it is endless, until it has written a few lines. */
  run(program: DocumentProgram): Promise<ProgramRun> {
    const isEndless = /for await|onmessage/.test(program.text);
    const child = spawn(process.execPath, [...NODE_OPTIONS, this.#files.get(program)!], {
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let errors = "";
    let isEnough = false;
    child.stderr.on("data", (data: Buffer) => {
      errors += data;
    });
    child.stdout.on("data", (data: Buffer) => {
      output += data;
      if (!isEndless || output.split("\n").length <= LINES_OF_ENDLESS) return;
      isEnough = true;
      child.kill();
    });
    return new Promise((resolve) => {
      child.on("close", (code) => {
        const lines = output.split("\n").filter((line) => line !== "");
        resolve({ code: isEnough ? 0 : code, lines, errors });
      });
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { environmentOf, FETCHING_MS, type InstallTools } from "./installTools.ts";
import type { PackageRegistry } from "./PackageRegistry.ts";

export type Installer = "npm" | "pnpm" | "bun";

export interface ProjectOptions {
  readonly folder: string;
  readonly installer: Installer;
  readonly tools: InstallTools;
  /** Needed where it installs. */
  readonly bun?: string;
  readonly registry: PackageRegistry;
  /** What its author asks for, in order. */
  readonly packages: ReadonlyArray<string>;
}

const INSTALLING_MS = 1_200_000;
const RUNNING_MS = 300_000;
const run = promisify(execFile);

/** What a program has written, trimmed. */
export interface Written {
  readonly out: string;
  readonly err: string;
}

/** A stranger's project: an empty folder into which packages were installed. */
export class InstalledProject {
  readonly folder: string;
  readonly #tools: InstallTools;

  private constructor({ folder, tools }: ProjectOptions) {
    this.folder = folder;
    this.#tools = tools;
  }

  static async install(options: ProjectOptions): Promise<InstalledProject> {
    const { folder, installer, tools, bun, registry, packages } = options;
    mkdirSync(folder, { recursive: true });
    const project = new InstalledProject(options);
    project.write("package.json", JSON.stringify({ private: true, type: "module" }));
    project.write(".npmrc", `@millrace:registry=${registry.url}\nfetch-timeout=${FETCHING_MS}\n`);
    const specs = packages.map((name) => registry.specOf(name));
    const commands: Record<Installer, ReadonlyArray<string>> = {
      npm: [tools.node, tools.npm, "install", "--prefer-offline", "--no-audit", ...specs],
      pnpm: [tools.node, tools.pnpm, "add", "--prefer-offline", ...specs],
      bun: [bun ?? "bun", "add", ...specs],
    };
    await project.command(commands[installer], INSTALLING_MS);
    return project;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Runs a JavaScript program of the project on its Node, or on another program's. */
  node(words: ReadonlyArray<string>, node = this.#tools.node): Promise<Written> {
    return this.command([node, ...words], RUNNING_MS);
  }

  async command([program, ...words]: ReadonlyArray<string>, timeout: number): Promise<Written> {
    const env = environmentOf(this.#tools);
    const options = { cwd: this.folder, env, timeout, maxBuffer: 1 << 26 };
    const running = run(program!, words, options);
    // Nobody answers a question.
    running.child.stdin?.end();
    const { stdout, stderr } = await running.catch((error) => {
      throw new Error(`${program} ${words.join(" ")}: ${error.stdout}${error.stderr || error}`);
    });
    return { out: stdout.trim(), err: stderr.trim() };
  }

  /** The version of a package that another one, or the project itself, gets. */
  versionFor(name: string, ...from: ReadonlyArray<string>): string {
    let folder = this.folder;
    for (const each of [...from, name]) folder = realpathSync(packageFolder(folder, each));
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
  }
}

/** As Node looks for it: beside, and above. */
function packageFolder(from: string, name: string): string {
  for (let folder = from; folder !== "/"; folder = join(folder, "..")) {
    const found = join(folder, "node_modules", name);
    try {
      readFileSync(join(found, "package.json"));
      return found;
    } catch {}
  }
  throw new Error(`${name} is not installed for ${from}`);
}

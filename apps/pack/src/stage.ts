import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { WorkspacePackage } from "./publicPackages.ts";
import { runProgram } from "./runProgram.ts";
import { COMMAND, stagedManifest } from "./stagedManifest.ts";
import { vendorContracts } from "./vendorContracts.ts";

/** The package that contains the built page. */
const SERVER = "@millrace/server";

/** Makes a folder that any client can pack: sources, compiled modules, and the licence. */
export async function stage(
  root: string,
  { folder, manifest }: WorkspacePackage,
  target: string,
): Promise<void> {
  const own = join(root, folder);
  mkdirSync(target);
  cpSync(join(own, "src"), join(target, "src"), { recursive: true });
  // Written before the compilation, since it sets the kind of modules.
  writeFileSync(
    join(target, "package.json"),
    `${JSON.stringify(stagedManifest(root, folder, manifest), null, 2)}\n`,
  );
  await compile(root, own, target);
  if (manifest.name === COMMAND.name) {
    const bundle = join(root, "apps/cli/src/bundle.ts");
    await runProgram(process.execPath, [bundle, join(target, dirname(COMMAND.file))], root);
  }
  // The data files that modules read stand beside the compiled modules.
  const isFolderOrData = (path: string) => !path.endsWith(".ts");
  cpSync(join(own, "src"), join(target, "dist"), { recursive: true, filter: isFolderOrData });
  if (manifest.name === SERVER) {
    const built = await runProgram(process.execPath, [join(root, "apps/web/src/main.ts")], root);
    cpSync(built.trim(), join(target, "dist/page/files"), { recursive: true });
  }
  for (const file of manifest.files ?? []) {
    cpSync(join(own, file), join(target, file), { recursive: true });
  }
  if (!existsSync(join(own, "README.md"))) throw new Error(`${folder} has no README.md`);
  cpSync(join(own, "README.md"), join(target, "README.md"));
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
  if (manifest.imports?.["#contracts/*"] !== undefined) {
    await vendorContracts(own, join(target, "vendored"));
  }
}

/** Compiles without checking types, which `npm run check` does. */
async function compile(root: string, own: string, target: string): Promise<void> {
  const config = join(target, "tsconfig.json");
  const modules = join(target, "node_modules");
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: {
        typeRoots: [join(root, "node_modules/@types")],
        noEmit: false,
        noCheck: true,
        declaration: true,
        declarationMap: true,
        sourceMap: true,
        rootDir: "src",
        outDir: "dist",
      },
      include: ["src"],
    }),
  );
  // The dependencies of the package.
  symlinkSync(join(own, "node_modules"), modules, "junction");
  const manifest = createRequire(join(root, "package.json")).resolve("typescript/package.json");
  const tsc = join(dirname(manifest), "bin/tsc");
  await runProgram(process.execPath, [tsc, "-p", config], root);
  rmSync(modules);
  rmSync(config);
}

import { join } from "node:path";
import { type Manifest, readManifest } from "./publicPackages.ts";

/** Fields that belong to the workspace alone, or are written anew. */
const OWN_FIELDS = ["scripts", "devDependencies", "exports", "files", "imports", "dependencies"];
/**
 * Its install script looks for one of its platform packages; users of our package do not need it.
 */
const LAUNCHER = "@foundry-rs/anvil";

/** The package that contains the command, and the command's file in it. */
export const COMMAND = { name: "millrace", file: "dist/bin/millrace.js" };

/** The published manifest: entries are compiled modules, and dependencies have versions. */
export function stagedManifest(
  root: string,
  folder: string,
  manifest: Manifest,
): Readonly<Record<string, unknown>> {
  const { repository } = readManifest(root);
  const kept = Object.entries(manifest).filter(([field]) => !OWN_FIELDS.includes(field));
  const { exports, files = [], imports, dependencies } = manifest;
  const entries = Object.entries(exports).map(([name, source]) => [name, compiledEntry(source)]);
  const main = compiledEntry(exports["."]!);
  return {
    ...Object.fromEntries(kept),
    repository: { ...(repository as object), directory: folder },
    main: main.default,
    types: main.types,
    ...(manifest.name === COMMAND.name && { bin: { millrace: COMMAND.file } }),
    exports: { ...Object.fromEntries(entries), "./package.json": "./package.json" },
    files: ["dist", "src", ...files, ...(imports === undefined ? [] : ["vendored"])],
    // Contracts of third-party packages are vendored.
    ...(imports !== undefined && { imports: { "#contracts/*": "./vendored/*" } }),
    ...(dependencies !== undefined && dependenciesOf(join(root, folder), dependencies)),
  };
}

function dependenciesOf(own: string, ranges: Readonly<Record<string, string>>) {
  const { [LAUNCHER]: launcher, ...rest } = ranges;
  const dependencies = Object.entries(rest).map(([name, range]) => [
    name,
    range.replace(/^workspace:/, ""),
  ]);
  return {
    dependencies: Object.fromEntries(dependencies),
    ...(launcher !== undefined && {
      optionalDependencies: readManifest(join(own, "node_modules", LAUNCHER))[
        "optionalDependencies"
      ],
    }),
  };
}

function compiledEntry(source: string): { readonly types: string; readonly default: string } {
  const compiled = source.replace(/^\.\/src\//, "./dist/").replace(/\.ts$/, "");
  return { types: `${compiled}.d.ts`, default: `${compiled}.js` };
}

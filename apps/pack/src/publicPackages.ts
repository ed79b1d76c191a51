import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A `package.json` of the workspace. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  /** Source files, by the name of the entry. */
  readonly exports: Readonly<Record<string, string>>;
  readonly files?: ReadonlyArray<string>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface WorkspacePackage {
  /** From the root, as `packages/core`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages to publish: all that are not `private`. */
export function publicPackages(root: string): WorkspacePackage[] {
  return ["packages", "apps"]
    .flatMap((home) => readdirSync(join(root, home)).map((name) => `${home}/${name}`))
    .map((folder) => ({ folder, manifest: readManifest(join(root, folder)) }))
    .filter(({ manifest }) => manifest.private !== true);
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

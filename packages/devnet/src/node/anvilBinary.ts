import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { arch, platform } from "node:process";

const PLATFORMS: Readonly<Record<string, string>> = {
  darwin: "darwin",
  linux: "linux",
  win32: "win32",
};
const ARCHITECTURES: Readonly<Record<string, string>> = { arm64: "arm64", x64: "amd64" };

/**
 * Path of anvil's native binary, which has a package for each platform. Throws when it is not
 * installed.
 */
export function anvilBinary(): string {
  const name = `anvil-${PLATFORMS[platform] ?? platform}-${ARCHITECTURES[arch] ?? arch}`;
  const folder = dirname(resolvePackage(`@foundry-rs/${name}/package.json`));
  return join(folder, "bin", platform === "win32" ? "anvil.exe" : "anvil");
}

/** A packed version depends on it; in the workspace only `@foundry-rs/anvil` does. */
function resolvePackage(manifest: string): string {
  const own = createRequire(import.meta.url);
  try {
    return own.resolve(manifest);
  } catch {
    return createRequire(own.resolve("@foundry-rs/anvil/package.json")).resolve(manifest);
  }
}

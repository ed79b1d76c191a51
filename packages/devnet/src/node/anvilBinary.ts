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
 * Path of anvil's native binary, which lies in a package for each platform that only
 * `@foundry-rs/anvil` depends on. Throws when either is not installed.
 */
export function anvilBinary(): string {
  const entry = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json");
  const name = `anvil-${PLATFORMS[platform] ?? platform}-${ARCHITECTURES[arch] ?? arch}`;
  const manifest = createRequire(entry).resolve(`@foundry-rs/${name}/package.json`);
  return join(dirname(manifest), "bin", platform === "win32" ? "anvil.exe" : "anvil");
}

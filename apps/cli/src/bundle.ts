/**
 * Bundles the command into a few files that start quickly, in the folder of the first argument:
 *
 *     npm run bundle
 *
 * The service runs by itself and stays a package of its own. The licences of the bundled packages
 * stand beside the files.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const [folder = fileURLToPath(new URL("../dist", import.meta.url))] = process.argv.slice(2);
const bundle = await rolldown({
  input: fileURLToPath(new URL("main.ts", import.meta.url)),
  external: /^@millrace\/server(\/|$)/,
  platform: "node",
});
const { output } = await bundle.write({
  ...{ dir: folder, format: "esm", entryFileNames: "millrace.js", minify: true },
  chunkFileNames: "[name]-[hash].js",
});
await bundle.close();
const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
writeFileSync(join(folder, "LICENCES.txt"), licencesOf(modules));

/** The licences of the packages that modules belong to. */
function licencesOf(paths: ReadonlyArray<string>): string {
  const homes = paths.map((path) => /^.*[/\\]node_modules[/\\](@[^/\\]+[/\\])?[^/\\]+/.exec(path));
  const packages = new Set(homes.flatMap((home) => (home === null ? [] : [home[0]])));
  const texts = [...packages].sort().map((home) => {
    const manifest = join(home, "package.json");
    if (!existsSync(manifest)) return "";
    const { name, version, license } = JSON.parse(readFileSync(manifest, "utf8"));
    const files = readdirSync(home).filter((file) => /^licen[cs]e/i.test(file));
    const written = files.map((file) => readFileSync(join(home, file), "utf8").trim());
    return [`${name} ${version}, licence: ${license}`, ...written].join("\n\n");
  });
  return `${texts.filter((text) => text !== "").join(`\n\n${"-".repeat(72)}\n\n`)}\n`;
}

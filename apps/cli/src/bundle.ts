/**
 * Writes the command as a few files that start quickly, into the folder of the first word:
 *
 *     npm run bundle
 *
 * What runs by itself, the service, stays a package of its own.
 */
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const [folder = fileURLToPath(new URL("../dist", import.meta.url))] = process.argv.slice(2);
const bundle = await rolldown({
  input: fileURLToPath(new URL("main.ts", import.meta.url)),
  external: ["@millrace/server"],
  platform: "node",
});
await bundle.write({
  ...{ dir: folder, format: "esm", entryFileNames: "millrace.js", minify: true },
  chunkFileNames: "[name]-[hash].js",
});
await bundle.close();

// Loaded before a program of ours (`node --import`): hands Node our files without their types, which
// are kept beside the dependencies. Node 22 would strip them at every start and in each thread, and
// its stripper keeps some 35 MB in each for good.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";

const folder = new URL("node_modules/.millrace-without-types/", import.meta.url);

registerHooks({
  load: (url, context, next) =>
    url.startsWith("file:") && url.endsWith(".ts")
      ? { format: "module", source: withoutTypes(fileURLToPath(url)), shortCircuit: true }
      : next(url, context),
});

function withoutTypes(path) {
  const source = readFileSync(path, "utf8");
  const name = createHash("sha256").update(`${process.version}\n${source}`).digest("hex");
  try {
    return readFileSync(new URL(`${name}.js`, folder));
  } catch {
    const stripped = stripTypeScriptTypes(source);
    keep(`${name}.js`, stripped);
    return stripped;
  }
}

/** Where nothing may be written, nothing is kept. */
function keep(name, text) {
  try {
    mkdirSync(folder, { recursive: true });
    const written = new URL(`${name}.${process.pid}-${threadId}`, folder);
    writeFileSync(written, text);
    // Whoever reads it meanwhile finds all of it, or none.
    renameSync(written, new URL(name, folder));
  } catch {}
}

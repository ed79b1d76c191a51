// Loaded before a program of ours (`node --import`): hands Node our files without their types,
// which are kept beside the dependencies. Node 22 would strip them at every start and in each thread, and
// its stripper keeps some 35 MB in each for good: so a process of its own strips what is not kept.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";

const program = fileURLToPath(import.meta.url);
const root = dirname(program);
const folder = new URL("node_modules/.millrace-without-types/", import.meta.url);
let haveAllBeenKept = false;

if (process.argv[1] === program) {
  for (const path of sources()) withoutTypes(path);
} else {
  registerHooks({
    load: (url, context, next) =>
      url.startsWith("file:") && url.endsWith(".ts") && !url.includes("/node_modules/")
        ? { format: "module", source: withoutTypes(fileURLToPath(url)), shortCircuit: true }
        : next(url, context),
  });
}

function withoutTypes(path) {
  const source = readFileSync(path, "utf8");
  const name = createHash("sha256").update(`${process.version}\n${source}`).digest("hex");
  const kept = keptAs(name) ?? (isOurs(path) && keepAll() ? keptAs(name) : undefined);
  if (kept !== undefined) return kept;
  const stripped = stripTypeScriptTypes(source);
  keep(`${name}.js`, stripped);
  return stripped;
}

function keptAs(name) {
  try {
    return readFileSync(new URL(`${name}.js`, folder));
  } catch {
    return undefined;
  }
}

/** Keeps all sources, once; false where that was tried before, or nothing may be written. */
function keepAll() {
  if (haveAllBeenKept || process.argv[1] === program || !keep("writable", "")) return false;
  haveAllBeenKept = true;
  const args = ["--disable-warning=ExperimentalWarning", program];
  return spawnSync(process.execPath, args, { stdio: "ignore" }).status === 0;
}

function sources() {
  return ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((name) => {
      const source = join(root, parent, name, "src");
      if (!existsSync(source)) return [];
      const paths = readdirSync(source, { recursive: true });
      return paths.filter((path) => path.endsWith(".ts")).map((path) => join(source, path));
    }),
  );
}

function isOurs(path) {
  return ["packages", "apps"].some((parent) => path.startsWith(join(root, parent) + sep));
}

/** False where nothing may be written. */
function keep(name, text) {
  try {
    mkdirSync(folder, { recursive: true });
    const written = new URL(`${name}.${process.pid}-${threadId}`, folder);
    writeFileSync(written, text);
    // Whoever reads it meanwhile finds all of it, or none.
    renameSync(written, new URL(name, folder));
    return true;
  } catch {
    return false;
  }
}

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { make, type NativeLibrary, NativeLibraryError } from "../src/index.ts";
import { SHIPPED_BUILDS } from "../src/native/shippedBuilds.ts";

const require = createRequire(import.meta.url);
const build = `${process.platform}-${process.arch}-${process.versions.node.split(".", 1)[0]}`;
const entry = require.resolve("uWebSockets.js");
const shipped = createRequire(entry).resolve(`@uwsjs/${build}/uws.node`);
const sha256 = SHIPPED_BUILDS[build]!;

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "millrace-native-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true })),
);

/** The shipped build with one bit of its code changed. */
function changed(): Buffer {
  const bytes = readFileSync(shipped);
  bytes[bytes.length >> 1]! ^= 1;
  return bytes;
}

const hashOf = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");

const refusalOf = (nativeLibrary: NativeLibrary) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(make({ port: 0, nativeLibrary }));
    assert.instanceOf(error, NativeLibraryError);
    assert.notProperty(require.cache, nativeLibrary.file);
    return error;
  });

describe("the native library", () => {
  it.effect("is the one of the table, and serves", () =>
    Effect.gen(function* () {
      assert.strictEqual(hashOf(readFileSync(shipped)), sha256);
      yield* make({ port: 0 });
      assert.property(require.cache, shipped);
    }),
  );

  it.effect("is refused for one changed bit where it is installed, with both hashes", () =>
    Effect.gen(function* () {
      const modules = join(yield* folder, "node_modules");
      const loader = installLoader(modules);
      cpSync(dirname(entry), join(modules, "uWebSockets.js"), { recursive: true });
      const home = join(modules, "@uwsjs", build);
      cpSync(dirname(shipped), home, { recursive: true });
      const bytes = changed();
      writeFileSync(join(home, "uws.node"), bytes);
      const error = yield* Effect.flip(yield* loadFrom(loader));
      assert.include(error.message, `its SHA-256 is ${hashOf(bytes)}, not ${sha256}`);
      assert.include(error.message, "docs/security.md");
      assert.notProperty(require.cache, join(home, "uws.node"));
    }),
  );

  it.effect("is missing where its package is not installed, which is said", () =>
    Effect.gen(function* () {
      const modules = join(yield* folder, "node_modules");
      const loader = installLoader(modules);
      cpSync(dirname(entry), join(modules, "uWebSockets.js"), { recursive: true });
      const program = `import { Effect } from "effect";
        import { loadNativeLibrary } from ${JSON.stringify(pathToFileURL(loader).href)};
        console.log((await Effect.runPromise(Effect.flip(loadNativeLibrary(undefined)))).message)`;
      // In a process of its own: the path of this one's test runner finds all packages.
      const told = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
        cwd: dirname(modules),
        env: { ...process.env, NODE_PATH: "" },
        encoding: "utf8",
      });
      assert.strictEqual(
        told.trim(),
        `The native HTTP library ${build} is missing: Cannot find module '@uwsjs/${build}/uws.node'`,
      );
    }),
  );
});

describe("a native library that the options name", () => {
  it.effect("is refused when its bytes are others than its hash says, before it is loaded", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "uws.node");
      const bytes = changed();
      writeFileSync(file, bytes);
      const { message, reason } = yield* refusalOf({ file, sha256 });
      assert.strictEqual(reason, "unknown");
      assert.include(message, `${file} is unknown: its SHA-256 is ${hashOf(bytes)}, not ${sha256}`);
    }),
  );

  it.effect("is refused when it is not there, or when the system cannot load it", () =>
    Effect.gen(function* () {
      const home = yield* folder;
      const absent = yield* refusalOf({ file: join(home, "absent.node"), sha256 });
      assert.strictEqual(absent.reason, "missing");
      const text = "no library at all";
      writeFileSync(join(home, "text.node"), text);
      const error = yield* refusalOf({ file: join(home, "text.node"), sha256: hashOf(text) });
      assert.strictEqual(error.reason, "unloadable");
    }),
  );
});

/** The loader as another installation has it, whose packages are those of the folder. */
function installLoader(modules: string): string {
  const home = join(dirname(modules), "native");
  mkdirSync(modules);
  symlinkSync(
    dirname(require.resolve("effect/package.json")),
    join(modules, "effect"),
    process.platform === "win32" ? "junction" : "dir",
  );
  cpSync(fileURLToPath(new URL("../src/native", import.meta.url)), home, { recursive: true });
  return join(home, "loadNativeLibrary.ts");
}

const loadFrom = (loader: string) =>
  Effect.promise(async () => {
    const url = pathToFileURL(loader).href;
    const { loadNativeLibrary } = (await import(
      url
    )) as typeof import("../src/native/loadNativeLibrary.ts");
    return loadNativeLibrary(undefined);
  });

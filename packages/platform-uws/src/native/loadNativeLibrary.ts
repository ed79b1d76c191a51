import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import * as Effect from "effect/Effect";
import { NativeLibraryError } from "./NativeLibraryError.ts";
import { SHIPPED_BUILDS } from "./shippedBuilds.ts";

/** What the native library exports. */
export type Uws = typeof import("uWebSockets.js");

/** A build of uWebSockets.js other than the shipped one. */
export interface NativeLibrary {
  /** Path of a file that ends in `.node`. */
  readonly file: string;
  /** SHA-256 of the file's bytes, in hex. */
  readonly sha256: string;
}

/**
 * Loads the native library after checking its hash: that of the chosen build, or of the shipped
 * build as listed in this repository. The installer compared the lockfile's hash; this check finds
 * changes on disk since.
 */
export const loadNativeLibrary = Effect.fnUntraced(function* (chosen: NativeLibrary | undefined) {
  const { file, sha256 } = chosen ?? (yield* shippedLibrary);
  const path = resolve(file);
  const found = yield* hashOf(path);
  if (found !== sha256.toLowerCase()) {
    const detail = `its SHA-256 is ${found}, not ${sha256}; see docs/security.md for other builds`;
    return yield* new NativeLibraryError({ build: path, reason: "unknown", detail });
  }
  return yield* attempt(path, "unloadable", () => require(path) as Uws);
});

const require = createRequire(import.meta.url);

const shippedLibrary = Effect.suspend(() => {
  const build = `${process.platform}-${process.arch}-${process.versions.node.split(".", 1)[0]}`;
  const sha256 = SHIPPED_BUILDS[build];
  if (sha256 === undefined) {
    const detail = "none is shipped for this platform; see docs/security.md for other builds";
    return Effect.fail(new NativeLibraryError({ build, reason: "missing", detail }));
  }
  return attempt(build, "missing", (): NativeLibrary => {
    const installed = createRequire(require.resolve("uWebSockets.js"));
    return { file: installed.resolve(`@uwsjs/${build}/uws.node`), sha256 };
  });
});

/**
 * Hashes by path. A process reads each file only once: a loaded library stays, whatever becomes of
 * its file.
 */
const hashes = new Map<string, string>();

const hashOf = (path: string) =>
  attempt(path, "missing", () => {
    const known = hashes.get(path);
    if (known !== undefined) return known;
    const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
    hashes.set(path, hash);
    return hash;
  });

const attempt = <A>(build: string, reason: NativeLibraryError["reason"], act: () => A) =>
  Effect.try({
    try: act,
    catch: (cause) => {
      // For a missing module, the lines below the first one name the requiring files.
      const detail = cause instanceof Error ? cause.message.split("\n", 1)[0]! : String(cause);
      return new NativeLibraryError({ build, reason, detail });
    },
  });

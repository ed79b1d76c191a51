import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { execArgv, execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Context, Effect, Layer } from "effect";
import { SentText } from "../answers/SentText.ts";

/** The built page in packages; and its builder in the repository. */
const BUILT = fileURLToPath(new URL("./files", import.meta.url));
const BUILDER = fileURLToPath(new URL("../../../web/src/main.ts", import.meta.url));

/** A file of the page as it is sent. */
export interface PageFile {
  readonly text: SentText;
  readonly contentType: string;
  /** Its name holds its digest: it never changes. */
  readonly isImmutable: boolean;
}

/** Files by their names below `/app`: `index.html`, `assets/…`; undefined while they are made. */
type Files = ReadonlyMap<string, PageFile> | undefined;

/**
 * The files of the page. In the repository they are built by another process, once for each state
 * of the sources, when somebody first wants them.
 */
export class PageFiles extends Context.Service<
  PageFiles,
  {
    /** Begins to make the files, unless that has begun. */
    readonly prepare: Effect.Effect<void>;
    /** The files; undefined until they are made. Fails with the reason why they cannot be made. */
    readonly files: Effect.Effect<Files, string>;
  }
>()("@millrace/server/PageFiles") {
  static readonly layer = Layer.effect(
    PageFiles,
    Effect.gen(function* () {
      const context = yield* Effect.context<never>();
      const aborting = new AbortController();
      yield* Effect.addFinalizer(() => Effect.sync(() => aborting.abort()));
      let isBegun = false;
      let files: Files;
      let failure: string | undefined;
      const prepare = Effect.sync(() => {
        if (isBegun) return;
        isBegun = true;
        readPage(aborting.signal).then(
          (read) => {
            files = read;
          },
          (cause) => {
            if (aborting.signal.aborted) return;
            failure = "The page could not be built: the log says why";
            Effect.runForkWith(context)(Effect.logError("The page could not be built", cause));
          },
        );
      });
      return {
        prepare,
        files: Effect.flatMap(prepare, () =>
          failure === undefined ? Effect.succeed(files) : Effect.fail(failure),
        ),
      };
    }),
  );
}

const run = promisify(execFile);

async function readPage(signal: AbortSignal): Promise<ReadonlyMap<string, PageFile>> {
  const folder = existsSync(BUILT) ? BUILT : await built(signal);
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile() && !SHORT_FORM.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const read = await Promise.all(files.map(readPageFile));
  return new Map(
    files.map((path, at) => [path.slice(folder.length + 1).replaceAll("\\", "/"), read[at]!]),
  );
}

/** The folder that the builder prints. */
async function built(signal: AbortSignal): Promise<string> {
  const { stdout } = await run(execPath, [...execArgv, BUILDER], { signal });
  return stdout.trim().split("\n").at(-1)!;
}

/** The builder puts compressed forms beside each file. */
const SHORT_FORM = /\.(br|gz)$/u;

async function readPageFile(path: string): Promise<PageFile> {
  const packed = (ending: string) =>
    existsSync(path + ending) ? readFile(path + ending) : undefined;
  const [bytes, br, gzip] = await Promise.all([readFile(path), packed(".br"), packed(".gz")]);
  const digest = createHash("sha1").update(bytes).digest("base64url");
  return {
    text: new SentText(bytes, digest, { ...(br && { br }), ...(gzip && { gzip }) }),
    contentType: CONTENT_TYPES[extname(path)] ?? "application/octet-stream",
    isImmutable: !path.endsWith(".html"),
  };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".md": "text/plain; charset=utf-8",
};

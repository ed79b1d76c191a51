import { open, stat } from "node:fs/promises";
import { Data, Effect } from "effect";
import { hasScheme } from "../config/checks.ts";

/** A configured location could not be read; the detail shows no URL, which may hold a key. */
export class LocationError extends Data.TaggedError("PlaceError")<{
  readonly detail: string;
}> {}

export interface ReadOptions {
  readonly bytesMax: number;
  readonly timeoutMs: number;
  /** Replaced in tests only. */
  readonly fetch?: typeof globalThis.fetch;
}

const REDIRECTS_MAX = 3;
/**
 * Lists are read once an hour. Hosts close an idle connection long before that. A request that is
 * sent on it before the client notices is reset.
 */
const NOT_KEPT = { connection: "close" };

/**
 * The JSON value in a file or at an https URL, of at most `bytesMax` bytes; fails after
 * `timeoutMs`.
 */
export function readLocation(
  location: string,
  options: ReadOptions,
): Effect.Effect<unknown, LocationError> {
  const { timeoutMs } = options;
  return Effect.tryPromise({
    try: async (signal) => {
      const bytes = hasScheme(location)
        ? await download(location, options, signal)
        : await readFile(location, options.bytesMax);
      return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
    },
    catch: (cause) => new LocationError({ detail: detailOf(cause) }),
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () => Effect.fail(new LocationError({ detail: `not read in ${timeoutMs} ms` })),
    }),
  );
}

async function readFile(path: string, bytesMax: number): Promise<Uint8Array> {
  const found = await stat(path);
  // Opening a pipe would wait for whoever writes into it.
  if (!found.isFile()) throw new Refused("no file");
  const file = await open(path, "r");
  try {
    const bytes = new Uint8Array(Math.min(found.size, bytesMax) + 1);
    const parts = new Parts(bytesMax);
    for (;;) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length);
      if (bytesRead === 0) return parts.joined();
      parts.add(bytes.slice(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Follows a few redirections, to https only. */
async function download(
  location: string,
  { bytesMax, fetch = globalThis.fetch }: ReadOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  let url = new URL(location);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const response = await fetch(url, { signal, redirect: "manual", headers: NOT_KEPT });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      url = new URL(location, url);
      if (url.protocol !== "https:") throw new Refused("redirected away from https");
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new Refused(`the server answers ${response.status}`);
    }
    const parts = new Parts(bytesMax);
    // Leaving the loop by a throw cancels the rest of the body.
    for await (const part of response.body ?? []) parts.add(part);
    return parts.joined();
  }
  throw new Refused(`redirected more than ${REDIRECTS_MAX} times`);
}

class Parts {
  readonly #bytesMax: number;
  readonly #parts: Uint8Array[] = [];
  #byteCount = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(part: Uint8Array): void {
    this.#byteCount += part.length;
    if (this.#byteCount > this.#bytesMax) throw new Refused(`more than ${this.#bytesMax} bytes`);
    this.#parts.push(part);
  }

  joined(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

/** An error in our own words, without anything that was read. */
class Refused extends Error {}

function detailOf(cause: unknown): string {
  if (cause instanceof Refused) return cause.message;
  if (cause instanceof SyntaxError) return "not JSON";
  // The error code of the system or the connection; a message may show the URL.
  const code = codeOf(cause) ?? codeOf((cause as { cause?: unknown } | null)?.cause);
  return code ?? "cannot be read";
}

function codeOf(cause: unknown): string | undefined {
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

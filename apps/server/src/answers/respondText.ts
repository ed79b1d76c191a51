import { Effect } from "effect";
import { type HttpServerRequest, HttpServerResponse } from "effect/http";
import type { SentText } from "./SentText.ts";

/**
 * Sends a text: nothing of it where the client has it already, in gzip where it takes that. Caches
 * may keep it, and have to ask whether it is still so, unless `further` headers say otherwise.
 */
export const respondText = Effect.fnUntraced(function* (
  { headers }: HttpServerRequest.HttpServerRequest,
  text: SentText,
  contentType: string,
  further: Readonly<Record<string, string>> = {},
) {
  const shared = {
    "cache-control": "no-cache",
    ...further,
    etag: text.etag,
    vary: "accept-encoding",
  };
  if (isKnown(headers["if-none-match"] ?? "", text.etag)) {
    return HttpServerResponse.empty({ status: 304, headers: shared });
  }
  const making = takesGzip(headers["accept-encoding"] ?? "") ? text.gzipped() : undefined;
  if (making === undefined) {
    return HttpServerResponse.uint8Array(text.bytes, { contentType, headers: shared });
  }
  const bytes = yield* Effect.promise(() => making);
  const options = { contentType, headers: { ...shared, "content-encoding": "gzip" } };
  return HttpServerResponse.uint8Array(bytes, options);
});

/** RFC 9110, section 13.1.2: tags are compared without their `W/`. */
function isKnown(ifNoneMatch: string, etag: string): boolean {
  const opaque = etag.replace(/^W\//u, "");
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//u, ""));
  return tags.includes(opaque) || tags.includes("*");
}

/** RFC 9110, section 12.5.3: where it is named, or all are, with another weight than 0. */
function takesGzip(acceptEncoding: string): boolean {
  const weights = new Map(
    acceptEncoding.split(",").map((coding) => {
      const [name = "", ...parameters] = coding.toLowerCase().split(";");
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/u.exec(parameter)?.[1]);
      return [name.trim(), Number(weight.find((value) => value !== undefined) ?? 1)];
    }),
  );
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

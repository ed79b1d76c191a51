import { Effect } from "effect";
import { type HttpServerRequest, HttpServerResponse } from "effect/http";
import type { Coding, SentText } from "./SentText.ts";

/**
 * Sends a text in the coding that the client prefers among those that exist, or 304 where the
 * client has the text already. Caches may keep the text but must revalidate it, unless `further`
 * headers say otherwise.
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
  for (const coding of codingsOf(headers["accept-encoding"] ?? "")) {
    const making = text.packed(coding);
    if (making === undefined) continue;
    const bytes = yield* Effect.promise(() => making);
    const options = { contentType, headers: { ...shared, "content-encoding": coding } };
    return HttpServerResponse.uint8Array(bytes, options);
  }
  return HttpServerResponse.uint8Array(text.bytes, { contentType, headers: shared });
});

/** RFC 9110, section 13.1.2: tags are compared without their `W/`. */
function isKnown(ifNoneMatch: string, etag: string): boolean {
  const opaque = etag.replace(/^W\//u, "");
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//u, ""));
  return tags.includes(opaque) || tags.includes("*");
}

/** The shortest form first. */
const CODINGS: ReadonlyArray<Coding> = ["br", "gzip"];

/**
 * RFC 9110, section 12.5.3: the codings that the header names, or covers by `*`, with a weight
 * above 0; the greatest weight first.
 */
function codingsOf(acceptEncoding: string): ReadonlyArray<Coding> {
  const weights = new Map(
    acceptEncoding.split(",").map((coding) => {
      const [name = "", ...parameters] = coding.toLowerCase().split(";");
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/u.exec(parameter)?.[1]);
      return [name.trim(), Number(weight.find((value) => value !== undefined) ?? 1)];
    }),
  );
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0;
  return CODINGS.filter((coding) => weightOf(coding) > 0).toSorted(
    (a, b) => weightOf(b) - weightOf(a),
  );
}

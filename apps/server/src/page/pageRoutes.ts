import { Effect } from "effect";
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http";
import { failureAt } from "../answers/failureAt.ts";
import { respondText } from "../answers/respondText.ts";
import { NO_STORE, respond } from "../answers/responses.ts";
import { AnswerCost } from "../limits/AnswerCost.ts";
import { PageFiles } from "./PageFiles.ts";

/** Only the page's own scripts run, and none that was made from text. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const IMMUTABLE = { "cache-control": "public, max-age=31536000, immutable" };
const SECONDS_BETWEEN = 1;

/** The page, at `/` and below `/app`: its files, and for every view the same document. */
export const pageRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const page = yield* PageFiles;
    const answer = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const path = request.url.replace(/\?.*$/su, "");
      const name = path.startsWith("/app/assets/") ? path.slice("/app/".length) : "index.html";
      const files = yield* page.files;
      if (files === undefined) return beingBuilt();
      const file = files.get(name);
      if (file === undefined) return respond(failureAt(path, "NOT_FOUND", "There is nothing here"));
      const cost = yield* AnswerCost;
      cost.madeBytes = 0;
      const headers = { ...HEADERS, ...(file.isImmutable && IMMUTABLE) };
      return yield* respondText(request, file.text, file.contentType, headers);
    });
    const handle = (request: HttpServerRequest.HttpServerRequest) =>
      Effect.catch(answer(request), (detail) =>
        Effect.succeed(respond(failureAt(request.url, "INTERNAL", detail))),
      );
    yield* Effect.forEach(["/", "/app/*"] as const, (path) => router.add("GET", path, handle));
  }),
);

/** A page that reloads itself. */
const beingBuilt = () =>
  HttpServerResponse.text(
    '<!doctype html><html lang="en"><title>millrace</title>' +
      `<meta http-equiv="refresh" content="${SECONDS_BETWEEN}"><p>The page is being built…</p>`,
    { contentType: "text/html; charset=utf-8", headers: { ...HEADERS, ...NO_STORE } },
  );

import type { ProblemHook } from "@millrace/platform-uws";
import { Cause, Effect, type Types } from "effect";
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http";
import { failureAt } from "../answers/failureAt.ts";
import { respond } from "../answers/responses.ts";
import { chargesItself, costOfRoute } from "../limits/costOfRoute.ts";
import { type Charge, Limits } from "../limits/Limits.ts";
import { Metrics } from "../Metrics.ts";
import { type RoutedPath, routeOf } from "./routeTable.ts";

/**
 * Around all routes. Finds the route of a path and hands the path on in its one form, lets clients
 * pay, answers in the shape of the interface where no route does (unknown paths, wrong methods, our
 * own errors, which it logs), and counts answers.
 */
export const failures = HttpRouter.middleware(
  Effect.gen(function* () {
    const limits = yield* Limits;
    const metrics = yield* Metrics;
    return (httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest;
        const { method, url } = request;
        const path = pathOf(url);
        const route = routeOf(path);
        const pattern = route?.pattern ?? "unknown";
        const canonical = route?.methods.includes(method) ? route.canonical : undefined;
        const isRouted = canonical !== undefined;
        const answer = isRouted
          ? httpEffect.pipe(
              Effect.provideService(
                HttpServerRequest.HttpServerRequest,
                request.modify({ url: canonical + url.slice(path.length) }),
              ),
              Effect.catchCause((cause) => answerCause(cause, request, path, pattern)),
            )
          : Effect.succeed(noRoute(method, path, route));
        if (isRouted && chargesItself(pattern)) return yield* answer;
        const charge = limits.charge(limits.clientOf(request), costOfRoute(pattern));
        const answered = refusalOf(charge, path) ?? (yield* answer);
        const response = HttpServerResponse.setHeaders(answered, charge.headers);
        metrics.answered(METHODS.has(method) ? method : "OTHER", pattern, response.status);
        return response;
      });
  }),
  { global: true },
);

function refusalOf({ refusal }: Charge, path: string) {
  return refusal && respond(failureAt(path, refusal.code, refusal.detail));
}

/** How the platform words what it refuses by itself. */
export const wordRefusal: ProblemHook = (status, code, detail, { path }) => {
  const { contentType, body } = failureAt(path, code, detail, status);
  return { contentType, body };
};

function answerCause<E>(
  cause: Cause.Cause<E>,
  { method, headers }: HttpServerRequest.HttpServerRequest,
  path: string,
  route: string,
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> {
  // The client is gone, or the service is: nobody reads an answer.
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause);
  const error = Cause.squash(cause);
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    return Effect.succeed(noRoute(method, path, undefined));
  }
  const answer = respond(failureAt(path, "INTERNAL", "Something went wrong on our side"));
  return Effect.logError("a request failed", cause).pipe(
    Effect.annotateLogs({ method, route, requestId: headers["x-request-id"] }),
    Effect.as(answer),
  );
}

function noRoute(method: string, path: string, route: RoutedPath | undefined) {
  if (route === undefined) return respond(failureAt(path, "NOT_FOUND", "There is nothing here"));
  if (route.methods.includes(method)) {
    return respond(failureAt(path, "INVALID_REQUEST", "The path is not percent-encoded text"));
  }
  const allowed = route.methods.join(", ");
  const detail = `This path takes ${allowed}`;
  const response = respond(failureAt(path, "METHOD_NOT_ALLOWED", detail));
  return HttpServerResponse.setHeader(response, "allow", allowed);
}

/** Methods that are counted by their name: a client may send any. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

import { Cause, Effect, Exit, type Types } from "effect";
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http";
import { failureAt } from "../answers/failureAt.ts";
import { respond } from "../answers/responses.ts";
import { AnswerCost } from "../limits/AnswerCost.ts";
import { chargesItself, costOfAnswer, costOfRead, isOfOperators } from "../limits/costOfRoute.ts";
import { Limits } from "../limits/Limits.ts";
import { Metrics } from "../Metrics.ts";
import type { RequestSpan } from "../traces/RequestSpan.ts";
import { CurrentSpan, Traces } from "../traces/Traces.ts";
import { Listener } from "./Listener.ts";
import { type RoutedPath, routeOf } from "./routeTable.ts";

/**
 * Wraps all routes. Finds the route of a path and passes the path on in its canonical form, charges
 * clients, answers in the shape of the interface where no route does (unknown paths, wrong methods,
 * our own errors, which it logs), and counts answers. `ofOperations`: operators have their own
 * listener, and only it serves their routes.
 */
export const failures = (ofOperations: boolean) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const limits = yield* Limits;
      const metrics = yield* Metrics;
      const traces = yield* Traces;
      return (httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest;
          const { method, url } = request;
          const path = pathOf(url);
          const listener = yield* Listener;
          const found = routeOf(path);
          const isServed =
            !ofOperations || isOfOperators(found?.pattern ?? "") === (listener === "operations");
          const route = isServed ? found : undefined;
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
          const named = METHODS.has(method) ? method : "OTHER";
          // Frequent requests of operators are not traced.
          const span = isOfOperators(pattern) ? undefined : traces.request(named, pattern);
          const priced =
            listener === "operations"
              ? answer
              : pricedAnswer(limits, request, pattern, path, answer);
          const response = yield* span === undefined ? priced : tracedAnswer(span, priced);
          metrics.answered(named, pattern, response.status);
          return response;
        });
    }),
    { global: true },
  );

const tracedAnswer = <E, R>(
  span: RequestSpan,
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
) =>
  answer.pipe(
    Effect.provideService(CurrentSpan, span),
    Effect.onExit((exit) =>
      Effect.sync(() =>
        span.end(
          Exit.isSuccess(exit) ? exit.value.status : Exit.hasInterrupts(exit) ? undefined : 500,
        ),
      ),
    ),
  );

/** Charges the client for the request, and settles the difference to the cost of the answer. */
const pricedAnswer = Effect.fnUntraced(function* <E, R>(
  limits: Limits["Service"],
  request: HttpServerRequest.HttpServerRequest,
  pattern: string,
  path: string,
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
) {
  const client = limits.clientOf(request);
  const asked = costOfRead(pattern, request.url.slice(path.length));
  const { refusal, headers } = limits.charge(client, asked);
  if (refusal !== undefined) {
    const refused = respond(failureAt(path, refusal.code, refusal.detail));
    return HttpServerResponse.setHeaders(refused, headers);
  }
  const known: AnswerCost = { madeBytes: undefined };
  const given = yield* Effect.provideService(answer, AnswerCost, known);
  const rest = costOfAnswer(pattern, bytesOf(given), known) - asked;
  const { charge } = known;
  if (charge?.refusal !== undefined) return HttpServerResponse.setHeaders(given, charge.headers);
  const isSettled = rest === 0 && charge === undefined;
  return HttpServerResponse.setHeaders(
    given,
    isSettled ? headers : limits.settle(client, rest).headers,
  );
});

const bytesOf = ({ body }: HttpServerResponse.HttpServerResponse): number =>
  body._tag === "Uint8Array" ? body.contentLength : 0;

function answerCause<E>(
  cause: Cause.Cause<E>,
  { method, headers }: HttpServerRequest.HttpServerRequest,
  path: string,
  route: string,
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> {
  // The client or the service is gone: nobody reads an answer.
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

/** Methods that are counted by name: a client may send any text. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

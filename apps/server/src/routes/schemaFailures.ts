import {
  type Issue,
  issuesOf,
  MarketFailures,
  marketFailureText,
  ProblemFailures,
  unrecognizedKeys,
} from "@millrace/api";
import { Effect, Layer, Result, Schema } from "effect";
import { HttpServerRequest, HttpServerResponse } from "effect/http";
import { type HttpApiEndpoint, HttpApiError, HttpApiMiddleware } from "effect/http-api";
import { problemAnswer } from "../answers/Answer.ts";
import { respond } from "../answers/responses.ts";

/** Refuses requests whose parameters do not decode, in the shape of their interface. */
export const schemaFailures = Layer.mergeAll(
  HttpApiMiddleware.layerSchemaErrorTransform(MarketFailures, (error, { endpoint }) =>
    Effect.map(issuesOfRequest(error, endpoint), (issues) =>
      HttpServerResponse.text(marketFailureText(issues), {
        status: 400,
        contentType: "application/json",
      }),
    ),
  ),
  Layer.succeed(ProblemFailures, (httpEffect, { endpoint, group }) => {
    const worded = Effect.catch(httpEffect, (error) =>
      HttpApiError.HttpApiSchemaError.is(error)
        ? Effect.map(issuesOfRequest(error, endpoint), invalidRequest)
        : Effect.fail(error),
    );
    // Health probes may add any query; the handlers of POSTs refuse queries themselves.
    const refuses =
      group.identifier === "swap" && endpoint.method === "GET" && endpoint.query === undefined;
    return refuses ? refusingQueries(worded) : worded;
  }),
);

const invalidRequest = (issues: ReadonlyArray<Issue>) =>
  respond(problemAnswer("INVALID_REQUEST", "The request is malformed", { issues }));

/** An endpoint of the swap interface without query parameters: one is refused, not ignored. */
const refusingQueries = <E, R>(httpEffect: Effect.Effect<Response, E, R>) =>
  Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) => {
    const keys = Object.keys(query);
    return keys.length === 0 ? httpEffect : Effect.succeed(invalidRequest(unrecognizedKeys(keys)));
  });

type Response = HttpServerResponse.HttpServerResponse;

/**
 * One issue for each bad parameter. Decoding stops at a wrong path; the issues of the query are
 * added here. An answer that does not encode is a bug: it dies.
 */
const issuesOfRequest = Effect.fnUntraced(function* (
  error: HttpApiError.HttpApiSchemaError,
  endpoint: HttpApiEndpoint.Top,
) {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return yield* Effect.die(error);
  const issues = issuesOf(error.cause.issue);
  if (error.kind !== "Params" || endpoint.query === undefined) return issues;
  const query = yield* HttpServerRequest.ParsedSearchParams;
  return [...issues, ...issuesOfQuery(endpoint.query, query)];
});

function issuesOfQuery(schema: Schema.Top, query: unknown): Issue[] {
  // Schemas of query parameters need no services.
  const codec = Schema.toCodecArrayFromSingle(schema) as unknown as Schema.Codec<unknown>;
  const decoded = Schema.decodeUnknownResult(codec)(query, {
    errors: "all",
    onExcessProperty: "error",
  });
  return Result.isFailure(decoded) ? issuesOf(decoded.failure.issue) : [];
}

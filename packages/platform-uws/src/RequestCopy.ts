import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Headers from "effect/http/Headers";
import * as HttpEffect from "effect/http/HttpEffect";
import type { HttpMiddleware } from "effect/http/HttpMiddleware";
import { HttpServerRequest } from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import { responseBody } from "./responseBody.ts";
import { type ReadRequest, UwsServerRequest } from "./UwsServerRequest.ts";

/** A request as one thread passes it to another; it can be posted. */
export type RequestCopy = {
  readonly [Field in Exclude<keyof ReadRequest, "headers">]: ReadRequest[Field];
} & { readonly headers: Readonly<Record<string, string>> };

/** An answer on its way back to that thread; it can be posted. */
export interface ResponseCopy {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
  /** Undefined for an answer without a body. */
  readonly body: string | Uint8Array | undefined;
}

/** Makes a copy that can be posted. */
export const copyRequest = (request: HttpServerRequest): RequestCopy => {
  const { method, path, query, headers, remoteAddress, body } = request.source as ReadRequest;
  return { method, path, query, headers: { ...headers }, remoteAddress, body };
};

/** Makes a response of a posted answer, for the server that read the request. */
export const pastedResponse = ({
  status,
  headers,
  contentType,
  body,
}: ResponseCopy): HttpServerResponse.HttpServerResponse => {
  if (body === undefined) return HttpServerResponse.empty({ status, headers });
  const options = { status, headers, ...(contentType !== undefined && { contentType }) };
  return typeof body === "string"
    ? HttpServerResponse.text(body, options)
    : HttpServerResponse.uint8Array(body, options);
};

/**
 * Makes a function that answers copied requests with the given Effect and the current services. It
 * never fails: where the Effect gives no answer, the copy is answered with 500.
 */
export const answerCopies = Effect.fnUntraced(function* (
  httpEffect: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    unknown,
    HttpServerRequest | Scope.Scope
  >,
  middleware?: HttpMiddleware,
) {
  const services = yield* Effect.context<never>();
  return (copy: RequestCopy): Effect.Effect<ResponseCopy> =>
    Effect.suspend(() => {
      let answer: ResponseCopy | undefined;
      const keep = (_: HttpServerRequest, response: HttpServerResponse.HttpServerResponse) =>
        Effect.map(copyResponse(response), (copied) => {
          answer = copied;
        });
      const headers = Headers.fromRecordUnsafe({ ...copy.headers });
      const request = new UwsServerRequest({ ...copy, headers });
      const handled = HttpEffect.toHandled(httpEffect, keep, middleware);
      return Effect.exit(handled).pipe(
        Effect.provideContext(Context.add(services, HttpServerRequest, request)),
        Effect.map(() => answer ?? FAILED),
      );
    });
});

/** The server that sends it writes the body. */
const FAILED: ResponseCopy = { status: 500, headers: {}, contentType: undefined, body: undefined };

const copyResponse = Effect.fnUntraced(function* (
  response: HttpServerResponse.HttpServerResponse,
): Effect.fn.Return<ResponseCopy> {
  const { status, headers } = response;
  const { content, contentType, stream } = responseBody(response);
  const own = { status, headers: { ...headers }, contentType };
  if (response.body._tag === "Empty") return { ...own, body: undefined };
  if (stream === undefined) return { ...own, body: content };
  const parts = yield* Effect.orDie(Stream.runCollect(stream));
  return { ...own, body: Buffer.concat([...parts]) };
});

import type { HttpRequest, HttpResponse, TemplatedApp } from "uWebSockets.js";
import * as Effect from "effect/Effect";
import { ClientAbort } from "effect/http/HttpServerError";
import { answerOf, makeDirectWriter } from "./directWriter.ts";
import type { HeaderLines } from "./headerBlock.ts";
import { type HeaderFault, inspected, inspectHeaders } from "./headerInspection.ts";
import { dropConnection, type Refusal, refusals, refuseRequest } from "./refusal.ts";
import { readBody } from "./requestBody.ts";
import { requestIdentifier } from "./requestIdentifier.ts";
import type { ServerState } from "./ServerState.ts";
import { makeShed } from "./shed.ts";
import { peerAddress } from "./webSocket/peerAddress.ts";

/**
 * A route answered in the event loop, as a rule without a fiber. GET routes answer at once, and
 * HEAD as well; POST routes with what else has arrived in the same turn of the loop (see
 * `AnswerBatch`).
 */
export interface DirectRoute {
  readonly method: "GET" | "POST";
  /** `/ETH/quote`, or with parameters: `/:network/quote`. */
  readonly path: string;
  /**
   * Whether a request is for this route, by the parameters of its path in order, as sent; where it
   * is not, Effect's router gets it. Must not throw. Without it, all are.
   */
  readonly accepts?: (parameters: ReadonlyArray<string>) => boolean;
  /**
   * Must not block. What it throws is logged and answered with 500. An answer that takes its time
   * elsewhere may be given as an Effect: it runs on a fiber, which is interrupted when the client
   * leaves or the server's grace period is over; what it dies of is answered likewise.
   */
  readonly handle: (request: DirectRequest) => DirectResponse | Effect.Effect<DirectResponse>;
  /** Headers of every answer of the route, checked once. */
  readonly headers?: HeaderLines;
}

/** A request, copied: it may be kept. */
export interface DirectRequest {
  /** The parameters of the path in order, as sent (not percent-decoded). */
  readonly parameters: ReadonlyArray<string>;
  /** What follows `?`, as sent; empty when there is none. */
  readonly query: string;
  /** The body as UTF-8 text, bad sequences replaced by U+FFFD; empty for GET. */
  readonly body: string;
  /** What the answer's `x-request-id` will say. */
  readonly requestId: string;
  /** What the server's `identify` gave; undefined without one. */
  readonly client?: unknown;
}

/** A whole answer. */
export interface DirectResponse {
  readonly status: number;
  readonly contentType: string;
  /** Handed over whole, without waiting for a slow client: not for megabytes. */
  readonly body: string;
  /** Further headers of this one answer; one with a line end in it makes the answer a 500. */
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Adds the route to the app. Throws if its fixed headers are malformed. */
export const registerDirectRoute = (
  app: TemplatedApp,
  route: DirectRoute,
  state: ServerState,
): void => {
  if (route.method === "POST") {
    app.post(route.path, directHandler(route, state, "POST"));
  } else {
    app.get(route.path, directHandler(route, state, "GET"));
    app.head(route.path, directHandler(route, state, "HEAD"));
  }
};

const directHandler = (route: DirectRoute, state: ServerState, method: "GET" | "HEAD" | "POST") => {
  const { batch, bodyBytesMax, crossOrigin, identify, lifecycle, queryBytesMax } = state;
  const parameterCount = route.path.split("/").filter(isParameter).length;
  const writer = makeDirectWriter(state, route, method);
  const shed = makeShed(state, method, route.path);

  return (response: HttpResponse, request: HttpRequest): void => {
    const parameters: Array<string> = [];
    for (let index = 0; index < parameterCount; index++) {
      parameters.push(request.getParameter(index) ?? "");
    }
    if (route.accepts?.(parameters) === false) {
      request.setYield(true);
      return;
    }
    // Before all else: without it, returning or throwing before an answer ends the process. One
    // shared function is enough, since nothing of ours runs for this request after an abort.
    response.onAborted(lifecycle.requestEnded);
    lifecycle.requestBegan();
    batch.arrived();
    try {
      handle(response, request, parameters);
    } catch (cause) {
      state.report(cause, { method, path: route.path }, "");
      dropConnection(response);
    }
  };

  /** The request is gone once this returns: everything of it is read here. */
  function handle(
    response: HttpResponse,
    request: HttpRequest,
    parameters: ReadonlyArray<string>,
  ): void {
    const fault = inspectHeaders(request);
    if (fault === "framing") {
      dropConnection(response);
      return;
    }
    const requestId = requestIdentifier(inspected.requestId);
    const crossOriginLines = crossOrigin.lines(inspected.origin, method, () => request.getUrl());
    const query = request.getQuery() ?? "";
    const refusal = firstRefusal(fault, query);
    if (refusal !== undefined) {
      const refused = { method, path: request.getUrl(), requestId, crossOriginLines };
      refuseRequest(response, state, refusal, refused, lifecycle.requestEnded);
      return;
    }
    if ((method === "POST" && batch.isFull()) || batch.isLate()) {
      shed(response, requestId, crossOriginLines);
      return;
    }
    const client = identify?.({
      peerAddress: () => peerAddress(response.getRemoteAddress()),
      header: (name) => headerOf(request, name),
    });
    if (method !== "POST") {
      const request = { parameters, query, body: "", requestId, client };
      const answer = writer.compute(request);
      if (Effect.isEffect(answer)) answerLater(response, request, crossOriginLines, answer);
      else writer.write(response, request, crossOriginLines, answer);
      return;
    }
    readBody(
      response,
      bodyBytesMax,
      (bytes) => {
        const request = { parameters, query, body: bytes.toString(), requestId, client };
        answerWithOthers(response, request, crossOriginLines);
      },
      () => {
        const path = directPath(route, parameters);
        const refused = { method, path, requestId, crossOriginLines };
        refuseRequest(response, state, refusals.body, refused, lifecycle.requestEnded);
      },
    );
  }

  function answerWithOthers(
    response: HttpResponse,
    request: DirectRequest,
    crossOriginLines: HeaderLines,
  ): void {
    let isGone = false;
    response.onAborted(() => {
      isGone = true;
      lifecycle.requestEnded();
    });
    batch.add({
      compute: () => {
        if (isGone) return nothing;
        const answer = writer.compute(request);
        if (Effect.isEffect(answer)) {
          answerLater(response, request, crossOriginLines, answer);
          return nothing;
        }
        return () => {
          if (isGone) return;
          response.cork(() => writer.write(response, request, crossOriginLines, answer));
        };
      },
      shed: () => {
        if (!isGone) response.cork(() => shed(response, request.requestId, crossOriginLines));
      },
    });
  }

  function answerLater(
    response: HttpResponse,
    request: DirectRequest,
    crossOriginLines: HeaderLines,
    answer: Effect.Effect<DirectResponse>,
  ): void {
    let isGone = false;
    const fiber = state.fork(answer);
    response.onAborted(() => {
      isGone = true;
      fiber.interruptUnsafe(undefined, ClientAbort.annotation);
      lifecycle.requestEnded();
    });
    fiber.addObserver((exit) => {
      if (isGone) return;
      const given = answerOf(exit);
      response.cork(() => writer.write(response, request, crossOriginLines, given));
    });
  }

  function firstRefusal(fault: HeaderFault, query: string): Refusal | undefined {
    if (lifecycle.refusing) return refusals.closing;
    if (fault === "host") return refusals.host;
    if (query.length > queryBytesMax) return refusals.query;
    // An absent length is "", which is 0.
    if (Number(inspected.contentLength) > bodyBytesMax) return refusals.body;
    return undefined;
  }
};

/** All values of a header, joined; the native library gives the first of several. */
const headerOf = (request: HttpRequest, wanted: string): string => {
  let values: string | undefined;
  request.forEach((name, value) => {
    if (name === wanted) values = values === undefined ? value : `${values}, ${value}`;
  });
  return values ?? "";
};

/** The path as it was sent, put together again: only failures need it. */
export const directPath = (route: DirectRoute, parameters: ReadonlyArray<string>): string => {
  let index = 0;
  const parts = route.path.split("/");
  return parts.map((part) => (isParameter(part) ? parameters[index++] : part)).join("/");
};

const isParameter = (part: string): boolean => part.startsWith(":");

const nothing = (): void => {};

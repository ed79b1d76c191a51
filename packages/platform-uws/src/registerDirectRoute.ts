import type { HttpRequest, HttpResponse, TemplatedApp } from "uWebSockets.js";
import * as Effect from "effect/Effect";
import { ClientAbort } from "effect/http/HttpServerError";
import {
  type DirectRequest,
  type DirectResponse,
  type DirectRoute,
  directPath,
  isParameter,
} from "./DirectRoute.ts";
import { answerOf, makeDirectWriter } from "./directWriter.ts";
import type { HeaderLines } from "./headerBlock.ts";
import { type HeaderFault, inspected, inspectHeaders } from "./headerInspection.ts";
import {
  dropConnection,
  isTargetText,
  type Refusal,
  refusalOfFault,
  refusals,
  refuseRequest,
} from "./refusal.ts";
import { readBody } from "./requestBody.ts";
import { requestIdentifier } from "./requestIdentifier.ts";
import type { ServerState } from "./ServerState.ts";
import { makeShed } from "./shed.ts";
import { peerAddress } from "./webSocket/peerAddress.ts";

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
  const { answers, bodyBytesMax, crossOrigin, identify, lifecycle, queryBytesMax } = state;
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
    answers.arrived();
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
    const { closes } = inspected;
    const query = request.getQuery() ?? "";
    const refusal = firstRefusal(fault, parameters, query);
    if (refusal !== undefined) {
      const refused = { method, path: request.getUrl(), requestId, crossOriginLines };
      refuseRequest(response, state, refusal, refused, lifecycle.requestEnded);
      return;
    }
    const client = identify?.({
      peerAddress: () => peerAddress(response.getRemoteAddress()),
      header: (name) => headerOf(request, name),
    });
    if (method !== "POST") {
      const request = { parameters, query, body: "", requestId, client };
      // The last request of a connection waits in any case: what follows in the same packet then
      // closes the connection, instead of being run.
      if (!closes && answers.takesAtOnce()) answerAtOnce(response, request, crossOriginLines);
      else answerInTurn(response, request, crossOriginLines, closes);
      return;
    }
    readBody(
      response,
      bodyBytesMax,
      (bytes) => {
        const request = { parameters, query, body: bytes.toString(), requestId, client };
        answerInTurn(response, request, crossOriginLines, closes);
      },
      () => {
        const path = directPath(route, parameters);
        const refused = { method, path, requestId, crossOriginLines };
        refuseRequest(response, state, refusals.body, refused, lifecycle.requestEnded);
      },
    );
  }

  function answerAtOnce(
    response: HttpResponse,
    request: DirectRequest,
    crossOriginLines: HeaderLines,
  ): void {
    const answer = writer.compute(request);
    if (Effect.isEffect(answer)) answerLater(response, request, crossOriginLines, answer, false);
    else writer.write(response, request, crossOriginLines, answer, false);
  }

  function answerInTurn(
    response: HttpResponse,
    request: DirectRequest,
    crossOriginLines: HeaderLines,
    closes: boolean,
  ): void {
    let isGone = false;
    const leave = answers.add({
      compute: () => {
        const answer = writer.compute(request);
        if (Effect.isEffect(answer)) {
          answerLater(response, request, crossOriginLines, answer, closes);
          return nothing;
        }
        return () => {
          if (isGone) return;
          response.cork(() => writer.write(response, request, crossOriginLines, answer, closes));
        };
      },
      refuse: () =>
        response.cork(() => shed(response, request.requestId, crossOriginLines, closes)),
    });
    response.onAborted(() => {
      isGone = true;
      leave();
      lifecycle.requestEnded();
    });
  }

  function answerLater(
    response: HttpResponse,
    request: DirectRequest,
    crossOriginLines: HeaderLines,
    answer: Effect.Effect<DirectResponse>,
    closes: boolean,
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
      response.cork(() => writer.write(response, request, crossOriginLines, given, closes));
    });
  }

  function firstRefusal(
    fault: HeaderFault,
    parameters: ReadonlyArray<string>,
    query: string,
  ): Refusal | undefined {
    if (lifecycle.refusing) return refusals.closing;
    if (fault !== "none") return refusalOfFault[fault];
    if (method === "POST" && inspected.contentLengthCount === 0) return refusals.length;
    if (!isTargetText(query) || !parameters.every(isTargetText)) return refusals.target;
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

const nothing = (): void => {};

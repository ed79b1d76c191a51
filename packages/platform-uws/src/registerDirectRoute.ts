import type { HttpRequest, HttpResponse, TemplatedApp } from "uWebSockets.js";
import { type DirectAnswering, DirectExchange } from "./DirectExchange.ts";
import { type DirectRoute, directPath, isParameter } from "./DirectRoute.ts";
import { makeDirectWriter } from "./directWriter.ts";
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
  const answering: DirectAnswering = {
    state,
    writer: makeDirectWriter(state, route, method),
    shed: makeShed(state, method, route.path),
  };

  return (response: HttpResponse, request: HttpRequest): void => {
    const parameters: Array<string> = [];
    for (let index = 0; index < parameterCount; index++) {
      parameters.push(request.getParameter(index) ?? "");
    }
    if (route.accepts?.(parameters) === false) {
      request.setYield(true);
      return;
    }
    const exchange = new DirectExchange(response, parameters, answering);
    // First of all: without it, returning or throwing before an answer ends the process.
    response.onAborted(exchange.abort);
    lifecycle.requestBegan();
    answers.arrived();
    try {
      handle(response, request, exchange);
    } catch (cause) {
      state.report(cause, { method, path: route.path }, "");
      dropConnection(response);
    }
  };

  /** Reads everything from the request, which is invalid once this returns. */
  function handle(response: HttpResponse, request: HttpRequest, exchange: DirectExchange): void {
    const fault = inspectHeaders(request);
    if (fault === "framing") {
      dropConnection(response);
      return;
    }
    const { closes, origin, requestId } = inspected;
    const crossOriginLines = crossOrigin.lines(origin, method, () => request.getUrl());
    exchange.setHeaders(requestIdentifier(requestId), crossOriginLines, closes);
    exchange.query = request.getQuery() ?? "";
    const refusal = firstRefusal(fault, exchange);
    if (refusal !== undefined) {
      refuse(response, exchange, refusal, request.getUrl());
      return;
    }
    exchange.client = identify({
      peerAddress: () => peerAddress(response.getRemoteAddress()),
      header: (name) => headerOf(request, name),
    });
    if (method !== "POST") {
      // The last request of a connection always waits. Anything after it in the same packet then
      // closes the connection instead of being run.
      if (!exchange.closes && answers.takesAtOnce(exchange.client)) exchange.answerAtOnce();
      else exchange.answerInTurn();
      return;
    }
    readBody(
      response,
      bodyBytesMax,
      (bytes) => {
        exchange.body = bytes.toString();
        exchange.answerInTurn();
      },
      () => refuse(response, exchange, refusals.body, directPath(route, exchange.parameters)),
    );
  }

  function refuse(
    response: HttpResponse,
    { requestId, crossOriginLines }: DirectExchange,
    refusal: Refusal,
    path: string,
  ): void {
    const refused = { method, path, requestId, crossOriginLines };
    refuseRequest(response, state, refusal, refused, lifecycle.requestEnded);
  }

  function firstRefusal(
    fault: HeaderFault,
    { parameters, query }: DirectExchange,
  ): Refusal | undefined {
    if (lifecycle.refusing) return refusals.closing;
    if (fault !== "none") return refusalOfFault[fault];
    if (method === "POST" && inspected.contentLengthCount === 0) return refusals.length;
    if (!isTargetText(query) || !parameters.every(isTargetText)) return refusals.target;
    if (query.length > queryBytesMax) return refusals.query;
    // A missing length is "", which converts to 0.
    if (Number(inspected.contentLength) > bodyBytesMax) return refusals.body;
    return undefined;
  }
};

/** All values of a header, joined; the native library gives only the first. */
const headerOf = (request: HttpRequest, wanted: string): string => {
  let values: string | undefined;
  request.forEach((name, value) => {
    if (name === wanted) values = values === undefined ? value : `${values}, ${value}`;
  });
  return values ?? "";
};

import type { HttpResponse } from "uWebSockets.js";
import type * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import {
  type DirectRequest,
  type DirectResponse,
  type DirectRoute,
  directPath,
} from "./DirectRoute.ts";
import {
  endWithoutBody,
  type HeaderLines,
  headerBlock,
  securityLines,
  writeHeaderBlock,
} from "./headerBlock.ts";
import { dropConnection, refusals, writeProblem } from "./refusal.ts";
import type { ServerState } from "./ServerState.ts";
import { statusLine } from "./statusLine.ts";

/** A handler's answer, or its failure. */
export type DirectAnswer = DirectResponse | Failure;

/** The two steps of an answer on a direct route; neither throws. */
export interface DirectWriter {
  /** Runs the handler. */
  readonly compute: (request: DirectRequest) => DirectAnswer | Effect.Effect<DirectResponse>;
  /** Writes the handler's answer. Call it where the library has corked the response. */
  readonly write: (
    response: HttpResponse,
    request: DirectRequest,
    crossOriginLines: HeaderLines,
    answer: DirectAnswer,
    /** Whether the client announced that it sends nothing more. */
    closes: boolean,
  ) => void;
}

/** The cause of a handler's failure. */
class Failure {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/** The answer or failure of an Effect. */
export const answerOf = (exit: Exit.Exit<DirectResponse>): DirectAnswer =>
  Exit.isSuccess(exit) ? exit.value : new Failure(exit.cause);

/** Makes the writer of a route. An answer goes out in one system call. */
export const makeDirectWriter = (
  state: ServerState,
  route: DirectRoute,
  method: "GET" | "HEAD" | "POST",
): DirectWriter => {
  const { lifecycle } = state;
  const fixedLines: HeaderLines = [...securityLines, ...(route.headers ?? [])];
  // Answers of a route nearly always have the same content type and CORS lines. So the last header
  // block is kept and looked up by identity.
  let lastContentType = "application/json";
  let lastCrossOriginLines: HeaderLines = [];
  let lastBlock = headerBlock([...fixedLines, ["content-type", lastContentType]]);

  function compute(request: DirectRequest): DirectAnswer | Effect.Effect<DirectResponse> {
    try {
      return route.handle(request);
    } catch (cause) {
      return new Failure(cause);
    }
  }

  function write(
    response: HttpResponse,
    request: DirectRequest,
    crossOriginLines: HeaderLines,
    answer: DirectAnswer,
    closes: boolean,
  ): void {
    const isLast = closes || lifecycle.refusing;
    try {
      if (answer instanceof Failure) throw answer.cause;
      const { contentType, body } = answer;
      if (contentType !== lastContentType || crossOriginLines !== lastCrossOriginLines) {
        const lines: HeaderLines = [...fixedLines, ["content-type", contentType]];
        lastBlock = headerBlock([...lines, ...crossOriginLines]);
        lastContentType = contentType;
        lastCrossOriginLines = crossOriginLines;
      }
      const block =
        answer.headers === undefined ? lastBlock : lastBlock + headerBlock(answer.headers);
      if (typeof body !== "string") throw new TypeError("A direct answer's body must be text");
      // Nothing is written before this line, so that a failure above can still become a 500. The
      // library writes a 200 by itself.
      if (answer.status !== 200) response.writeStatus(statusLine(answer.status));
      writeHeaderBlock(response, request.requestId, block);
      if (method === "HEAD") {
        endWithoutBody(response, Buffer.byteLength(body), isLast);
      } else {
        response.end(body, isLast);
      }
    } catch (cause) {
      answerFailure(response, request, crossOriginLines, cause, isLast);
      return;
    }
    lifecycle.requestEnded();
  }

  return { compute, write };

  function answerFailure(
    response: HttpResponse,
    request: DirectRequest,
    crossOriginLines: HeaderLines,
    cause: unknown,
    isLast: boolean,
  ): void {
    const { parameters, requestId } = request;
    const refused = { method, path: directPath(route, parameters), requestId, crossOriginLines };
    state.report(cause, refused, requestId);
    try {
      writeProblem(response, state, refusals.internal, refused, isLast);
    } catch {
      // Runs the abort handler, which ends the request's count.
      dropConnection(response);
      return;
    }
    lifecycle.requestEnded();
  }
};

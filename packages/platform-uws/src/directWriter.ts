import type { HttpResponse } from "uWebSockets.js";
import { type DirectRequest, type DirectRoute, directPath } from "./directRoute.ts";
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

/** Runs a direct route's handler on a request and writes what it gives; never throws. */
type DirectWriter = (
  response: HttpResponse,
  request: DirectRequest,
  crossOriginLines: HeaderLines,
) => void;

/**
 * Makes the writer of a route. Both places it is called from (the native handler and the native
 * body callback) are corked by the library already, so the answer leaves in one system call.
 */
export const makeDirectWriter = (
  state: ServerState,
  route: DirectRoute,
  method: "GET" | "HEAD" | "POST",
): DirectWriter => {
  const { lifecycle } = state;
  const fixedLines: HeaderLines = [...securityLines, ...(route.headers ?? [])];
  // Answers of a route nearly always share the content type and the CORS lines: the last block made
  // is kept, and compared by identity.
  let lastContentType = "application/json";
  let lastCrossOriginLines: HeaderLines = [];
  let lastBlock = headerBlock([...fixedLines, ["content-type", lastContentType]]);

  return (response, request, crossOriginLines) => {
    try {
      const answer = route.handle(request);
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
      // Nothing is written until here, so that a failure above can still become a 500. A 200 is
      // what the library writes by itself.
      if (answer.status !== 200) response.writeStatus(statusLine(answer.status));
      writeHeaderBlock(response, request.requestId, block);
      if (method === "HEAD") {
        endWithoutBody(response, Buffer.byteLength(body), lifecycle.refusing);
      } else {
        response.end(body, lifecycle.refusing);
      }
    } catch (cause) {
      answerFailure(response, request, crossOriginLines, cause);
      return;
    }
    lifecycle.requestEnded();
  };

  function answerFailure(
    response: HttpResponse,
    request: DirectRequest,
    crossOriginLines: HeaderLines,
    cause: unknown,
  ): void {
    const { parameters, requestId } = request;
    const refused = { method, path: directPath(route, parameters), requestId, crossOriginLines };
    state.report(cause, refused, requestId);
    try {
      writeProblem(response, state, refusals.internal, refused, lifecycle.refusing);
    } catch {
      // Runs the abort handler, which accounts for the request.
      dropConnection(response);
      return;
    }
    lifecycle.requestEnded();
  }
};

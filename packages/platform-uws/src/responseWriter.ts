import type { HttpResponse } from "uWebSockets.js";
import * as Effect from "effect/Effect";
import * as Cookies from "effect/http/Cookies";
import type { HttpServerRequest } from "effect/http/HttpServerRequest";
import { type HttpServerResponse, omitsBody } from "effect/http/HttpServerResponse";
import type { Exchange } from "./Exchange.ts";
import { endWithoutBody, headerBlock, securityLines, writeHeaderBlock } from "./headerBlock.ts";
import { type Refusal, refusals, writeProblem } from "./refusal.ts";
import { type ResponseBody, responseBody } from "./responseBody.ts";
import { writeStream, writeWhole } from "./responseParts.ts";
import type { ServerState } from "./ServerState.ts";
import { statusLine } from "./statusLine.ts";

/**
 * Writes an Effect response as the answer of its exchange. Succeeds when the answer is handed over
 * or the client has left. Never fails: an answer that cannot be written (a header with a line end,
 * an invalid status) becomes a logged 500.
 */
export const sendResponse =
  (state: ServerState) =>
  (request: HttpServerRequest, response: HttpServerResponse): Effect.Effect<void> => {
    const exchange = request.source as Exchange;
    if (!exchange.isOpen) return Effect.void;
    const bare = bareRefusal(response);
    if (bare !== undefined) return Effect.sync(() => answerProblem(exchange, state, bare));
    try {
      return write(exchange, state, response);
    } catch (cause) {
      state.report(cause, exchange, exchange.requestId);
      return Effect.sync(() => {
        if (exchange.hasBegun) exchange.close();
        else answerProblem(exchange, state, refusals.internal);
      });
    }
  };

/** Prepares everything that may throw before the first byte is written. */
const write = (
  exchange: Exchange,
  state: ServerState,
  response: HttpServerResponse,
): Effect.Effect<void> => {
  const status = statusLine(response.status);
  const body = responseBody(response);
  const block = responseHeaderBlock(exchange, response, body);
  const closing = exchange.isLast;
  const writeHead = (native: HttpResponse): void => {
    if (response.status !== 200) native.writeStatus(status);
    writeHeaderBlock(native, exchange.requestId, block);
  };
  if (omitsBody(response) || exchange.method === "HEAD") {
    // 204, 205 and 304 have no length; HEAD declares the length that GET would have.
    const bytes = omitsBody(response) ? undefined : body.bytesCount;
    exchange.write((native) => {
      writeHead(native);
      endWithoutBody(native, bytes, closing);
    });
    exchange.answered();
    return Effect.void;
  }
  return body.stream === undefined
    ? writeWhole(exchange, writeHead, body.content, closing)
    : writeStream(exchange, state, writeHead, body.stream);
};

const responseHeaderBlock = (
  exchange: Exchange,
  response: HttpServerResponse,
  body: ResponseBody,
): string => {
  const lines: Array<readonly [string, string]> = [...securityLines];
  const { headers } = response;
  for (const name in headers) {
    if (!ownHeaders.has(name)) lines.push([name, headers[name] ?? ""]);
  }
  if (headers["content-type"] === undefined && body.contentType !== undefined) {
    lines.push(["content-type", body.contentType]);
  }
  for (const cookie of Cookies.toSetCookieHeaders(response.cookies)) {
    lines.push(["set-cookie", cookie]);
  }
  // CORS headers of the app take precedence.
  if (headers["access-control-allow-origin"] === undefined) {
    lines.push(...exchange.crossOriginLines);
  }
  return headerBlock(lines);
};

/** Headers that the native library or this package writes, or nobody. */
const ownHeaders = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
  "x-content-type-options",
  "x-request-id",
]);

/** Effect answers a defect, an unreadable or too large body and an interruption without a body. */
const bareRefusal = (response: HttpServerResponse): Refusal | undefined => {
  const hasWords = response.body._tag !== "Empty" || Object.keys(response.headers).length > 0;
  if (hasWords) return undefined;
  return bareRefusals.get(response.status);
};

const bareRefusals = new Map<number, Refusal>([
  [400, refusals.malformed],
  [413, refusals.body],
  [500, refusals.internal],
  [503, refusals.closing],
]);

const answerProblem = (exchange: Exchange, state: ServerState, refusal: Refusal): void => {
  exchange.write((native) => writeProblem(native, state, refusal, exchange, exchange.isLast));
  exchange.answered();
};

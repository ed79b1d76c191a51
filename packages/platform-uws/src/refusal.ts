import type { HttpResponse } from "uWebSockets.js";
import {
  endWithoutBody,
  type HeaderLines,
  headerBlock,
  securityLines,
  writeHeaderBlock,
} from "./headerBlock.ts";
import type { HeaderFault } from "./headerInspection.ts";
import { type Problem, type ProblemRequest, problemDetails, type RefusalCode } from "./problem.ts";
import type { ServerState } from "./ServerState.ts";
import { statusLine } from "./statusLine.ts";

/** A refusal without its body. */
export interface Refusal {
  readonly status: number;
  readonly code: RefusalCode;
  readonly detail: string;
}

/** Why requests are refused; the texts are for people, the codes for programs. */
export const refusals = {
  host: { status: 400, code: "INVALID_REQUEST", detail: "Exactly one Host header is needed" },
  encoding: {
    status: 411,
    code: "INVALID_REQUEST",
    detail: "A body needs a Content-Length: no Transfer-Encoding is taken",
  },
  length: { status: 411, code: "INVALID_REQUEST", detail: "A Content-Length is needed" },
  control: { status: 400, code: "INVALID_REQUEST", detail: "A header holds a control character" },
  method: { status: 501, code: "INVALID_REQUEST", detail: "The method is not known here" },
  target: {
    status: 400,
    code: "INVALID_REQUEST",
    detail: "The request target holds characters that have to be percent-encoded",
  },
  query: { status: 400, code: "INVALID_REQUEST", detail: "The query string is too long" },
  body: { status: 413, code: "PAYLOAD_TOO_LARGE", detail: "The request body is too large" },
  malformed: { status: 400, code: "INVALID_REQUEST", detail: "The request could not be read" },
  internal: { status: 500, code: "INTERNAL", detail: "Something went wrong on our side" },
  closing: { status: 503, code: "NOT_READY", detail: "The server is shutting down" },
  starting: { status: 503, code: "NOT_READY", detail: "The server is starting" },
  overloaded: { status: 503, code: "NOT_READY", detail: "The server has too much to do" },
  busy: { status: 503, code: "NOT_READY", detail: "The server is busy" },
} as const satisfies Record<string, Refusal>;

/** The refusal for a header fault, unless the connection is closed at once. */
export const refusalOfFault: Readonly<Record<HeaderFault, Refusal | undefined>> = {
  none: undefined,
  framing: undefined,
  encoding: refusals.encoding,
  host: refusals.host,
  control: refusals.control,
};

/**
 * Whether a text may be part of a request target (RFC 3986, section 2). The native library accepts
 * any byte above the space, and would decode non-ASCII bytes before passing them on.
 */
export const isTargetText = (text: string): boolean => targetText.test(text);

const targetText = /^[!-~]*$/;

/** A refused request, with the headers that its answer needs. */
interface Refused extends ProblemRequest {
  readonly requestId: string;
  readonly crossOriginLines: HeaderLines;
}

/**
 * Refuses a request before it ran and closes its connection; the answer goes out in the next turn
 * of the event loop. Until then the native library sees the request as pending, and drops the
 * connection if anything but its body follows. So a request smuggled or pipelined behind a refused
 * one never runs. (`end(body, true)` right here would send `Connection: close` and then run it.)
 *
 * `onAborted` must be registered; `answered` is called unless the client has left.
 */
export const refuseRequest = (
  response: HttpResponse,
  state: ServerState,
  refusal: Refusal,
  refused: Refused,
  answered: () => void,
): void => {
  setImmediate(() => {
    try {
      response.cork(() => writeProblem(response, state, refusal, refused, true));
    } catch {
      // The client left, and its abort handler has run.
      return;
    }
    answered();
  });
};

/** Writes a problem as the whole answer, at once. Throws if the response is no longer there. */
export const writeProblem = (
  response: HttpResponse,
  state: ServerState,
  refusal: Refusal,
  refused: Refused,
  closeConnection: boolean,
): void => {
  const problem = wordProblem(state, refusal, refused);
  const block = headerBlock([
    ...securityLines,
    ["content-type", problem.contentType],
    ...refused.crossOriginLines,
  ]);
  response.writeStatus(statusLine(refusal.status));
  writeHeaderBlock(response, refused.requestId, block);
  if (refused.method === "HEAD") {
    endWithoutBody(response, Buffer.byteLength(problem.body), closeConnection);
  } else {
    response.end(problem.body, closeConnection);
  }
};

/** The body of a refusal; the default body if the hook itself fails. */
export const wordProblem = (
  state: ServerState,
  refusal: Refusal,
  request: ProblemRequest,
): Problem => {
  const { status, code, detail } = refusal;
  try {
    const problem = state.problem(status, code, detail, request);
    // Checked here, so that the fallback still applies.
    headerBlock([["content-type", problem.contentType]]);
    return problem;
  } catch {
    return problemDetails(status, code, detail, request);
  }
};

/**
 * Closes a connection at once, unless it is closed already; its abort handler runs. Never throws.
 */
export const dropConnection = (response: HttpResponse): void => {
  try {
    response.close();
  } catch {
    // It was answered or aborted before.
  }
};

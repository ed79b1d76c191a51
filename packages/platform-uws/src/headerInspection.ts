import type { HttpRequest } from "uWebSockets.js";

/**
 * What is wrong with a request's headers. `framing`: two readers could disagree about where the
 * body ends (request smuggling), so the connection must be closed without running anything that
 * follows. `encoding`: the body has no declared length. The native parser reads chunks differently
 * from RFC 9112 (uNetworking/uWebSockets#1936), so a body could hide a request. `host`: there is
 * not exactly one Host header with a value. `control`: a value contains a control character (DEL),
 * which recipients must refuse by RFC 9110, section 5.5.
 */
export type HeaderFault = "none" | "framing" | "encoding" | "host" | "control";

/**
 * Checks all headers once and stores the findings in `inspected`.
 *
 * `getHeader` is not enough: it gives the first of two, while the native parser (version 20.51.4)
 * accepts two different Content-Length headers, and an empty one.
 */
export const inspectHeaders = (request: HttpRequest): HeaderFault => {
  reset();
  request.forEach(inspectHeader);
  return verdict();
};

/** Also gives the headers as a record: lower-case names, repeated ones joined. */
export const inspectAndCollectHeaders = (
  request: HttpRequest,
  headers: Record<string, string>,
): HeaderFault => {
  reset();
  request.forEach((name, value) => {
    inspectHeader(name, value);
    const earlier = headers[name];
    if (earlier === undefined) headers[name] = value;
    else headers[name] = `${earlier}${name === "cookie" ? "; " : ", "}${value}`;
  });
  return verdict();
};

/**
 * Findings of the last inspection. All requests share one object, so that the hot path allocates
 * none: read it before the next request can arrive, that is, before returning to the event loop.
 */
export const inspected = {
  hostCount: 0,
  host: "",
  contentLengthCount: 0,
  /** As sent; "" when absent. */
  contentLength: "",
  transferEncodingCount: 0,
  requestId: "",
  origin: "",
  /** Whether the client announced that it sends nothing more (RFC 9112, section 9.6). */
  closes: false,
  hasControl: false,
};

const reset = (): void => {
  inspected.hostCount = 0;
  inspected.host = "";
  inspected.contentLengthCount = 0;
  inspected.contentLength = "";
  inspected.transferEncodingCount = 0;
  inspected.requestId = "";
  inspected.origin = "";
  inspected.closes = false;
  inspected.hasControl = false;
};

/** Compares lengths first: most headers then need no text comparison. */
const inspectHeader = (name: string, value: string): void => {
  if (value.includes("\x7f")) inspected.hasControl = true;
  switch (name.length) {
    case 4:
      if (name === "host") {
        inspected.hostCount += 1;
        inspected.host = value;
      }
      return;
    case 6:
      if (name === "origin") inspected.origin = value;
      return;
    case 10:
      if (name === "connection" && closing.test(value)) inspected.closes = true;
      return;
    case 12:
      if (name === "x-request-id") inspected.requestId = value;
      return;
    case 14:
      if (name === "content-length") {
        inspected.contentLengthCount += 1;
        inspected.contentLength = value;
      }
      return;
    case 17:
      if (name === "transfer-encoding") inspected.transferEncodingCount += 1;
      return;
  }
};

const verdict = (): HeaderFault => {
  if (inspected.contentLengthCount !== 0) {
    if (inspected.contentLengthCount > 1 || inspected.transferEncodingCount !== 0) return "framing";
    if (!digits.test(inspected.contentLength)) return "framing";
  } else if (inspected.transferEncodingCount !== 0) {
    return "encoding";
  }
  if (inspected.hasControl) return "control";
  return inspected.hostCount === 1 && inspected.host !== "" ? "none" : "host";
};

/** The option `close`, alone or among others. */
const closing = /(?:^|[\s,])close(?:$|[\s,])/i;

/** Fifteen digits are exact in a double and far above any cap. */
const digits = /^\d{1,15}$/;
